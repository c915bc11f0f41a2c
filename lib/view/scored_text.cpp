#include "cuset/view/scored_text.h"

#include <cmath>
#include <utility>

#include "cuset/base/visible_text.h"
#include "cuset/region/recorded_roles.h"

namespace cuset {
namespace {

std::size_t tokens_of(const window_search_options& wanted) {
    constexpr std::size_t usual = 256;
    return wanted.size == 0 ? usual : wanted.size;
}

/// The mean and the confidences are printed with six significant digits.
constexpr double mean_tolerance = 1e-5;

status check_window(const recorded_window& window, std::span<const double> confidence) {
    if (window.last > confidence.size())
        return data_error("\"window.token\" reaches past the scored tokens: of another score?");
    if (window.first == window.last) return {};
    const double mean = mean_of(confidence, window.first, window.last);
    if (std::fabs(mean - window.min) <= mean_tolerance * mean) return {};
    return data_error(
        "\"window.min\" is not the mean of its tokens: scored anew since? Run cuset-window "
        "--records "
        "again, or give --size");
}

status take_roles(const pair_record& record, const role_set& roles, scored_text& out) {
    out.roles.clear();
    out.has_roles = record.has_roles;
    if (!record.has_roles) return {};
    for (const tagged_role& run : record.roles) {
        const auto role = role_of_name(run.role);
        if (!role) return data_error("\"tag.roles\": no role is called " + visible_text(run.role));
        if (run.end > record.response.size())
            return data_error("\"tag.roles\" reach past the response: tagged from other text?");
        if (roles[static_cast<std::size_t>(*role)])
            out.roles.push_back({*role, run.begin, run.end});
    }
    return {};
}

}  // namespace

status take_scored_text(pair_record& record, const window_search_options& wanted,
                        const role_set& roles, window_search& search, scored_text& out) {
    if (!record.token_end.empty() && record.token_end.back() > record.response.size())
        return data_error("\"score.end\" reaches past the response: scored from other text?");
    if (!record.has_tag) record.spans.clear();
    for (const tagged_span& span : record.spans)
        if (span.end > record.response.size())
            return data_error("\"tag.spans\" reaches past the response: tagged from other text?");
    CUSET_TRY(take_roles(record, roles, out));
    out.left_out.clear();
    if (wanted.drops_comments) CUSET_TRY(read_comments(record, out.left_out));
    if (wanted.takes_own() && record.has_window) {
        CUSET_TRY(check_window(record.window, record.confidence));
        const auto& w = record.window;
        out.window = {w.first, w.last, w.min};
    } else {
        out.window =
            search.hardest_of_kept(record.confidence, out.left_out, 0, record.confidence.size(),
                                   tokens_of(wanted), wanted.ends);
    }
    out.id = record.id;
    out.response = std::exchange(record.response, {});
    out.token_end = std::exchange(record.token_end, {});
    out.confidence = std::exchange(record.confidence, {});
    out.after.clear();
    out.kernel.reset();
    out.spans = std::exchange(record.spans, {});
    return {};
}

std::vector<std::pair<shown_kernel, confidence_window>> kernels_of(
    const scored_text& text, const window_search_options& wanted, window_search& search) {
    std::vector<std::pair<shown_kernel, confidence_window>> out;
    for (const tagged_span& span : text.spans) {
        if (span.kind != "kernel") continue;
        const token_range own = tokens_within(text.token_end, span.begin, span.end);
        if (own.is_empty()) continue;
        out.emplace_back(shown_kernel{span.name, span.begin, span.end, own},
                         search.hardest_of_kept(text.confidence, text.left_out, own.first, own.last,
                                                tokens_of(wanted), wanted.ends));
    }
    return out;
}

status add_second_score(scored_text& first, scored_text& second, const std::string& other) {
    const std::string who = "\"" + first.id + "\" of " + other;
    if (first.response != second.response)
        return data_error(who + " has another response: only the same pairs can be compared");
    if (first.token_end != second.token_end)
        return data_error(who + " has other tokens (" + std::to_string(second.token_end.size()) +
                          ", not " + std::to_string(first.token_end.size()) +
                          ", or other ends): only models with one tokenizer, and scores with one "
                          "--max-tokens, can be compared");
    first.after = std::exchange(second.confidence, {});
    return {};
}

}  // namespace cuset
