#include "cuset/train/process_group.h"

#include <ATen/Context.h>
#include <ATen/core/Tensor.h>

#include <algorithm>
#include <charconv>
#include <condition_variable>
#include <cstdlib>
#include <cstring>
#include <mutex>
#include <thread>
#include <torch/csrc/distributed/c10d/PrefixStore.hpp>
#include <torch/csrc/distributed/c10d/TCPStore.hpp>
#include <utility>
#include <vector>

#include "gpu_sum.h"
#include "torch_errors.h"

namespace cuset {

namespace {

using clock = std::chrono::steady_clock;
using bytes = std::vector<std::uint8_t>;

/// The limit for one value in the store, whose server refuses more than 8 MiB.
constexpr std::size_t piece_bytes = std::size_t{4} << 20;

constexpr auto sign_of_life_every = std::chrono::seconds(1);

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
    const std::size_t cores = std::max(1U, std::thread::hardware_concurrency());
    return static_cast<int>(std::max<std::size_t>(1, cores / environment.local_size));
}

struct process_group::state {
    std::size_t rank = 0, size = 1;
    std::chrono::seconds silence{60};
    c10::intrusive_ptr<c10d::Store> store;
    std::unique_ptr<gpu_sum> gpu;
    std::uint64_t sums = 0;
    std::vector<std::string> old_sums;  // keys that all have read once the next sum is complete

    std::thread life;
    std::mutex mutex;
    std::condition_variable ended;
    bool ending = false;

    // The last sign of life of each process.
    struct sign {
        std::int64_t count = -1;
        clock::time_point seen = clock::now();
    };
    std::vector<sign> signs;

    ~state();
    void show_life();
    status check_alive(std::size_t from);
    status wait_for(const std::string& key, std::size_t from);
    status join(const process_environment& environment, at::Device device);

    std::string key(const char* what, std::size_t from, std::size_t piece) const {
        return std::string(what) + '/' + std::to_string(sums) + '/' + std::to_string(from) + '/' +
               std::to_string(piece);
    }

