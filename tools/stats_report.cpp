// The figures as text, TSV and JSON.
#include "stats_report.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <functional>

#include "cuset/base/format.h"
#include "cuset/stream/json_writer.h"
#include "report_table.h"

namespace cuset {

namespace {

constexpr int digits = 15;

struct named_tokens {
    const char* name;
    const token_summary& (*of)(const confidence_summary&);
};

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

constexpr std::array<named_tokens, 4> kinds{{{"kernel", kernel_tokens},
                                             {"launch", launch_tokens},
                                             {"sensitive", sensitive_tokens},
                                             {"neutral", neutral_tokens}}};

std::uint64_t tokens_of(const confidence_summary& s) {
    return s.sensitive.tokens + kind_of(s, token_kind::neutral).tokens;
}

double share(std::uint64_t part, std::uint64_t whole) {
    return whole > 0 ? static_cast<double>(part) / static_cast<double>(whole) : NAN;
}

// --- Text ---------------------------------------------------------------------------------------

/// The name for a table.
std::string shown_name(const std::string& name) { return end_of(name, 32); }

std::string shown(double confidence) {
    if (std::isnan(confidence)) return "-";
    return format(confidence > 0 && confidence < 0.001 ? "%.1e" : "%.4f", confidence);
}

std::string percent(double value) {
    return std::isnan(value) ? "-" : format("%.2f %%", 100 * value);
}

std::string part(std::uint64_t some, std::uint64_t all) {
    return format("%llu of %llu", static_cast<unsigned long long>(some),
                  static_cast<unsigned long long>(all));
}

report_table quantile_table(const stats_report& report) {
    std::vector<std::string> heading{"tokens", "input", "count", "mean"};
    for (const double s : summary_shares) heading.push_back(format("%.0f %%", 100 * s));
    report_table table(std::move(heading));
    for (const auto& kind : kinds) {
        for (const auto& column : report.columns) {
            const token_summary& tokens = kind.of(column.summary);
            std::vector<std::string> row{&column == report.columns.data() ? kind.name : "",
                                         shown_name(column.input), std::to_string(tokens.tokens),
                                         shown(tokens.mean)};
            for (const double q : tokens.quantiles) row.push_back(shown(q));
            table.add(std::move(row));
        }
    }
    return table;
}

report_table group_table(const stats_report& report) {
    std::vector<std::string> heading{"role", "input", "count", "mean"};
    for (const double s : summary_shares) heading.push_back(format("%.0f %%", 100 * s));
    for (const char* name : {"at most 0.1", "D", "from the rest", "95 % over samples"})
        heading.emplace_back(name);
    report_table table(std::move(heading));
    for (std::size_t group = 0; group < token_group_count; ++group) {
        bool is_first = true;
        for (const auto& column : report.columns) {
            for (const group_summary& g : column.summary.groups) {
                if (g.group != group) continue;
                std::vector<std::string> row{
                    is_first ? std::string(name_of_group(group)) : std::string(),
                    shown_name(column.input), std::to_string(g.tokens.tokens),
                    shown(g.tokens.mean)};
                for (const double q : g.tokens.quantiles) row.push_back(shown(q));
                row.push_back(percent(g.not_above_mask));
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

/// What the share of windows on CUDA code is taken of.
std::string counted_windows(const stats_report& report) {
    switch (report.windows) {
        case window_choice::all: return "of all low windows, on CUDA code";
        case window_choice::regions: return "of the low regions, on CUDA code";
        default: return "of those on CUDA code";
    }
}

report_table test_table(const stats_report& report) {
    report_table table({"input", "D", "p", "log10 p", "at", "sensitive below", "neutral below"});
    for (const auto& column : report.columns) {
        if (const auto& test = column.summary.test) {
            table.add({shown_name(column.input), format("%.4f", test->d),
                       power_of_ten(test->log10_p), format("%.2f", test->log10_p), shown(test->at),
                       percent(test->first_at_or_below), percent(test->second_at_or_below)});
        } else {
            table.add({shown_name(column.input), "-", "-", "-", "-", "-", "-"});
        }
    }
    return table;
}

report_table window_table(const stats_report& report) {
    report_table table(
        {"input", "threshold", "samples with one", "", counted_windows(report), "", "by chance"});
    for (const auto& column : report.columns) {
        const std::string name = shown_name(column.input);
        if (const auto& w = column.summary.windows) {
            table.add({name, shown(column.summary.threshold), part(w->low, w->samples),
                       percent(share(w->low, w->samples)), part(w->on_cuda, w->windows),
                       percent(share(w->on_cuda, w->windows)), percent(w->random_rate)});
        } else {
            table.add({name, "-", "-", "-", "-", "-", "-"});
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

// --- TSV and JSON -------------------------------------------------------------------------------

/// A line of the TSV: the name of a figure, and how to get it.
struct figure {
    std::string name;
    std::function<double(const confidence_summary&)> of;
};

template <class Of>
double of_test(const confidence_summary& s, Of of) {
    return s.test ? of(*s.test) : NAN;
}

template <class Of>
double of_windows(const confidence_summary& s, Of of) {
    return s.windows ? of(*s.windows) : NAN;
}

std::vector<figure> figures(const stats_report& report) {
    using summary = confidence_summary;
    std::vector<figure> all{
        {"samples", [](const summary& s) { return static_cast<double>(s.samples); }},
        {"tokens", [](const summary& s) { return static_cast<double>(tokens_of(s)); }}};
    for (const auto& kind : kinds) {
        const auto add = [&](const std::string& name, auto of) {
            all.push_back(
                {kind.name + ('_' + name), [=](const summary& s) { return of(kind.of(s)); }});
        };
        add("tokens", [](const token_summary& t) { return static_cast<double>(t.tokens); });
        add("mean", [](const token_summary& t) { return t.mean; });
        for (std::size_t i = 0; i < summary_shares.size(); ++i)
            add(format("q%02.0f", 100 * summary_shares[i]),
                [i](const token_summary& t) { return t.quantiles[i]; });
    }
    const auto test = [&](const char* name, auto of) {
        all.push_back({name, [of](const summary& s) { return of_test(s, of); }});
    };
    using ks = kolmogorov_smirnov;
    test("ks_d", [](const ks& t) { return t.d; });
    test("ks_at", [](const ks& t) { return t.at; });
    test("ks_sensitive_at_or_below", [](const ks& t) { return t.first_at_or_below; });
    test("ks_neutral_at_or_below", [](const ks& t) { return t.second_at_or_below; });
    test("ks_z", [](const ks& t) { return t.z; });
    test("ks_p", [](const ks& t) { return t.p; });
    test("ks_log10_p", [](const ks& t) { return t.log10_p; });
    all.push_back({"window_size",
                   [size = report.size](const summary&) { return static_cast<double>(size); }});
    all.push_back({"window_threshold", [](const summary& s) { return s.threshold; }});
    const auto windows = [&](const char* name, auto of) {
        all.push_back({name, [of](const summary& s) { return of_windows(s, of); }});
    };
    windows("low_samples", [](const low_windows& w) { return static_cast<double>(w.low); });
    windows("low_share", [](const low_windows& w) { return share(w.low, w.samples); });
    windows("low_windows", [](const low_windows& w) { return static_cast<double>(w.windows); });
    windows("low_on_cuda", [](const low_windows& w) { return static_cast<double>(w.on_cuda); });
    windows("low_on_cuda_share", [](const low_windows& w) { return share(w.on_cuda, w.windows); });
    windows("low_on_cuda_by_chance", [](const low_windows& w) { return w.random_rate; });
    const auto difference = [&](const char* name, double mean_difference::*member) {
        all.push_back({name, [member](const summary& s) { return s.difference.*member; }});
    };
    difference("difference", &mean_difference::difference);
    difference("difference_low", &mean_difference::low);
    difference("difference_high", &mean_difference::high);
    for (std::size_t group = 0; has_groups(report) && group < token_group_count; ++group) {
        const auto add = [&](const char* name, auto of) {
            all.push_back({"role_" + std::string(name_of_group(group)) + '_' + name,
                           [group, of](const summary& s) {
                               for (const group_summary& g : s.groups)
                                   if (g.group == group) return of(g);
                               return static_cast<double>(NAN);
                           }});
        };
        using role = group_summary;
        add("tokens", [](const role& g) { return static_cast<double>(g.tokens.tokens); });
        add("mean", [](const role& g) { return g.tokens.mean; });
        for (std::size_t i = 0; i < summary_shares.size(); ++i)
            add(format("q%02.0f", 100 * summary_shares[i]).c_str(),
                [i](const role& g) { return g.tokens.quantiles[i]; });
        add("not_above_mask", [](const role& g) { return g.not_above_mask; });
        add("ks_d", [](const role& g) { return g.test ? g.test->d : NAN; });
        add("difference", [](const role& g) { return g.difference.difference; });
        add("difference_low", [](const role& g) { return g.difference.low; });
        add("difference_high", [](const role& g) { return g.difference.high; });
    }
    for (const auto& kind : {kinds[2], kinds[3]})
        for (std::size_t b = 0; b < confidence_counts::density_bins; ++b)
            all.push_back({format("density_%s_%.2f", kind.name,
                                  static_cast<double>(b) / confidence_counts::density_bins),
                           [kind, b](const summary& s) {
                               const auto& density = kind.of(s).density;
                               return density.empty() ? NAN : density[b];
                           }});
    return all;
}

void write_tokens(const named_tokens& kind, const confidence_summary& s, json_writer& json) {
    const token_summary& tokens = kind.of(s);
    json.key(kind.name).begin_object().member("tokens", tokens.tokens);
    json.member("mean", tokens.mean, digits).key("quantiles").begin_object();
    for (std::size_t i = 0; i < summary_shares.size(); ++i)
        json.member(format("%g", summary_shares[i]), tokens.quantiles[i], digits);
    json.end_object().key("density");
    if (tokens.density.empty())
        json.null();
    else
        json.values(tokens.density, digits);
    json.end_object();
}

void write_difference(const mean_difference& d, json_writer& json) {
    json.begin_object().member("mean", d.difference, digits);
    json.member("low", d.low, digits).member("high", d.high, digits).end_object();
}

void write_groups(const std::vector<group_summary>& groups, json_writer& json) {
    json.key("roles").begin_object();
    for (const group_summary& g : groups) {
        json.key(name_of_group(g.group)).begin_object().member("tokens", g.tokens.tokens);
        json.member("mean", g.tokens.mean, digits).key("quantiles").begin_object();
        for (std::size_t i = 0; i < summary_shares.size(); ++i)
            json.member(format("%g", summary_shares[i]), g.tokens.quantiles[i], digits);
        json.end_object().member("not_above_mask", g.not_above_mask, digits);
        if (g.test)
            json.member("d", g.test->d, digits);
        else
            json.key("d").null();
        json.key("difference");
        write_difference(g.difference, json);
        json.end_object();
    }
    json.end_object();
}

void write_column(const stats_column& column, json_writer& json) {
    const confidence_summary& s = column.summary;
    json.begin_object().member("input", column.input);
    json.member("samples", s.samples).member("tokens", tokens_of(s));
    for (const auto& kind : kinds) write_tokens(kind, s, json);
    json.key("test");
    if (const auto& test = s.test) {
        json.begin_object().member("d", test->d, digits).member("at", test->at, digits);
        json.member("sensitive_at_or_below", test->first_at_or_below, digits);
        json.member("neutral_at_or_below", test->second_at_or_below, digits);
        json.member("z", test->z, digits).member("p", test->p, digits);
        json.member("log10_p", test->log10_p, digits).end_object();
    } else {
        json.null();
    }
    json.key("difference");
    write_difference(s.difference, json);
    if (!s.groups.empty()) write_groups(s.groups, json);
    json.key("windows");
    if (const auto& w = s.windows) {
        json.begin_object().member("threshold", s.threshold, digits);
        json.member("low_samples", w->low);
        json.member("low_share", share(w->low, w->samples), digits);
        json.member("low_windows", w->windows);
        json.member("low_on_cuda", w->on_cuda);
        json.member("low_on_cuda_share", share(w->on_cuda, w->windows), digits);
        json.member("low_on_cuda_by_chance", w->random_rate, digits).end_object();
    } else {
        json.null();
    }
    json.end_object();
}

}  // namespace

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

std::string to_text(const stats_report& report) {
    std::string out;
    report_table inputs({"input", "samples", "tokens"});
    for (const auto& column : report.columns)
        inputs.add({shown_name(column.input), std::to_string(column.summary.samples),
                    std::to_string(tokens_of(column.summary))});
    inputs.append_text(out, 1);
    out += "\nmean confidence and quantiles\n";
    quantile_table(report).append_text(out, 2);
    if (has_groups(report)) {
        out += "\nby role: confidence, and how far the mean is from that of all other tokens\n";
        group_table(report).append_text(out, 2);
    }
    out += "\nmean confidence of sensitive tokens less that of neutral ones\n";
    difference_table(report).append_text(out, 1);
    out += "\nsensitive against neutral tokens: Kolmogorov-Smirnov, two-sided, asymptotic\n";
    test_table(report).append_text(out, 1);
    out += format("\nlow windows of %zu tokens", report.size);
    if (report.reading.ends == window_ends::full) out += ", none clipped";
    if (report.reading.within_cuda) out += ", on CUDA code";
    out += report.windows == window_choice::hardest ? "; the hardest of each sample is counted\n"
           : report.windows == window_choice::all
               ? "; each is counted\n"
               : "; those that overlap or touch are counted as one\n";
    window_table(report).append_text(out, 1);
    out += "\ndensity\n";
    density_table(report).append_text(out, 1);
    return out;
}

std::string to_tsv(const stats_report& report) {
    std::string out = "figure";
    for (const auto& column : report.columns) out += '\t' + column.input;
    out += '\n';
    for (const figure& f : figures(report)) {
        out += f.name;
        for (const auto& column : report.columns) {
            const double value = f.of(column.summary);
            out += '\t' + (std::isfinite(value) ? json_of(value, digits) : "NA");
        }
        out += '\n';
    }
    return out;
}

std::string to_json(const stats_report& report) {
    std::string out;
    json_writer json(out);
    json.begin_object().member("size", report.size).key("inputs").begin_array();
    for (const auto& column : report.columns) write_column(column, json);
    json.end_array().end_object();
    return out + '\n';
}

}  // namespace cuset
