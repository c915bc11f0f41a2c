#include "shared_base_flags.h"

#include "cuset/stream/json_text.h"

namespace cuset {

void add_shard_base_flag(program& p, bool& shares) {
    p.options.push_back({0, "shard-base", "",
                         "Several processes share the model: each keeps its part of the decoder "
                         "layers. Not with --quantize, nor of a model that is stored in nf4.",
                         &shares});
    p.environment.emplace_back("RANK, WORLD_SIZE, LOCAL_RANK, MASTER_ADDR, MASTER_PORT",
                               "With --shard-base: which of how many processes this is, and where "
                               "they meet. Those that mpirun sets do too.");
}

result<process_environment> sharing_processes(bool shares, const model_flags& flags,
                                              const std::string& endpoint) {
    if (!shares) return process_environment();
    if (!endpoint.empty())
        return usage_error("--shard-base does not go with --endpoint: the server has the model");
    if (to_quantisation(flags) != quantisation::none)
        return usage_error("--shard-base does not go with --quantize: its codes are kept whole");
    return read_process_environment();
}

void share(bool shares, const process_environment& environment, model_options& options) {
    if (!shares) return;
    options.part = {environment.rank, environment.size};
    options.device = device_of(environment, options.device);
    options.threads = threads_of(environment, options.threads);
}

result<process_group> meet(const process_environment& environment, int device,
                           std::uint64_t fingerprint, const std::string& description,
                           const std::string& settings) {
    const at::Device where = device < 0
                                 ? at::Device(at::kCPU)
                                 : at::Device(at::kCUDA, static_cast<at::DeviceIndex>(device));
    CUSET_ASSIGN(process_group processes, process_group::join(environment, where));
    CUSET_TRY(processes.check_same("the model", hexadecimal(fingerprint)));
    // "cpu bf16 (bf16 operators, own, avx512" without the threads, and "cuda bf16" of "cuda:1
    // bf16".
    std::string how = description;
    if (device >= 0)
        how.erase(how.find(':'), how.find(' ') - how.find(':'));
    else
        how.erase(how.rfind(", "));
    CUSET_TRY(processes.check_same("what computes", how));
    CUSET_TRY(processes.check_same("a setting", settings));
    return processes;
}

}  // namespace cuset
