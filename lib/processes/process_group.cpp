#include "cuset/processes/process_group.h"

// LibTorch's Gloo is compiled from other sources than Debian's headers, which ProcessGroupGloo.hpp
// needs. That class holds only pointers to Gloo's classes, so its layout is the same in both; but
// nothing here may make, call or derive from a class of Gloo.
#define USE_C10D_GLOO 1

#include <ATen/Context.h>
#include <ATen/core/Tensor.h>
#include <ATen/ops/from_blob.h>
#include <c10/util/Logging.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <climits>
#include <csignal>
#include <cstdlib>
#include <cstring>
#include <functional>
#include <thread>
#include <torch/csrc/distributed/c10d/PrefixStore.hpp>
#include <torch/csrc/distributed/c10d/ProcessGroupGloo.hpp>
#include <torch/csrc/distributed/c10d/TCPStore.hpp>
#include <utility>
#include <vector>

#include "cuset/base/log.h"
#include "cuset/base/processors.h"
#include "cuset/model/torch_errors.h"
#include "gpu_sum.h"
#include "peer_watch.h"

namespace cuset {

namespace {

using clock = std::chrono::steady_clock;
using bytes = std::vector<std::uint8_t>;

/// Of processes that load a model, one may read it from a disk and another from memory.
constexpr auto patience_for_joining = std::chrono::minutes(10);
constexpr auto patience_for_connecting = std::chrono::minutes(1);

/// Signs of life end a wait; Gloo's timeout must not.
constexpr auto gloo_patience = std::chrono::hours(10000);

status read_number(const char* name, std::size_t& value) {
    const char* text = std::getenv(name);
    if (text == nullptr) return {};
    const char* end = text + std::strlen(text);
    const auto [stop, error] = std::from_chars(text, end, value);
    if (error == std::errc() && stop == end && stop != text && value < 65536) return {};
    return usage_error(std::string(name) + "=" + text + " is no number below 65536");
}

bytes as_bytes(const std::string& text) { return {text.begin(), text.end()}; }

status unexpected(const std::exception& exception) {
    return unsupported("processes cannot work together here: " +
                       (is_out_of_memory(exception) ? "out of memory" : first_line_of(exception)));
}

status broken_connection() { return {error_kind::io, "the connection to another process broke"}; }

/// The variables by which a launcher tells a process who it is.
struct launcher {
    const char *size, *rank, *local_rank, *local_size;
};
constexpr std::array<launcher, 3> launchers{{
    {"WORLD_SIZE", "RANK", "LOCAL_RANK", "LOCAL_WORLD_SIZE"},  // torchrun
    {"OMPI_COMM_WORLD_SIZE", "OMPI_COMM_WORLD_RANK", "OMPI_COMM_WORLD_LOCAL_RANK",
     "OMPI_COMM_WORLD_LOCAL_SIZE"},                                  // Open MPI
    {"PMI_SIZE", "PMI_RANK", "MPI_LOCALRANKID", "MPI_LOCALNRANKS"},  // MPICH, Intel MPI
}};

bool is_set(const char* name) {
    const char* value = std::getenv(name);
    return value != nullptr && *value != 0;
}

std::string host_name() {
    std::array<char, HOST_NAME_MAX + 1> name{};
    return ::gethostname(name.data(), name.size() - 1) == 0 ? name.data() : "an unknown machine";
}

}  // namespace

result<process_environment> read_process_environment() {
    process_environment environment;
    const auto* found = std::ranges::find_if(launchers, is_set, &launcher::size);
    const launcher& names = found == launchers.end() ? launchers[0] : *found;
    std::size_t port = 29500;
    CUSET_TRY(read_number(names.size, environment.size));
    CUSET_TRY(read_number(names.rank, environment.rank));
    CUSET_TRY(read_number("MASTER_PORT", port));
    environment.local_rank = environment.rank;
    CUSET_TRY(read_number(names.local_rank, environment.local_rank));
    environment.local_size = environment.size;
    CUSET_TRY(read_number(names.local_size, environment.local_size));
    environment.port = static_cast<int>(port);
    for (const auto& [name, size] : {std::pair(names.local_size, environment.local_size),
                                     std::pair(names.size, environment.size)})
        if (size == 0) return usage_error(std::string(name) + "=0: no process at all");
    if (environment.size == 1) {
        environment.rank = 0;
        return environment;
    }
    // MPI's launchers know no meeting place; on one machine it can be that machine.
    const bool is_one_machine = &names != &launchers[0] && is_set(names.local_size) &&
                                environment.local_size == environment.size;
    const std::string several =
        std::string(names.size) + "=" + std::to_string(environment.size) + " without ";
    if (!is_set(names.rank)) return usage_error(several + names.rank + ": the launcher sets both");
    if (!is_set("MASTER_ADDR") && !is_one_machine)
        return usage_error(several + "MASTER_ADDR, the machine of process 0");
    if (environment.rank >= environment.size)
        return usage_error(std::string(names.rank) + "=" + std::to_string(environment.rank) +
                           " is not below " + names.size + "=" + std::to_string(environment.size));
    environment.address = is_set("MASTER_ADDR") ? std::getenv("MASTER_ADDR") : "127.0.0.1";
    if (const char* agent = std::getenv("TORCHELASTIC_USE_AGENT_STORE"))
        environment.agent_store = std::string_view(agent) == "True";
    if (const char* attempt = std::getenv("TORCHELASTIC_RESTART_COUNT"))
        environment.attempt = attempt;
    return environment;
}

std::string device_of(const process_environment& environment, const std::string& asked) {
    if (environment.size == 1 || (asked != "auto" && asked != "cuda")) return asked;
    if (asked == "auto" && !at::hasCUDA()) return "cpu";
    return "cuda:" + std::to_string(environment.local_rank);
}

int threads_of(const process_environment& environment, int asked) {
    if (environment.size == 1 || asked != 0) return asked;
    return std::max(1, usable_cores() / static_cast<int>(environment.local_size));
}

struct process_group::state final : layer_exchange {
    std::size_t rank = 0, size = 1;
    std::chrono::seconds silence{};
    at::Device device = at::kCPU;
    c10::intrusive_ptr<c10d::Store> store;
    c10::intrusive_ptr<c10d::ProcessGroupGloo> gloo;  // on a CPU
    std::unique_ptr<gpu_sum> gpu;
    status failure;  // the first failed sum's or gather's
    std::vector<c10::intrusive_ptr<c10d::Work>> gathering;

