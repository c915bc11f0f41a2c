// The report for people.
#include "report.h"

#include <algorithm>
#include <cmath>

#include "cuset/base/format.h"

namespace cuset {

namespace {

const token_summary& kind_of(const confidence_summary& s, token_kind kind) {
    return s.kinds[static_cast<std::size_t>(kind)];
}

// Functions of their own: the formatter mangles lambdas that return references.
const token_summary& kernel_tokens(const confidence_summary& s) {
    return kind_of(s, token_kind::kernel);
}
const token_summary& launch_tokens(const confidence_summary& s) {
    return kind_of(s, token_kind::launch);
}
const token_summary& sensitive_tokens(const confidence_summary& s) { return s.sensitive; }
const token_summary& neutral_tokens(const confidence_summary& s) {
    return kind_of(s, token_kind::neutral);
}
const token_summary& all_tokens(const confidence_summary& s) { return s.all; }

constexpr std::array<named_tokens, 5> kinds{{{"kernel", kernel_tokens},
                                             {"launch", launch_tokens},
                                             {"sensitive", sensitive_tokens},
                                             {"neutral", neutral_tokens},
                                             {"all", all_tokens}}};

/// The name for a table.
std::string shown_name(const std::string& name) { return end_of(name, 32); }

std::vector<std::string> quantile_heading(const char* what) {
    std::vector<std::string> heading{what, "input", "count", "mean"};
    for (const double s : summary_shares) heading.push_back(format("%.0f %%", 100 * s));
    return heading;
}

std::vector<std::string> quantile_row(const std::string& name, const stats_column& column,
                                      std::uint64_t count, double mean,
                                      const std::array<double, summary_shares.size()>& quantiles) {
    std::vector<std::string> row{name, shown_name(column.input), std::to_string(count),
                                 shown_confidence(mean)};
    for (const double q : quantiles) row.push_back(shown_confidence(q));
    return row;
}

report_table quantile_table(const stats_report& report) {
    report_table table(quantile_heading("tokens"));
    const auto name_if_first = [&](const char* name, const stats_column& column) {
        return &column == report.columns.data() ? name : "";
    };
    for (const auto& kind : tokens_of(report)) {
        for (const auto& column : report.columns) {
            const token_summary& t = kind.get(column.summary);
            table.add(quantile_row(name_if_first(kind.name, column), column, t.tokens, t.mean,
                                   t.quantiles));
        }
    }
    for (const auto& column : report.columns) {
        const hardest_summary& h = column.summary.hardest;
        table.add(quantile_row(name_if_first("hardest window", column), column, h.samples, h.mean,
                               h.quantiles));
    }
    return table;
}

report_table group_table(const stats_report& report) {
    std::vector<std::string> heading = quantile_heading("role");
    for (const char* name : {"at most 0.1", "D", "difference", "95 % over samples"})
        heading.emplace_back(name);
    report_table table(std::move(heading));
    for (std::size_t group = 0; group < token_group_count; ++group) {
        bool is_first = true;
        for (const auto& column : report.columns) {
            for (const group_summary& g : column.summary.groups) {
                if (g.group != group) continue;
                auto row =
                    quantile_row(is_first ? std::string(name_of_group(group)) : std::string(),
                                 column, g.tokens.tokens, g.tokens.mean, g.tokens.quantiles);
                row.push_back(shown_percent(g.not_above_mask));
                row.push_back(g.test ? format("%.4f", g.test->d) : "-");
                row.push_back(shown_difference(g.difference.difference));
                row.push_back(shown_interval(g.difference));
                table.add(std::move(row));
                is_first = false;
            }
        }
    }
    return table;
}

bool has_groups(const stats_report& report) {
    return std::ranges::any_of(report.columns,
                               [](const auto& column) { return !column.summary.groups.empty(); });
}

report_table difference_table(const stats_report& report) {
    report_table table({"input", "difference", "95 % over samples"});
    for (const auto& column : report.columns)
        table.add({shown_name(column.input), shown_difference(column.summary.difference.difference),
                   shown_interval(column.summary.difference)});
    return table;
}

report_table test_table(const stats_report& report) {
    report_table table({"input", "D", "p", "log10 p", "at", "sensitive below", "neutral below"});
    for (const auto& column : report.columns) {
        if (const auto& test = column.summary.test) {
            table.add({shown_name(column.input), format("%.4f", test->d),
                       power_of_ten(test->log10_p), format("%.2f", test->log10_p),
                       shown_confidence(test->at), shown_percent(test->first_at_or_below),
                       shown_percent(test->second_at_or_below)});
        } else {
            table.add({shown_name(column.input), "-", "-", "-", "-", "-", "-"});
        }
    }
    return table;
}

std::string title_of_windows(const stats_report& report) {
    std::string title =
        format("low windows: %s of %zu tokens whose mean confidence is below the threshold; ",
               report.reading.ends == window_ends::full ? "full windows" : "windows", report.size);
    if (report.reading.within_cuda)
        return title +
               "those on CUDA code count; by chance: windows drawn from all of the same samples";
    switch (report.windows) {
        case window_choice::all: title += "each counts"; break;
        case window_choice::regions:
            title += "those that overlap or touch count as one region";
            break;
        default: title += "of each sample, the hardest counts";
    }
    return title + (report.windows == window_choice::regions
                        ? "; by chance: stretches as long, drawn from the same samples"
                        : "; by chance: windows drawn from the same samples");
}

report_table window_table(const stats_report& report) {
    const bool within = report.reading.within_cuda;
    const char* const counted =
        within                                     ? "low, of windows on CUDA code"
        : report.windows == window_choice::all     ? "on CUDA code, of low windows"
        : report.windows == window_choice::regions ? "on CUDA code, of low regions"
                                                   : "on CUDA code, of these";
    report_table table({"input", "threshold", "samples with one", "", counted, "", "by chance"});
    for (const auto& column : report.columns) {
        const std::string name = shown_name(column.input);
        const std::string threshold = shown_confidence(column.summary.threshold);
        const auto row = [&](std::uint64_t low, std::uint64_t samples, std::uint64_t some,
                             std::uint64_t all, double chance) {
            table.add({name, threshold, shown_part(low, samples),
                       shown_percent(share_of(low, samples)), shown_part(some, all),
                       shown_percent(share_of(some, all)), shown_percent(chance)});
        };
        if (const auto& w = column.summary.windows)
            row(w->low, w->samples, w->on_cuda, w->windows, w->random_rate);
        else if (const auto& c = column.summary.on_cuda)
            row(c->low, c->samples, c->below, c->windows, c->random_rate);
        else
            table.add({name, "-", "-", "-", "-", "-", "-"});
    }
    return table;
}

report_table paired_table(const stats_report& report) {
    report_table table(
        {"mean confidence", "input", "pairs", "first", "this", "difference", "95 % over samples"});
    for (const auto& [name, get] : paired_means) {
        bool is_first = true;
        for (const auto& column : report.columns) {
            if (!column.summary.paired) continue;
            const paired_mean& mean = (*column.summary.paired).*get;
            const std::string shown =
                name == std::string("hardest_window") ? "hardest window" : name;
            table.add({is_first ? shown : "", shown_name(column.input),
                       std::to_string(column.summary.paired->pairs), shown_confidence(mean.first),
                       shown_confidence(mean.second), shown_difference(mean.change.difference),
                       shown_interval(mean.change)});
            is_first = false;
        }
    }
    return table;
}

report_table density_table(const stats_report& report) {
    constexpr std::size_t rows = 10, bins = confidence_counts::density_bins / rows;
    std::vector<std::string> heading{"confidence"};
    for (std::size_t i = 0; i < report.columns.size(); ++i) {
        const std::string number =
            report.columns.size() > 1 ? ' ' + std::to_string(i + 1) : std::string();
        heading.push_back("sensitive" + number);
        heading.push_back("neutral" + number);
    }
    report_table table(std::move(heading));
    for (std::size_t r = 0; r < rows; ++r) {
        std::vector<std::string> row{format("%.1f to %.1f", static_cast<double>(r) / rows,
                                            static_cast<double>(r + 1) / rows)};
        for (const auto& column : report.columns) {
            for (const auto* tokens :
                 {&column.summary.sensitive, &kind_of(column.summary, token_kind::neutral)}) {
                double sum = 0;
                for (std::size_t b = 0; b < bins && !tokens->density.empty(); ++b)
                    sum += tokens->density[r * bins + b];
                row.push_back(tokens->tokens > 0 ? format("%.3f", sum / bins) : "-");
            }
        }
        table.add(std::move(row));
    }
    return table;
}

}  // namespace

std::span<const named_tokens> tokens_of(const stats_report& report) {
    return std::span(kinds).subspan(report.reading.by_roles ? 2 : 0);
}

double share_of(std::uint64_t part, std::uint64_t whole) {
    return whole > 0 ? static_cast<double>(part) / static_cast<double>(whole) : NAN;
}

std::string name_of(const stats_reading& reading) {
    const std::string by = reading.by_roles ? "roles" : "spans";
    switch (reading.comments) {
        case comment_use::neutral: return by + ", comments neutral";
        case comment_use::drop: return by + ", comments dropped";
        default: return by + ", comments where they stand";
    }
}

void append_table(const std::string& title, const report_table& table, std::size_t left,
                  table_form form, std::string& out) {
    if (!out.empty()) out += '\n';
    switch (form) {
        case table_form::text: out += title + '\n'; break;
        case table_form::markdown: out += "**" + escaped_for_markdown(title) + "**\n\n"; break;
        case table_form::latex: out += "% " + title + '\n';
    }
    table.append(form, out, left);
}

std::string shown_confidence(double confidence) {
    if (std::isnan(confidence)) return "-";
    return format(confidence > 0 && confidence < 0.001 ? "%.1e" : "%.4f", confidence);
}

std::string shown_percent(double share) {
    return std::isnan(share) ? "-" : format("%.2f %%", 100 * share);
}

std::string shown_part(std::uint64_t part, std::uint64_t whole) {
    return format("%llu of %llu", static_cast<unsigned long long>(part),
                  static_cast<unsigned long long>(whole));
}

std::string shown_difference(double difference) {
    return std::isnan(difference) ? "-" : format("%+.4f", difference);
}

std::string shown_interval(const mean_difference& difference) {
    if (std::isnan(difference.low)) return "-";
    return format("%+.4f to %+.4f", difference.low, difference.high);
}

std::string end_of(const std::string& text, std::size_t most) {
    if (text.size() <= most) return text;
    std::size_t from = text.size() - most + 3;
    while (from < text.size() && (static_cast<unsigned char>(text[from]) & 0xC0) == 0x80) ++from;
    return "..." + text.substr(from);
}

std::string power_of_ten(double log10) {
    if (log10 > -300) return format(log10 > -3 ? "%.3f" : "%.1e", std::pow(10, log10));
    double exponent = std::floor(log10), mantissa = std::pow(10, log10 - exponent);
    if (mantissa >= 9.95) mantissa = 1, ++exponent;
    return format("%.1fe%.0f", mantissa, exponent);
}

std::string to_text(const stats_report& report, table_form form) {
    std::string out;
    report_table inputs({"input", "samples", "tokens"});
    for (const auto& column : report.columns)
        inputs.add({shown_name(column.input), std::to_string(column.summary.samples),
                    std::to_string(column.summary.all.tokens)});
    append_table("sensitive tokens by " + name_of(report.reading), inputs, 1, form, out);
    append_table(format("confidence of all tokens of each kind; and, over samples, the mean "
                        "confidence of the hardest window%s",
                        report.reading.within_cuda ? " on CUDA code" : ""),
                 quantile_table(report), 2, form, out);
    if (has_groups(report))
        append_table(
            "confidence of all tokens of each role, the share of at most 0.1, and D and the "
            "difference of the mean from all other tokens",
            group_table(report), 2, form, out);
    append_table("mean confidence of all sensitive tokens less that of all neutral ones",
                 difference_table(report), 1, form, out);
    append_table(
        "all sensitive against all neutral tokens: Kolmogorov-Smirnov, two-sided, asymptotic",
        test_table(report), 1, form, out);
    append_table(title_of_windows(report), window_table(report), 1, form, out);
    if (report.columns.size() > 1)
        append_table("differences from the first input, over the samples that both have",
                     paired_table(report), 2, form, out);
    append_table("density of all sensitive and all neutral tokens", density_table(report), 1, form,
                 out);
    return out;
}

}  // namespace cuset
