#include "stats_paper.h"

#include <cmath>

#include "cuset/base/format.h"
#include "report_table.h"
#include "stats_report.h"

namespace cuset {
namespace {

std::string name_of_reading(const stats_reading& reading) {
    const std::string by = reading.by_roles ? "roles" : "spans";
    switch (reading.comments) {
        case comment_use::neutral: return by + ", comments neutral";
        case comment_use::drop: return by + ", comments dropped";
        default: return by + ", comments where they stand";
    }
}

std::string direction_of(const mean_difference& difference) {
    if (difference.low > 0) return "surer of CUDA code";
    if (difference.high < 0) return "less sure of CUDA code";
    return std::isnan(difference.low) ? "-" : "no clear difference";
}

std::string percent(double value) {
    return std::isnan(value) ? "-" : format("%.2f %%", 100 * value);
}

std::string share(std::uint64_t part, std::uint64_t whole) {
    return percent(whole > 0 ? static_cast<double>(part) / static_cast<double>(whole) : NAN);
}

std::string mean(double value) { return std::isnan(value) ? "-" : format("%.4f", value); }

}  // namespace

std::vector<stats_reading> readings_of_paper(const stats_reading& common) {
    std::vector<stats_reading> all;
    for (const bool by_roles : {false, true}) {
        for (const comment_use comments :
             {comment_use::where_they_stand, comment_use::neutral, comment_use::drop}) {
            if (by_roles && comments == comment_use::where_they_stand) continue;
            stats_reading reading = common;
            reading.by_roles = by_roles;
            reading.comments = comments;
            all.push_back(reading);
        }
    }
    return all;
}

std::string paper_text(const std::string& input, std::size_t size,
                       const std::vector<stats_reading>& readings,
                       std::vector<confidence_statistics>& statistics,
                       std::optional<double> threshold) {
    report_table tokens({"sensitive by", "sensitive", "mean", "neutral", "mean", "difference",
                         "95 % over samples", "D", "p over tokens", "direction"});
    report_table windows({"sensitive by", "threshold", "samples with one", "hardest on CUDA",
                          "by chance", "all low on CUDA", "by chance", "regions on CUDA",
                          "by chance"});
    std::size_t samples = 0;
    for (std::size_t r = 0; r < readings.size(); ++r) {
        const std::string name = name_of_reading(readings[r]);
        const confidence_summary s = summarize(statistics[r], threshold);
        const auto& neutral = s.kinds[static_cast<std::size_t>(token_kind::neutral)];
        samples = s.samples;
        tokens.add({name, std::to_string(s.sensitive.tokens), mean(s.sensitive.mean),
                    std::to_string(neutral.tokens), mean(neutral.mean),
                    shown_difference(s.difference.difference), shown_interval(s.difference),
                    s.test ? format("%.4f", s.test->d) : "-",
                    s.test ? power_of_ten(s.test->log10_p) : "-", direction_of(s.difference)});
        std::vector<std::string> row{name, mean(s.threshold)};
        if (s.windows) {
            row.push_back(format("%llu of %llu", static_cast<unsigned long long>(s.windows->low),
                                 static_cast<unsigned long long>(s.windows->samples)));
            row.push_back(share(s.windows->on_cuda, s.windows->windows));
            row.push_back(percent(s.windows->random_rate));
            for (const window_choice choice : {window_choice::all, window_choice::regions}) {
                const low_windows w =
                    count_low_windows(statistics[r].kept, s.threshold, choice, false);
                row.push_back(share(w.on_cuda, w.windows));
                row.push_back(percent(w.random_rate));
            }
        } else {
            row.insert(row.end(), 7, "-");
        }
        windows.add(std::move(row));
        statistics[r] = {};
    }
    tokens.add({"the paper", "-", "-", "-", "-", "-", "-", "-", "4.6e-39", "surer of CUDA code"});
    windows.add({"the paper", "-", "74.47 %", "-", "-", "91.18 %", "-", "-", "-"});
    std::string out = format("%s: %zu samples\n\n", input.c_str(), samples);
    out += "Fig. 1: mean confidence of sensitive and neutral tokens, Kolmogorov-Smirnov\n";
    tokens.append_text(out, 1);
    out += format(
        "\nFig. 2: low windows of %zu tokens; of all shares \"by chance\" is that of windows "
        "drawn at random\n",
        size);
    windows.append_text(out, 1);
    out += '\n';
    return out;
}

}  // namespace cuset