    std::unique_ptr<peer_watch> watch;

    ~state() override;
    status named(const status& failed);
    status of_gpu(const status& done) { return done ? done : named(done); }
    status failed_exchange_of(const std::exception& exception);
    status wait_until(const std::function<bool()>& done);
    status join(const process_environment& environment);
    status connect_gloo();
    status connect_gpus();
    status sum(const at::Tensor& values);
    status queue_sum(at::Tensor& values);
    status finish_sum();
    status sum(std::span<double> values) override;
    status finish(std::span<const c10::intrusive_ptr<c10d::Work>> works);
    status begin(const at::Tensor& part, const at::Tensor& whole) override;
    status finish() override;
};

process_group::process_group() = default;
process_group::process_group(process_group&&) noexcept = default;
process_group& process_group::operator=(process_group&&) noexcept = default;
process_group::~process_group() = default;

std::size_t process_group::rank() const { return state_ ? state_->rank : 0; }
std::size_t process_group::size() const { return state_ ? state_->size : 1; }

process_group::state::~state() {
    const auto is_pending = [](const auto& work) { return !work->isCompleted(); };
    if (failure && std::ranges::any_of(gathering, is_pending)) static_cast<void>(gloo.release());
    watch.reset();  // before the store, whose server may be here
}

/// Something between processes failed: the reason is the lost one, if there is one.
status process_group::state::named(const status& failed) {
    CUSET_TRY(watch->find_lost());
    return failed;
}

status process_group::state::failed_exchange_of(const std::exception& exception) {
    const bool of_gpu = gpu && dynamic_cast<const c10::Error*>(&exception) != nullptr &&
                        dynamic_cast<const c10::DistError*>(&exception) == nullptr;
    if (of_gpu) return unexpected(exception);
    return named(broken_connection());
}

status process_group::state::wait_until(const std::function<bool()>& done) {
    using std::chrono::microseconds;
    microseconds pause(20);
    auto checked = clock::now();
    while (!done()) {
        if (clock::now() - checked > std::chrono::milliseconds(100)) {
            // Work that finished before the end counts.
            const status alive = watch->check();
            if (!alive && !done()) return alive;
            checked = clock::now();
        }
        std::this_thread::sleep_for(pause);
        pause = std::min(2 * pause, microseconds(2000));
    }
    return {};
}

status process_group::state::join(const process_environment& environment) {
    rank = environment.rank;
    size = environment.size;
    // Gloo writes to its sockets with writev(2): if the other process is lost, this one would end
    // by SIGPIPE before it could say so.
    std::signal(SIGPIPE, SIG_IGN);
    // c10d writes a page of addresses to standard error for each connection that breaks. Once in a
    // process: in tests, several processes are threads of one.
    static const int former_level = std::getenv("TORCH_CPP_LOG_LEVEL") != nullptr
                                        ? FLAGS_caffe2_log_level
                                        : std::exchange(FLAGS_caffe2_log_level, c10::GLOG_ERROR);
    static_cast<void>(former_level);
    c10d::TCPStoreOptions options;
    options.port = static_cast<std::uint16_t>(environment.port);
    options.isServer = rank == 0 && !environment.agent_store;
    options.waitWorkers = false;
    options.timeout = patience_for_joining;
    try {
        const auto served = c10::make_intrusive<c10d::TCPStore>(environment.address, options);
        store = c10::make_intrusive<c10d::PrefixStore>("cuset/" + environment.attempt, served);
        peer_watch::announce(*store, rank);
        store->set("host/" + std::to_string(rank), as_bytes(host_name()));
    } catch (const std::exception& exception) {
        const std::string text = exception.what();
        return {error_kind::io, "no meeting at MASTER_ADDR " + environment.address + ", port " +
                                    std::to_string(environment.port) + ": " +
                                    text.substr(0, text.find('\n'))};
    }
    const auto start = clock::now();
    bool told = false;
    for (std::size_t other = 0; other < size; ++other) {
        while (!store->check({"host/" + std::to_string(other)})) {
            if (!told && clock::now() - start > std::chrono::seconds(2)) {
                told = true;
                log(log_level::note, "waiting for process " + std::to_string(other) + " of " +
                                         std::to_string(size) + " at " + environment.address +
                                         ", port " + std::to_string(environment.port));
            }
            if (clock::now() - start > patience_for_joining)
                return {error_kind::io, "process " + std::to_string(other) + " of " +
                                            std::to_string(size) + " did not come within " +
                                            std::to_string(patience_for_joining.count()) +
                                            " minutes"};
            std::this_thread::sleep_for(std::chrono::milliseconds(5));
        }
    }
    std::vector<std::string> names;
    for (std::size_t each = 0; each < size; ++each) {
        const bytes host = store->get("host/" + std::to_string(each));
        names.push_back("process " + std::to_string(each) + " on " +
                        std::string(host.begin(), host.end()));
    }
    const std::string server =
        environment.agent_store ? "torchrun on " + environment.address : names[0];
    watch = std::make_unique<peer_watch>(store, rank, std::move(names), server, silence);
    return device.is_cpu() ? connect_gloo() : connect_gpus();
}

status process_group::state::connect_gloo() try {
    const auto options = c10d::ProcessGroupGloo::Options::create_default(patience_for_connecting);
    options->threads = 1;
    gloo = c10::make_intrusive<c10d::ProcessGroupGloo>(store, static_cast<int>(rank),
                                                       static_cast<int>(size), options);
    return {};
} catch (const std::exception& exception) {
    return {error_kind::io, "the processes cannot connect: " + first_line_of(exception)};
}

status process_group::state::connect_gpus() {
    bytes name;
    if (rank == 0) {
        CUSET_ASSIGN(name, gpu_sum::new_name());
        store->set("gpu", name);
    } else {
        CUSET_TRY(wait_until([this] { return store->check({"gpu"}); }));
        name = store->get("gpu");
    }
    CUSET_ASSIGN(gpu, gpu_sum::join(name, rank, size, device));
    return {};
}

result<process_group> process_group::join(const process_environment& environment, at::Device device,
                                          std::chrono::seconds silence) try {
    process_group group;
    if (environment.size == 1) return group;
    group.state_ = std::make_unique<state>();
    group.state_->silence = silence;
    group.state_->device = device;
    CUSET_TRY(group.state_->join(environment));
    return group;
} catch (const std::exception& exception) {
    return unexpected(exception);
}

status process_group::state::sum(const at::Tensor& values) {
    CUSET_TRY(failure);
    std::vector<at::Tensor> tensors{values};
    c10d::AllreduceOptions options;
    options.timeout = gloo_patience;
    const auto work = gloo->allreduce(tensors, options);
    return finish(std::span(&work, 1));
}

status process_group::state::finish(std::span<const c10::intrusive_ptr<c10d::Work>> works) {
    const auto failed = [](const auto& work) { return work->isCompleted() && !work->isSuccess(); };
    const auto completed = [](const auto& work) { return work->isCompleted(); };
    // Those behind one that failed may never end.
    failure = wait_until([&] {
        return std::ranges::all_of(works, completed) || std::ranges::any_of(works, failed);
    });
    if (failure && std::ranges::any_of(works, failed)) failure = named(broken_connection());
    // The group's destructor would wait for its thread, and the thread for the lost process.
    if (!std::ranges::all_of(works, completed)) static_cast<void>(gloo.release());
    return failure;
}

/// Each process's part goes straight to its place. Gloo's own gather would need room for one more
/// layer, and copy it.
status process_group::state::begin(const at::Tensor& part, const at::Tensor& whole) try {
    if (gpu) return of_gpu(gpu->begin_gather(part, whole));
    CUSET_TRY(failure);
    const at::Tensor places = whole.view(at::kByte).view({static_cast<std::int64_t>(size), -1});
    places[static_cast<std::int64_t>(rank)].copy_(part.view(at::kByte));
    for (std::size_t owner = 0; owner < size; ++owner) {
        std::vector<at::Tensor> place{places[static_cast<std::int64_t>(owner)]};
        c10d::BroadcastOptions options;
        options.rootRank = static_cast<std::int64_t>(owner);
        options.timeout = gloo_patience;
        gathering.push_back(gloo->broadcast(place, options));
    }
    return {};
} catch (const std::exception& exception) {
    return failed_exchange_of(exception);
}

status process_group::state::finish() try {
    if (gpu) return of_gpu(gpu->finish_gather([this] { return watch->check(); }));
    const auto works = std::exchange(gathering, {});
    return finish(works);
} catch (const std::exception& exception) {
    return failed_exchange_of(exception);
}

layer_exchange* process_group::exchange() { return state_.get(); }

status process_group::state::queue_sum(at::Tensor& values) try {
    if (gpu) return of_gpu(gpu->queue(values));
    return sum(values);
} catch (const std::exception& exception) {
    return failed_exchange_of(exception);
}

status process_group::state::finish_sum() try {
    if (!gpu) return {};
    return of_gpu(gpu->finish([this] { return watch->check(); }));
} catch (const std::exception& exception) {
    return failed_exchange_of(exception);
}

status process_group::state::sum(std::span<double> values) try {
    const at::Tensor host = at::from_blob(values.data(), {std::ssize(values)}, at::kDouble);
    // A sum that is given up may still write to its tensor, so this must not be the caller's
    // memory.
    at::Tensor all = host.to(device, at::kDouble, false, true);
    CUSET_TRY(queue_sum(all));
    CUSET_TRY(finish_sum());
    host.copy_(all);
    return {};
} catch (const std::exception& exception) {
    return failed_exchange_of(exception);
}

status process_group::queue_sum(at::Tensor& values) {
    return state_ ? state_->queue_sum(values) : status::ok();
}

status process_group::finish_sum() { return state_ ? state_->finish_sum() : status::ok(); }

status process_group::sum(std::span<double> values) {
    return state_ ? state_->sum(values) : status::ok();
}

status process_group::wait_for_all() {
    double none = 0;
    return sum(std::span(&none, 1));
}

status process_group::check_others() { return state_ ? state_->watch->check() : status::ok(); }

/// Process 0's text comes as a sum of it and zeros. To ask the store for it could take a quarter of
/// an hour if a process is lost.
status process_group::check_same(const std::string& what, const std::string& text) {
    if (!state_) return {};
    double length = rank() == 0 ? static_cast<double>(text.size()) : 0;
    CUSET_TRY(sum(std::span(&length, 1)));
    std::vector<double> characters(static_cast<std::size_t>(length));
    if (rank() == 0) std::ranges::copy(text, characters.begin());
    CUSET_TRY(sum(characters));
    std::string first;
    for (const double character : characters) first += static_cast<char>(character);
    const bool differs = text != first;
    double differing = differs ? 1 : 0;
    CUSET_TRY(sum(std::span(&differing, 1)));
    if (differs) return usage_error(what + " is not that of process 0: " + text + ", not " + first);
    if (differing > 0) return usage_error(what + " is not the same on all processes");
    return {};
}

}  // namespace cuset