    template <class T>
    status sum(T* values, std::size_t count);
    void post(const char* what, const std::uint8_t* data, std::size_t size, std::size_t from_rank);
};

process_group::process_group() = default;
process_group::process_group(process_group&&) noexcept = default;
process_group& process_group::operator=(process_group&&) noexcept = default;
process_group::~process_group() = default;

std::size_t process_group::rank() const { return state_ ? state_->rank : 0; }
std::size_t process_group::size() const { return state_ ? state_->size : 1; }

/// The server lives in process 0 (unless torchrun has it): it waits until the others have what they
/// came for.
process_group::state::~state() {
    {
        const std::lock_guard lock(mutex);
        ending = true;
    }
    ended.notify_all();
    if (life.joinable()) life.join();
    if (!store) return;
    try {
        store->set("gone/" + std::to_string(rank), as_bytes("1"));
        const auto start = clock::now();
        for (std::size_t other = 1; rank == 0 && other < size; ++other)
            while (!store->check({"gone/" + std::to_string(other)}) &&
                   clock::now() - start < std::chrono::seconds(5))
                std::this_thread::sleep_for(std::chrono::milliseconds(10));
    } catch (const std::exception&) {
        // Whoever served the store has gone, and with it all who would read this.
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
    // The next sum finds the same and says so.
}

status process_group::state::check_alive(std::size_t from) {
    if (store->check({"gone/" + std::to_string(from)})) return lost(from, "it has ended");
    sign& last = signs[from];
    const std::int64_t count = store->add("alive/" + std::to_string(from), 0);
    if (count != last.count) last = {count, clock::now()};
    if (clock::now() - last.seen > silence)
        return lost(from, "no sign of life for " + std::to_string(silence.count()) + " s");
    return {};
}

status process_group::state::wait_for(const std::string& key, std::size_t from) {
    using std::chrono::microseconds;
    microseconds pause(20);
    auto checked = clock::now();
    signs[from].seen = checked;
    while (!store->check({key})) {
        if (clock::now() - checked > sign_of_life_every) {
            // What was posted before the end counts.
            const status alive = check_alive(from);
            if (!alive && !store->check({key})) return alive;
            checked = clock::now();
        }
        std::this_thread::sleep_for(pause);
        pause = std::min(2 * pause, microseconds(2000));
    }
    return {};
}

status process_group::state::join(const process_environment& environment, at::Device device) {
    rank = environment.rank;
    size = environment.size;
    signs.resize(size);
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
    for (std::size_t other = 0; other < size; ++other) {
        while (!store->check({"here/" + std::to_string(other)})) {
            if (clock::now() - start > silence)
                return {error_kind::io, "process " + std::to_string(other) + " of " +
                                            std::to_string(size) + " did not come within " +
                                            std::to_string(silence.count()) + " s"};
            std::this_thread::sleep_for(std::chrono::milliseconds(5));
        }
    }
    life = std::thread([this] { show_life(); });
    if (device.is_cpu()) return {};
    bytes name;
    if (rank == 0) {
        CUSET_ASSIGN(name, gpu_sum::new_name());
        store->set("gpu", name);
    } else {
        CUSET_TRY(wait_for("gpu", 0));
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
    CUSET_TRY(group.state_->join(environment, device));
    return group;
} catch (const std::exception& exception) {
    return training_error(exception);
}

void process_group::state::post(const char* what, const std::uint8_t* data, std::size_t size_,
                                std::size_t from_rank) {
    for (std::size_t from = 0, piece = 0; from < size_; from += piece_bytes, ++piece)
        store->set(key(what, from_rank, piece),
                   bytes(data + from, data + std::min(size_, from + piece_bytes)));
}

template <class T>
status process_group::state::sum(T* values, std::size_t count) {
    constexpr std::size_t piece_values = piece_bytes / sizeof(T);
    auto* data = reinterpret_cast<std::uint8_t*>(values);
    const std::size_t all = count * sizeof(T), pieces = (all + piece_bytes - 1) / piece_bytes;
    ++sums;
    if (rank != 0) {
        post("part", data, all, rank);
        for (std::size_t piece = 0; piece < pieces; ++piece) {
            CUSET_TRY(wait_for(key("sum", 0, piece), 0));
            const bytes total = store->get(key("sum", 0, piece));
            if (total.size() != std::min(piece_bytes, all - piece * piece_bytes))
                return lost(0, "it is at another point of the run");
            std::memcpy(data + piece * piece_bytes, total.data(), total.size());
        }
        return {};
    }
    for (std::size_t other = 1; other < size; ++other) {
        for (std::size_t piece = 0; piece < pieces; ++piece) {
            const std::string name = key("part", other, piece);
            CUSET_TRY(wait_for(name, other));
            const bytes part = store->get(name);
            store->deleteKey(name);
            if (part.size() != std::min(piece_bytes, all - piece * piece_bytes))
                return lost(other, "it is at another point of the run");
            T* to = values + piece * piece_values;
            for (std::size_t i = 0; i < part.size() / sizeof(T); ++i) {
                T value;
                std::memcpy(&value, part.data() + i * sizeof(T), sizeof(T));
                to[i] += value;
            }
        }
    }
    // All have taken the sum before this one: they have posted to this one.
    for (const std::string& name : old_sums) store->deleteKey(name);
    old_sums.clear();
    for (std::size_t piece = 0; piece < pieces; ++piece) old_sums.push_back(key("sum", 0, piece));
    post("sum", data, all, 0);
    return {};
}

/// An exception out of a sum: without a GPU only the store can have thrown it.
static status failed_sum(const std::exception& exception, bool on_gpu) {
    const bool of_gpu = on_gpu && dynamic_cast<const c10::Error*>(&exception) != nullptr &&
                        dynamic_cast<const c10::DistError*>(&exception) == nullptr;
    return of_gpu ? training_error(exception) : lost(0, "no connection to it");
}

status process_group::queue_sum(at::Tensor& values) try {
    if (!state_) return {};
    if (state_->gpu) return state_->gpu->queue(values);
    return state_->sum(values.data_ptr<float>(), static_cast<std::size_t>(values.numel()));
} catch (const std::exception& exception) {
    return failed_sum(exception, state_ && state_->gpu);
}

status process_group::finish_sum() try {
    if (!state_ || !state_->gpu) return {};
    return state_->gpu->finish([this] {
        for (std::size_t other = 0; other < size(); ++other)
            if (other != rank()) CUSET_TRY(state_->check_alive(other));
        return status::ok();
    });
} catch (const std::exception& exception) {
    return failed_sum(exception, state_ && state_->gpu);
}

status process_group::sum(std::span<double> values) try {
    return state_ ? state_->sum(values.data(), values.size()) : status::ok();
} catch (const std::exception& exception) {
    return lost(0, "no connection to it");
}

status process_group::wait_for_all() {
    double none = 0;
    return sum(std::span(&none, 1));
}

status process_group::check_same(const std::string& what, const std::string& text) try {
    if (!state_) return {};
    const std::string key = "same/" + what;
    if (rank() == 0) state_->store->set(key, as_bytes(text));
    CUSET_TRY(state_->wait_for(key, 0));
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
