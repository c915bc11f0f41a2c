// The figures of cuset-stats as TSV and JSON.
#include <algorithm>
#include <cmath>
#include <functional>

#include "cuset/base/format.h"
#include "cuset/stream/json_writer.h"
#include "report.h"

namespace cuset {

namespace {

constexpr int digits = 15;

using quantiles = std::array<double, summary_shares.size()>;

/// A line of the TSV: the name of a figure, and how to get it.
struct figure {
    std::string name;
    std::function<double(const confidence_summary&)> get;
};

class figure_list {
public:
    explicit figure_list(const stats_report& report) : report_(report) {
        all_.push_back({"samples", [](const auto& s) { return number(s.samples); }});
        all_.push_back({"tokens", [](const auto& s) { return number(s.all.tokens); }});
        for (const auto& kind : tokens_of(report)) add_tokens(kind);
        add_hardest();
        add_test();
        add_difference("difference", [](const auto& s) { return s.difference; });
        add_windows();
        add_roles();
        if (report.columns.size() > 1) add_pairs();
        for (const auto& kind : tokens_of(report)) add_density(kind);
    }

    const std::vector<figure>& all() const { return all_; }

private:
    static double number(std::uint64_t count) { return static_cast<double>(count); }

    static std::string name_of_share(std::size_t i) {
        return format("q%02.0f", 100 * summary_shares[i]);
    }

    void add_tokens(const named_tokens& kind) {
        const std::string name = kind.name;
        all_.push_back(
            {name + "_tokens", [=](const auto& s) { return number(kind.get(s).tokens); }});
        all_.push_back({name + "_mean", [=](const auto& s) { return kind.get(s).mean; }});
        for (std::size_t i = 0; i < summary_shares.size(); ++i)
            all_.push_back({name + '_' + name_of_share(i),
                            [=](const auto& s) { return kind.get(s).quantiles[i]; }});
    }

    void add_hardest() {
        all_.push_back(
            {"hardest_window_samples", [](const auto& s) { return number(s.hardest.samples); }});
        all_.push_back({"hardest_window_mean", [](const auto& s) { return s.hardest.mean; }});
        for (std::size_t i = 0; i < summary_shares.size(); ++i)
            all_.push_back({"hardest_window_" + name_of_share(i),
                            [=](const auto& s) { return s.hardest.quantiles[i]; }});
    }

    void add_test() {
        const auto test = [&](const char* name, double kolmogorov_smirnov::*get) {
            all_.push_back(
                {name, [get](const auto& s) { return s.test ? (*s.test).*get : double{NAN}; }});
        };
        test("ks_d", &kolmogorov_smirnov::d);
        test("ks_at", &kolmogorov_smirnov::at);
        test("ks_sensitive_at_or_below", &kolmogorov_smirnov::first_at_or_below);
        test("ks_neutral_at_or_below", &kolmogorov_smirnov::second_at_or_below);
        test("ks_z", &kolmogorov_smirnov::z);
        test("ks_p", &kolmogorov_smirnov::p);
        test("ks_log10_p", &kolmogorov_smirnov::log10_p);
    }

    /// `of` gives the mean_difference of a summary.
    template <class Getter>
    void add_difference(const std::string& name, Getter get) {
        all_.push_back({name, [=](const auto& s) { return get(s).difference; }});
        all_.push_back({name + "_low", [=](const auto& s) { return get(s).low; }});
        all_.push_back({name + "_high", [=](const auto& s) { return get(s).high; }});
    }

    template <class Getter>
    void add_low(const char* name, Getter get) {
        all_.push_back(
            {name, [get](const auto& s) { return s.windows ? get(*s.windows) : double{NAN}; }});
    }

    template <class Getter>
    void add_within(const char* name, Getter get) {
        all_.push_back(
            {name, [get](const auto& s) { return s.on_cuda ? get(*s.on_cuda) : double{NAN}; }});
    }

    void add_windows() {
        all_.push_back(
            {"window_size", [size = report_.size](const auto&) { return number(size); }});
        all_.push_back({"window_threshold", [](const auto& s) { return s.threshold; }});
        if (report_.reading.within_cuda) {
            add_within("low_samples", [](const auto& w) { return number(w.low); });
            add_within("low_share", [](const auto& w) { return share_of(w.low, w.samples); });
            add_within("cuda_windows", [](const auto& w) { return number(w.windows); });
            add_within("cuda_low", [](const auto& w) { return number(w.below); });
            add_within("cuda_low_share",
                       [](const auto& w) { return share_of(w.below, w.windows); });
            add_within("cuda_low_by_chance", [](const auto& w) { return w.random_rate; });
            return;
        }
        add_low("low_samples", [](const auto& w) { return number(w.low); });
        add_low("low_share", [](const auto& w) { return share_of(w.low, w.samples); });
        add_low("low_windows", [](const auto& w) { return number(w.windows); });
        add_low("low_on_cuda", [](const auto& w) { return number(w.on_cuda); });
        add_low("low_on_cuda_share", [](const auto& w) { return share_of(w.on_cuda, w.windows); });
        add_low("low_on_cuda_by_chance", [](const auto& w) { return w.random_rate; });
    }

