#include "paper.h"

#include <cmath>

#include "cuset/base/format.h"
#include "report.h"
#include "report_table.h"

namespace cuset {
namespace {

std::string direction_of(const mean_difference& difference) {
    if (difference.low > 0) return "surer of CUDA code";
    if (difference.high < 0) return "less sure of CUDA code";
    return std::isnan(difference.low) ? "-" : "no clear difference";
}

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
                       std::optional<double> threshold, table_form form) {
    report_table tokens({"sensitive by", "sensitive", "mean", "neutral", "mean", "difference",
                         "95 % over samples", "D", "p over tokens", "direction"});
    report_table windows({"sensitive by", "threshold", "samples with one", "", "hardest of each",
                          "by chance", "all low ones", "by chance", "regions", "by chance"});
    std::size_t samples = 0;
    for (std::size_t r = 0; r < readings.size(); ++r) {
        const std::string name = name_of(readings[r]);
        const confidence_summary s = summarize(statistics[r], threshold);
        const auto& neutral = s.kinds[static_cast<std::size_t>(token_kind::neutral)];
        samples = s.samples;
        tokens.add({name, std::to_string(s.sensitive.tokens), shown_confidence(s.sensitive.mean),
                    std::to_string(neutral.tokens), shown_confidence(neutral.mean),
                    shown_difference(s.difference.difference), shown_interval(s.difference),
                    s.test ? format("%.4f", s.test->d) : "-",
                    s.test ? power_of_ten(s.test->log10_p) : "-", direction_of(s.difference)});
        std::vector<std::string> row{name, shown_confidence(s.threshold)};
        if (s.windows) {
            row.push_back(shown_part(s.windows->low, s.windows->samples));
            row.push_back(shown_percent(share_of(s.windows->low, s.windows->samples)));
            row.push_back(shown_percent(share_of(s.windows->on_cuda, s.windows->windows)));
            row.push_back(shown_percent(s.windows->random_rate));
            for (const window_choice choice : {window_choice::all, window_choice::regions}) {
                const low_windows w = count_low_windows(statistics[r].kept, s.threshold, choice);
                row.push_back(shown_percent(share_of(w.on_cuda, w.windows)));
                row.push_back(shown_percent(w.random_rate));
            }
        } else {
            row.insert(row.end(), 8, "-");
        }
        windows.add(std::move(row));
        statistics[r] = {};
    }
    tokens.add({"the paper", "-", "-", "-", "-", "-", "-", "-", "4.6e-39", "surer of CUDA code"});
    windows.add({"the paper", "-", "-", "74.47 %", "-", "-", "91.18 %", "-", "-", "-"});
    std::string out;
    append_table(format("%s, %zu samples. Fig. 1: mean confidence of all sensitive and all neutral "
                        "tokens, Kolmogorov-Smirnov between them",
                        end_of(input, 200).c_str(), samples),
                 tokens, 1, form, out);
    append_table(format("%s, %zu samples. Fig. 2: samples with a low window of %zu tokens; of the "
                        "low windows, the share on CUDA code; by chance: of windows drawn from the "
                        "same samples",
                        end_of(input, 200).c_str(), samples, size),
                 windows, 1, form, out);
    return out;
}

}  // namespace cuset
