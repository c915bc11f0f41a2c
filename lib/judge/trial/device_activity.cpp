#include "trial/device_activity.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <utility>
#include <vector>

#include "cuset/sandbox/channel_lines.h"

namespace cuset {

namespace {

/// From the first nanosecond to behind the last.
using interval = std::pair<std::uint64_t, std::uint64_t>;

struct activity {
    std::vector<interval> kernels, memory, transfers;
    std::size_t begins = 0, ends = 0;
    std::uint64_t launches = 0, dropped = 0;  // graphs have as many kernels as they like
    bool is_refused = false, is_late = false, is_broken = false;
};

/// The numbers of " 12 345"; nothing if there are others than `Count`.
template <std::size_t Count>
std::optional<std::array<std::uint64_t, Count>> numbers_in(std::string_view text) {
    std::array<std::uint64_t, Count> numbers{};
    for (std::uint64_t& number : numbers) {
        if (!text.starts_with(' ')) return {};
        text.remove_prefix(1);
        const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
        if (error != std::errc()) return {};
        text.remove_prefix(static_cast<std::size_t>(end - text.data()));
    }
    if (!text.empty()) return {};
    return numbers;
}

void take_line(std::string_view rest, activity& all) {
    const std::string_view word = rest.substr(0, rest.find(' '));
    const std::string_view numbers = rest.substr(word.size());
    if (word == "begin") {
        ++all.begins;
    } else if (word == "refused") {
        all.is_refused = true;
    } else if (word == "late") {
        all.is_late = true;
    } else if (word == "end") {
        const auto counts = numbers_in<3>(numbers);
        if (counts) {
            ++all.ends;
            all.launches = (*counts)[0];
            all.dropped = (*counts)[2];
        } else {
            all.is_broken = true;
        }
    } else {
        auto* const kind = word == "kernel"     ? &all.kernels
                           : word == "memory"   ? &all.memory
                           : word == "transfer" ? &all.transfers
                                                : nullptr;
        const auto span = numbers_in<2>(numbers);
        if (kind != nullptr && span)
            kind->emplace_back((*span)[0], (*span)[1]);
        else
            all.is_broken = true;
    }
}

/// The seconds that at least one of them lasts.
double union_of(std::vector<interval> all) {
    std::ranges::sort(all);
    std::uint64_t covered = 0, end = 0;
    for (const auto& [from, to] : all) {
        const std::uint64_t begin = std::max(from, end);
        if (to > begin) covered += to - begin;
        end = std::max(end, to);
    }
    return static_cast<double>(covered) * 1e-9;
}

bool has_open_work(const activity& all) {
    const auto is_open = [](const interval& i) { return i.first == 0 || i.second < i.first; };
    return std::ranges::any_of(all.kernels, is_open) || std::ranges::any_of(all.memory, is_open) ||
           std::ranges::any_of(all.transfers, is_open);
}

std::string fault_of(const activity& all) {
    if (all.is_refused) return "CUPTI does not record here";
    if (all.begins == 0) return "the program does not use the GPU";
    if (all.begins > 1) return "several processes use the GPU";
    if (all.is_late) return "the program launches work while it ends";
    if (all.ends == 0)
        return "the program ended without its records, or has more of them than there is place for";
    if (all.ends > 1 || all.is_broken) return "the records of the GPU are not whole";
    if (all.dropped > 0) return "CUPTI dropped records of the GPU's work";
    if (all.kernels.size() < all.launches)
        return "the GPU has " + std::to_string(all.kernels.size()) + " records of " +
               std::to_string(all.launches) + " launches";
    if (has_open_work(all)) return "work was not over when the program ended";
    if (all.kernels.empty()) return "no kernel ran";
    return {};
}

}  // namespace

activity_times times_of_activity(std::string_view channel_output) {
    activity all;
    for_lines_of(channel_output, "activity ", [&](std::string_view rest) {
        take_line(rest, all);
        return true;
    });
    activity_times times;
    times.fault = fault_of(all);
    if (!times.fault.empty()) return times;
    times.kernels = union_of(all.kernels);
    times.memory = union_of(all.memory);
    times.transfers = union_of(all.transfers);
    all.kernels.insert(all.kernels.end(), all.memory.begin(), all.memory.end());
    times.device = union_of(std::move(all.kernels));
    return times;
}

}  // namespace cuset