    static const group_summary* find(const confidence_summary& s, std::size_t group) {
        const auto found = std::ranges::find(s.groups, group, &group_summary::group);
        return found == s.groups.end() ? nullptr : &*found;
    }

    void add_roles() {
        for (std::size_t group = 0; group < token_group_count; ++group) {
            if (std::ranges::none_of(report_.columns,
                                     [=](const auto& c) { return find(c.summary, group); }))
                continue;
            const std::string name = "role_" + std::string(name_of_group(group)) + '_';
            const auto add = [&](const std::string& what, auto get) {
                all_.push_back({name + what, [=](const auto& s) {
                                    const group_summary* const g = find(s, group);
                                    return g ? get(*g) : double{NAN};
                                }});
            };
            add("tokens", [](const auto& g) { return number(g.tokens.tokens); });
            add("mean", [](const auto& g) { return g.tokens.mean; });
            for (std::size_t i = 0; i < summary_shares.size(); ++i)
                add(name_of_share(i), [=](const auto& g) { return g.tokens.quantiles[i]; });
            add("not_above_mask", [](const auto& g) { return g.not_above_mask; });
            add("ks_d", [](const auto& g) { return g.test ? g.test->d : double{NAN}; });
            add("difference", [](const auto& g) { return g.difference.difference; });
            add("difference_low", [](const auto& g) { return g.difference.low; });
            add("difference_high", [](const auto& g) { return g.difference.high; });
        }
    }

    void add_pairs() {
        const auto add = [&](const std::string& name, auto get) {
            all_.push_back(
                {name, [=](const auto& s) { return s.paired ? get(*s.paired) : double{NAN}; }});
        };
        add("paired_samples", [](const auto& p) { return number(p.pairs); });
        for (const auto& [name, mean] : paired_means) {
            const std::string begin = "paired_" + std::string(name);
            add(begin + "_first", [mean = mean](const auto& p) { return (p.*mean).first; });
            add(begin, [mean = mean](const auto& p) { return (p.*mean).second; });
            add(begin + "_difference",
                [mean = mean](const auto& p) { return (p.*mean).change.difference; });
            add(begin + "_difference_low",
                [mean = mean](const auto& p) { return (p.*mean).change.low; });
            add(begin + "_difference_high",
                [mean = mean](const auto& p) { return (p.*mean).change.high; });
        }
    }

    void add_density(const named_tokens& kind) {
        if (kind.name != std::string_view("sensitive") && kind.name != std::string_view("neutral"))
            return;
        for (std::size_t b = 0; b < confidence_counts::density_bins; ++b)
            all_.push_back({format("density_%s_%.2f", kind.name,
                                   static_cast<double>(b) / confidence_counts::density_bins),
                            [kind, b](const auto& s) {
                                const auto& density = kind.get(s).density;
                                return density.empty() ? double{NAN} : density[b];
                            }});
    }

