#include "cuset/train/process_group.h"

// LibTorch's Gloo is compiled from other sources than Debian's headers, which ProcessGroupGloo.hpp
// needs. That class holds only pointers to Gloo's classes, so its layout is the same in both; but
// nothing here may make, call or derive from a class of Gloo.
#define USE_C10D_GLOO 1

#include <ATen/Context.h>
#include <ATen/core/Tensor.h>
#include <ATen/ops/from_blob.h>

#include <algorithm>
#include <charconv>
#include <condition_variable>
#include <csignal>
#include <cstdlib>
#include <cstring>
#include <functional>
#include <mutex>
#include <thread>
#include <torch/csrc/distributed/c10d/PrefixStore.hpp>
#include <torch/csrc/distributed/c10d/ProcessGroupGloo.hpp>
#include <torch/csrc/distributed/c10d/TCPStore.hpp>
#include <utility>
#include <vector>

#include "cuset/base/log.h"
#include "cuset/base/processors.h"
#include "gpu_sum.h"
#include "torch_errors.h"

namespace cuset {

namespace {

using clock = std::chrono::steady_clock;
using bytes = std::vector<std::uint8_t>;

constexpr auto sign_of_life_every = std::chrono::seconds(1);

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

status lost(std::size_t rank, const std::string& why) {
    return {error_kind::io, "process " + std::to_string(rank) + " is lost: " + why};
}

/// An exception from a sum or a gather: without a GPU only the store can have thrown it.
status failed_exchange_of(const std::exception& exception, bool on_gpu) {
    const bool of_gpu = on_gpu && dynamic_cast<const c10::Error*>(&exception) != nullptr &&
                        dynamic_cast<const c10::DistError*>(&exception) == nullptr;
    return of_gpu ? training_error(exception) : lost(0, "no connection to it");
}

}  // namespace

result<process_environment> read_process_environment() {
    process_environment environment;
    std::size_t port = 29500;
    CUSET_TRY(read_number("WORLD_SIZE", environment.size));
    CUSET_TRY(read_number("RANK", environment.rank));
    CUSET_TRY(read_number("MASTER_PORT", port));
    environment.local_rank = environment.rank;
    CUSET_TRY(read_number("LOCAL_RANK", environment.local_rank));
    environment.local_size = environment.size;
    CUSET_TRY(read_number("LOCAL_WORLD_SIZE", environment.local_size));
    environment.port = static_cast<int>(port);
    if (environment.local_size == 0) return usage_error("LOCAL_WORLD_SIZE=0: no process at all");
    if (environment.size == 0) return usage_error("WORLD_SIZE=0: no process at all");
    if (environment.size == 1) {
        environment.rank = 0;
        return environment;
    }
    for (const char* name : {"RANK", "MASTER_ADDR"}) {
        const char* value = std::getenv(name);
        if (value == nullptr || *value == 0)
            return usage_error("WORLD_SIZE=" + std::to_string(environment.size) + " without " +
                               name + ": torchrun sets both");
    }
    if (environment.rank >= environment.size)
        return usage_error("RANK=" + std::to_string(environment.rank) +
                           " is not below WORLD_SIZE=" + std::to_string(environment.size));
    environment.address = std::getenv("MASTER_ADDR");
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
    std::chrono::seconds silence{60};
    at::Device device = at::kCPU;
    c10::intrusive_ptr<c10d::Store> store;
    c10::intrusive_ptr<c10d::ProcessGroupGloo> gloo;  // on a CPU
    std::unique_ptr<gpu_sum> gpu;
    status failure;  // the first failed sum's or gather's
    std::vector<c10::intrusive_ptr<c10d::Work>> gathering;

    std::thread life;
    std::mutex mutex;
    std::condition_variable ended;
    bool ending = false;

    // How often each process has shown that it lives, and for how long this has not grown. A
    // machine may stand still as a whole: the time between two looks counts only up to twice the
    // time between two signs.
    struct sign {
        std::int64_t count = -1;
        clock::time_point looked = clock::now();
        clock::duration silent{};
    };
    std::vector<sign> signs;

    ~state() override;
    void show_life();
    status check_alive(std::size_t from);
    status agreed(const status& found);
    status check_others();
    status wait_until(const std::function<bool()>& done);
    status find_lost();
    status join(const process_environment& environment);
    status connect_gloo();
    status connect_gpus();
    status sum(const at::Tensor& values);
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

/// The server lives in process 0 (unless torchrun has it), and a connection that one process closes
/// may be in use by another. So each process waits until the others have got their data.
process_group::state::~state() {
    {
        const std::lock_guard lock(mutex);
        ending = true;
    }
    ended.notify_all();
    if (life.joinable()) life.join();
    const auto is_pending = [](const auto& work) { return !work->isCompleted(); };
    if (failure && std::ranges::any_of(gathering, is_pending)) static_cast<void>(gloo.release());
    // A process that ends because of another is not the lost one. Only process 0 stays for a while:
    // its store tells the others which process is lost.
    if (!store || (!failure && rank != 0)) return;
    try {
        if (failure) store->set("gone/" + std::to_string(rank), as_bytes("1"));
        const auto start = clock::now();
        for (std::size_t other = 0; other < size; ++other)
            while (!store->check({"gone/" + std::to_string(other)}) &&
                   clock::now() - start < std::chrono::seconds(5))
                std::this_thread::sleep_for(std::chrono::milliseconds(10));
    } catch (const std::exception&) {
        // The server's process has gone, and all that would read this with it.
    }
}

void process_group::state::show_life() try {
    const auto own = store->clone();
    std::unique_lock lock(mutex);
    while (!ending) {
        own->add("alive/" + std::to_string(rank), 1);
        ended.wait_for(lock, sign_of_life_every);
    }
} catch (const std::exception&) {
    // The next sum finds the same error and reports it.
}

status process_group::state::check_alive(std::size_t from) {
    if (store->check({"gone/" + std::to_string(from)})) return lost(from, "it has ended");
    sign& last = signs[from];
    const std::int64_t count = store->add("alive/" + std::to_string(from), 0);
    const auto now = clock::now();
    if (count != last.count) last = {count, now};
    last.silent += std::min<clock::duration>(now - last.looked, 2 * sign_of_life_every);
    last.looked = now;
    if (last.silent > silence)
        return lost(from, "no sign of life for " + std::to_string(silence.count()) + " s");
    return {};
}

/// What the first process that found one lost said of it: a process that ends for this reason gives
/// no sign of life either, and must not be taken for the lost one.
status process_group::state::agreed(const status& found) {
    const bytes first = store->compareSet("lost", {}, as_bytes(found.message()));
    return {error_kind::io, std::string(first.begin(), first.end())};
}

status process_group::state::check_others() {
    if (store->check({"lost"})) return agreed({});
    for (std::size_t other = 0; other < size; ++other) {
        if (other == rank) continue;
        if (const status alive = check_alive(other); !alive) return agreed(alive);
    }
    return {};
}

status process_group::state::wait_until(const std::function<bool()>& done) {
    using std::chrono::microseconds;
    microseconds pause(20);
    auto checked = clock::now();
    for (sign& last : signs) last = {last.count, checked};
    while (!done()) {
        if (clock::now() - checked > sign_of_life_every) {
            // Work that finished before the end counts.
            const status alive = check_others();
            if (!alive && !done()) return alive;
            checked = clock::now();
        }
        std::this_thread::sleep_for(pause);
        pause = std::min(2 * pause, microseconds(2000));
    }
    return {};
}

/// A connection broke. Names the process that has ended, or that gives no further sign of life.
status process_group::state::find_lost() {
    silence = 3 * sign_of_life_every;
    constexpr auto pause = std::chrono::milliseconds(100);
    for (std::chrono::milliseconds waited{}; waited < silence + sign_of_life_every;
         waited += pause) {
        CUSET_TRY(check_others());
        std::this_thread::sleep_for(pause);
    }
    return {error_kind::io, "the connection to another process broke"};
}

status process_group::state::join(const process_environment& environment) {
    rank = environment.rank;
    size = environment.size;
    signs.resize(size);
    // Gloo writes to its sockets with writev(2): if the other process is lost, this one would end
    // by SIGPIPE before it could say so.
    std::signal(SIGPIPE, SIG_IGN);
    c10d::TCPStoreOptions options;
    options.port = static_cast<std::uint16_t>(environment.port);
    options.isServer = rank == 0 && !environment.agent_store;
    options.waitWorkers = false;
    options.timeout = silence;
    try {
        const auto served = c10::make_intrusive<c10d::TCPStore>(environment.address, options);
        store = c10::make_intrusive<c10d::PrefixStore>("cuset/" + environment.attempt, served);
        store->set("here/" + std::to_string(rank), as_bytes("1"));
    } catch (const std::exception& exception) {
        const std::string text = exception.what();
        return {error_kind::io, "no meeting at MASTER_ADDR " + environment.address + ", port " +
                                    std::to_string(environment.port) + ": " +
                                    text.substr(0, text.find('\n'))};
    }
    const auto start = clock::now();
    bool told = false;
    for (std::size_t other = 0; other < size; ++other) {
        while (!store->check({"here/" + std::to_string(other)})) {
            if (!told && clock::now() - start > std::chrono::seconds(2)) {
                told = true;
                log(log_level::note, "waiting for process " + std::to_string(other) + " of " +
                                         std::to_string(size) + " at " + environment.address +
                                         ", port " + std::to_string(environment.port));
            }
            if (clock::now() - start > silence)
                return {error_kind::io, "process " + std::to_string(other) + " of " +
                                            std::to_string(size) + " did not come within " +
                                            std::to_string(silence.count()) + " s"};
            std::this_thread::sleep_for(std::chrono::milliseconds(5));
        }
    }
    life = std::thread([this] { show_life(); });
    return device.is_cpu() ? connect_gloo() : connect_gpus();
}

status process_group::state::connect_gloo() try {
    const auto options = c10d::ProcessGroupGloo::Options::create_default(silence);
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
    return training_error(exception);
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
    try {
        // Those behind one that failed may never end.
        failure = wait_until([&] {
            return std::ranges::all_of(works, completed) || std::ranges::any_of(works, failed);
        });
        if (failure && std::ranges::any_of(works, failed)) failure = find_lost();
    } catch (const std::exception&) {
        failure = lost(0, "no connection to it");
    }
    // The group's destructor would wait for its thread, and the thread for the lost process.
    if (!std::ranges::all_of(works, completed)) static_cast<void>(gloo.release());
    return failure;
}

/// Each process's part goes straight to its place. Gloo's own gather would need room for one more
/// layer, and copy it.
status process_group::state::begin(const at::Tensor& part, const at::Tensor& whole) try {
    if (gpu) return gpu->begin_gather(part, whole);
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
    return failed_exchange_of(exception, gpu != nullptr);
}

status process_group::state::finish() try {
    if (gpu) return gpu->finish_gather([this] { return check_others(); });
    const auto works = std::exchange(gathering, {});
    return finish(works);
} catch (const std::exception& exception) {
    return failed_exchange_of(exception, gpu != nullptr);
}

layer_exchange* process_group::exchange() { return state_.get(); }

status process_group::queue_sum(at::Tensor& values) try {
    if (!state_) return {};
    if (state_->gpu) return state_->gpu->queue(values);
    return state_->sum(values);
} catch (const std::exception& exception) {
    return failed_exchange_of(exception, state_ && state_->gpu);
}

status process_group::finish_sum() try {
    if (!state_ || !state_->gpu) return {};
    return state_->gpu->finish([this] { return state_->check_others(); });
} catch (const std::exception& exception) {
    return failed_exchange_of(exception, state_ && state_->gpu);
}

status process_group::sum(std::span<double> values) try {
    if (!state_) return {};
    const at::Tensor host = at::from_blob(values.data(), {std::ssize(values)}, at::kDouble);
    // A sum that is given up may still write to its tensor, so this must not be the caller's
    // memory.
    at::Tensor all = host.to(state_->device, at::kDouble, false, true);
    CUSET_TRY(queue_sum(all));
    CUSET_TRY(finish_sum());
    host.copy_(all);
    return {};
} catch (const std::exception& exception) {
    return failed_exchange_of(exception, state_ && state_->gpu);
}

status process_group::wait_for_all() {
    double none = 0;
    return sum(std::span(&none, 1));
}

status process_group::check_same(const std::string& what, const std::string& text) try {
    if (!state_) return {};
    const std::string key = "same/" + what;
    if (rank() == 0) state_->store->set(key, as_bytes(text));
    CUSET_TRY(state_->wait_until([&] { return state_->store->check({key}); }));
    const bytes first = state_->store->get(key);
    const bool differs = as_bytes(text) != first;
    double differing = differs ? 1 : 0;
    CUSET_TRY(sum(std::span(&differing, 1)));
    if (differs)
        return usage_error(what + " is not that of process 0: " + text + ", not " +
                           std::string(first.begin(), first.end()));
    if (differing > 0) return usage_error(what + " is not the same on all processes");
    return {};
} catch (const std::exception& exception) {
    return lost(0, "no connection to it");
}

}  // namespace cuset