    const stats_report& report_;
    std::vector<figure> all_;
};

void write_quantiles(double mean, const quantiles& values, json_writer& json) {
    json.member("mean", mean, digits).key("quantiles").begin_object();
    for (std::size_t i = 0; i < summary_shares.size(); ++i)
        json.member(format("%g", summary_shares[i]), values[i], digits);
    json.end_object();
}

void write_tokens(const named_tokens& kind, const confidence_summary& s, json_writer& json) {
    const token_summary& tokens = kind.get(s);
    json.key(kind.name).begin_object().member("tokens", tokens.tokens);
    write_quantiles(tokens.mean, tokens.quantiles, json);
    json.key("density");
    if (tokens.density.empty())
        json.null();
    else
        json.values(tokens.density, digits);
    json.end_object();
}

void write_difference(const mean_difference& d, json_writer& json) {
    json.key("difference").begin_object().member("mean", d.difference, digits);
    json.member("low", d.low, digits).member("high", d.high, digits).end_object();
}

void write_test(const std::optional<kolmogorov_smirnov>& test, json_writer& json) {
    json.key("test");
    if (!test) return void(json.null());
    json.begin_object().member("d", test->d, digits).member("at", test->at, digits);
    json.member("sensitive_at_or_below", test->first_at_or_below, digits);
    json.member("neutral_at_or_below", test->second_at_or_below, digits);
    json.member("z", test->z, digits).member("p", test->p, digits);
    json.member("log10_p", test->log10_p, digits).end_object();
}

void write_groups(const std::vector<group_summary>& groups, json_writer& json) {
    json.key("roles").begin_object();
    for (const group_summary& g : groups) {
        json.key(name_of_group(g.group)).begin_object().member("tokens", g.tokens.tokens);
        write_quantiles(g.tokens.mean, g.tokens.quantiles, json);
        json.member("not_above_mask", g.not_above_mask, digits).key("d");
        if (g.test)
            json.value(g.test->d, digits);
        else
            json.null();
        write_difference(g.difference, json);
        json.end_object();
    }
    json.end_object();
}

void write_windows(const confidence_summary& s, json_writer& json) {
    json.key("windows");
    if (!s.windows && !s.on_cuda) return void(json.null());
    json.begin_object().member("threshold", s.threshold, digits);
    if (const auto& w = s.windows) {
        json.member("low_samples", w->low);
        json.member("low_share", share_of(w->low, w->samples), digits);
        json.member("low_windows", w->windows).member("low_on_cuda", w->on_cuda);
        json.member("low_on_cuda_share", share_of(w->on_cuda, w->windows), digits);
        json.member("low_on_cuda_by_chance", w->random_rate, digits);
    } else {
        const low_on_cuda& c = *s.on_cuda;
        json.member("low_samples", c.low);
        json.member("low_share", share_of(c.low, c.samples), digits);
        json.member("cuda_windows", c.windows).member("cuda_low", c.below);
        json.member("cuda_low_share", share_of(c.below, c.windows), digits);
        json.member("cuda_low_by_chance", c.random_rate, digits);
    }
    json.end_object();
}

void write_pairs(const paired_summary& pairs, json_writer& json) {
    json.key("from_first").begin_object().member("pairs", pairs.pairs);
    for (const auto& [name, mean] : paired_means) {
        json.key(name).begin_object().member("first", (pairs.*mean).first, digits);
        json.member("this", (pairs.*mean).second, digits);
        write_difference((pairs.*mean).change, json);
        json.end_object();
    }
    json.end_object();
}

void write_column(const stats_report& report, const stats_column& column, json_writer& json) {
    const confidence_summary& s = column.summary;
    json.begin_object().member("input", column.input);
    json.member("samples", s.samples).member("tokens", s.all.tokens);
    for (const auto& kind : tokens_of(report)) write_tokens(kind, s, json);
    json.key("hardest_window").begin_object().member("samples", s.hardest.samples);
    write_quantiles(s.hardest.mean, s.hardest.quantiles, json);
    json.end_object();
    write_test(s.test, json);
    write_difference(s.difference, json);
    if (!s.groups.empty()) write_groups(s.groups, json);
    write_windows(s, json);
    if (s.paired) write_pairs(*s.paired, json);
    json.end_object();
}

const char* word_of(window_choice choice) {
    return choice == window_choice::all       ? "all"
           : choice == window_choice::regions ? "regions"
                                              : "hardest";
}

const char* word_of(comment_use use) {
    return use == comment_use::drop      ? "drop"
           : use == comment_use::neutral ? "neutral"
                                         : "sensitive";
}

}  // namespace

std::string to_tsv(const stats_report& report) {
    std::string out = "figure";
    for (const auto& column : report.columns) out += '\t' + column.input;
    out += '\n';
    const figure_list figures(report);
    for (const figure& f : figures.all()) {
        out += f.name;
        for (const auto& column : report.columns) {
            const double value = f.get(column.summary);
            out += '\t' + (std::isfinite(value) ? json_of(value, digits) : "NA");
        }
        out += '\n';
    }
    return out;
}

std::string to_json(const stats_report& report) {
    std::string out;
    json_writer json(out);
    json.begin_object().member("size", report.size);
    json.member("by", report.reading.by_roles ? "roles" : "spans");
    json.member("comments", word_of(report.reading.comments));
    json.member("windows", word_of(report.windows));
    json.member("full", report.reading.ends == window_ends::full);
    json.member("within", report.reading.within_cuda ? "cuda" : "all");
    json.key("inputs").begin_array();
    for (const auto& column : report.columns) write_column(report, column, json);
    json.end_array().end_object();
    return out + '\n';
}

}  // namespace cuset
