#include "cuset/judge/verdict.h"

#include <simdjson.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <iterator>

#include "cuset/base/visible_text.h"
#include "cuset/stream/json_writer.h"
#include "tasks/record_fields.h"
#include "verdict/count_outcome.h"
#include "verdict/profile_record.h"
#include "verdict/time_record.h"

namespace cuset {

namespace {

namespace dom = simdjson::dom;

constexpr std::array<std::string_view, 5> stage_names{"answered", "extracted", "compiled", "ran",
                                                      "correct"};
constexpr std::array<std::string_view, 3> backend_names{"gpu", "host", "compile-only"};
constexpr std::array<std::string_view, failure_count> failure_names{"none",
                                                                    "no_code",
                                                                    "no_number",
                                                                    "forbidden_file",
                                                                    "syntax_error",
                                                                    "link_error",
                                                                    "compile_timeout",
                                                                    "compile_limit",
                                                                    "missing_reference",
                                                                    "no_kernel_launch",
                                                                    "launch_error",
                                                                    "illegal_address",
                                                                    "out_of_bounds",
                                                                    "uninitialised_read",
                                                                    "use_after_free",
                                                                    "barrier_divergence",
                                                                    "race",
                                                                    "run_timeout",
                                                                    "run_limit",
                                                                    "crash",
                                                                    "wrong_exit",
                                                                    "missing_output",
                                                                    "wrong_output",
                                                                    "wrong_number",
                                                                    "unsupported",
                                                                    "evaluator"};

constexpr std::array<std::string_view, 3> protocol_names{"cuset", "cudabench-2025",
                                                         "cudabench-2026"};

/// The number of a name, or nothing.
template <class Names>
std::optional<std::size_t> place_of(const Names& names, std::string_view name) {
    const auto found = std::find(names.begin(), names.end(), name);
    if (found == names.end()) return {};
    return static_cast<std::size_t>(found - names.begin());
}

status wrong(std::string_view key) {
    return data_error("no verdict: \"" + std::string(key) + "\" is missing or wrong");
}

result<digest> digest_field(const dom::object& fields, std::string_view key) {
    std::string_view text;
    if (last_field(fields, key).get(text)) return wrong(key);
    if (const auto read = digest::read(text)) return *read;
    if (text.size() == 16)
        return data_error('"' + std::string(key) +
                          "\" has 16 digits, not 64: the verdict is of an earlier version, and a "
                          "key so short proves nothing; judge again into a new file");
    return wrong(key);
}

result<double> seconds_field(const dom::object& fields, std::string_view key) {
    dom::object seconds;
    double value = 0;
    if (last_field(fields, "seconds").get(seconds) || last_field(seconds, key).get(value) ||
        !std::isfinite(value) || value < 0)
        return data_error("\"" + std::string(key) +
                          "\" in \"seconds\" is missing or no number from 0 on");
    return value;
}

result<std::string> text_field(const dom::object& fields, std::string_view key) {
    std::string_view text;
    if (last_field(fields, key).get(text)) return wrong(key);
    return std::string(text);
}

/// The stages that a verdict may have.
struct stage_range {
    stage first, last;
};

stage_range stages_beside(failure why) {
    switch (why) {
        case failure::none: return {stage::correct, stage::correct};
        case failure::no_code:
        case failure::no_number:
        case failure::forbidden_file: return {stage::answered, stage::answered};
        case failure::syntax_error:
        case failure::link_error:
        case failure::compile_timeout:
        case failure::compile_limit:
        case failure::wrong_number: return {stage::extracted, stage::extracted};
        case failure::missing_reference: return {stage::compiled, stage::compiled};
        case failure::no_kernel_launch:
        case failure::missing_output:
        case failure::wrong_output: return {stage::ran, stage::ran};
        case failure::unsupported: return {stage::extracted, stage::compiled};
        case failure::evaluator: return {stage::answered, stage::ran};
        default: return {stage::compiled, stage::ran};  // found while it ran, or in its results
    }
}

bool may_stand(stage reached, failure why, bool compile_only) {
    auto [first, last] = stages_beside(why);
    if (compile_only && why == failure::none) first = last = stage::compiled;
    if (compile_only && why != failure::none) last = std::min(last, stage::extracted);
    return reached >= first && reached <= last;
}

/// Reads stage and failure; v.setting has been read already.
status read_outcome(const dom::object& fields, verdict& v) {
    CUSET_ASSIGN(const std::string reached, text_field(fields, "stage"));
    const auto at = place_of(stage_names, reached);
    if (!at) return wrong("stage");
    v.reached = static_cast<stage>(*at);
    dom::element why;
    if (last_field(fields, "failure").get(why)) return wrong("failure");
    if (!why.is_null()) {
        std::string_view text;
        if (why.get(text)) return wrong("failure");
        const auto kind = place_of(failure_names, text);
        if (!kind || *kind == 0) return wrong("failure");
        v.why = static_cast<failure>(*kind);
    }
    if (may_stand(v.reached, v.why, v.setting.backend == "compile-only")) return {};
    return data_error(
        "no verdict of backend " + v.setting.backend + " has stage " + reached +
        (v.passed() ? " without a failure" : " beside failure " + std::string(name_of(v.why))));
}

status read_setting(const dom::object& fields, evaluation_setting& setting) {
    CUSET_ASSIGN(setting.backend, text_field(fields, "backend"));
    const auto& known = backend_names;
    if (std::find(known.begin(), known.end(), setting.backend) == known.end())
        return data_error("there is no backend \"" + setting.backend + '"');
    CUSET_ASSIGN(setting.toolchain, text_field(fields, "toolchain"));
    if (dom::element value; !last_field(fields, "protocol").get(value)) {
        CUSET_ASSIGN(const std::string name, text_field(fields, "protocol"));
        const auto rule = protocol_named(name);
        if (!rule) return data_error("there is no protocol \"" + name + '"');
        setting.rule = *rule;
    }
    if (dom::element value; !last_field(fields, "inputs").get(value))
        if (value.get(setting.inputs) || setting.inputs == 0) return wrong("inputs");
    return {};
}

/// null if the candidate had none.
status read_tokens(const dom::object& fields, std::optional<std::uint64_t>& tokens) {
    dom::element value;
    if (last_field(fields, "tokens").get(value)) return wrong("tokens");
    if (value.is_null()) return {};
    std::uint64_t number = 0;
    if (value.get(number)) return wrong("tokens");
    tokens = number;
    return {};
}

void write_findings(const std::vector<finding>& findings, json_writer& json) {
    if (findings.empty()) return;
    json.key("findings").begin_array();
    for (const finding& f : findings) {
        json.begin_object().member("kind", f.why == failure::none ? "note" : name_of(f.why));
        json.member("message", f.message).key("line");
        if (const std::size_t line = line_in(f.message); line != 0)
            json.value(std::uint64_t{line});
        else
            json.null();
        json.end_object();
    }
    json.end_array();
}

/// What is no finding of these is left out: they only say more than the verdict.
std::vector<finding> read_findings(const dom::object& fields) {
    std::vector<finding> found;
    dom::array all;
    if (fields["findings"].get(all)) return found;
    for (const dom::element each : all) {
        std::string_view kind, message;
        if (each["kind"].get(kind) || each["message"].get(message)) continue;
        const auto why =
            kind == "note" ? std::optional<std::size_t>(0) : place_of(failure_names, kind);
        if (why && found.size() < most_findings)
            found.push_back({static_cast<failure>(*why), visible_text(message)});
    }
    return found;
}

}  // namespace

std::string_view name_of(stage s) { return stage_names[static_cast<std::size_t>(s)]; }
std::string_view name_of(failure f) { return failure_names[static_cast<std::size_t>(f)]; }
std::string_view name_of(protocol p) { return protocol_names[static_cast<std::size_t>(p)]; }

bool is_of_cudabench(protocol p) { return p != protocol::cuset; }

std::optional<protocol> protocol_named(std::string_view name) {
    if (name == "cudabench") return protocol::cudabench_2025;
    const auto at = place_of(protocol_names, name);
    return at ? std::optional(static_cast<protocol>(*at)) : std::nullopt;
}

std::string describe(const evaluation_setting& setting) {
    std::string text = setting.backend + ", " + setting.toolchain + ", protocol ";
    text += name_of(setting.rule);
    if (setting.inputs > 1) text += ", " + std::to_string(setting.inputs) + " sets of inputs";
    return text;
}

bool is_checked(const evaluation_setting& setting) {
    return setting.backend == "host" && setting.toolchain.find(", checked, ") != std::string::npos;
}

std::size_t line_in(std::string_view message) {
    constexpr std::string_view word = "line ";
    for (std::size_t at = 0; (at = message.find(word, at)) != message.npos; at += word.size()) {
        if (at > 0 && std::isalpha(static_cast<unsigned char>(message[at - 1])) != 0) continue;
        const char* const begin = message.data() + at + word.size();
        std::size_t line = 0;
        std::from_chars(begin, message.data() + message.size(), line);
        if (line != 0) return line;
    }
    return 0;
}

std::string to_line(const verdict& v) {
    std::string line;
    json_writer json(line);
    json.begin_object().key("task").id(v.task).member("sample", v.sample);
    json.member("family", v.family).member("stage", name_of(v.reached)).key("failure");
    if (v.passed())
        json.null();
    else
        json.value(name_of(v.why));
    json.member("diagnostic", v.diagnostic).key("seconds").begin_object();
    json.member("compile", v.compile_seconds, 6).member("run", v.run_seconds, 6);
    json.member("compare", v.compare_seconds, 6).end_object().member("tokens", v.tokens);
    json.member("key", v.key.hexadecimal()).member("task_hash", v.task_hash.hexadecimal());
    json.member("backend", v.setting.backend).member("toolchain", v.setting.toolchain);
    json.member("protocol", name_of(v.setting.rule)).member("inputs", v.setting.inputs);
    if (!v.compiler.empty()) json.member("compiler", v.compiler);
    if (!v.order.empty()) json.member("order", v.order);
    if (v.is_cut) json.member("finish", "length");
    write_findings(v.findings, json);
    if (v.count) {
        json.key("count");
        write_count(*v.count, json);
    }
    if (v.cost.is_asked()) {
        json.key("cost");
        write_cost(v.cost, json);
    }
    if (v.time) {
        json.key("time");
        write_time(*v.time, json);
    }
    if (v.profile) {
        json.key("profile");
        write_profile(*v.profile, json);
    }
    json.end_object();
    return line + '\n';
}

struct verdict_reader::state {
    dom::parser parser;
};

verdict_reader::verdict_reader() : state_(std::make_unique<state>()) {}
verdict_reader::verdict_reader(verdict_reader&&) noexcept = default;
verdict_reader::~verdict_reader() = default;

result<verdict> verdict_reader::read(std::string_view line) {
    CUSET_ASSIGN(const dom::object fields, object_of(state_->parser, line));
    verdict v;
    CUSET_ASSIGN(v.task, id_field(fields, "task"));
    CUSET_ASSIGN(v.family, text_field(fields, "family"));
    CUSET_ASSIGN(v.sample, sample_field(fields));
    CUSET_TRY(read_setting(fields, v.setting));
    CUSET_TRY(read_outcome(fields, v));
    CUSET_ASSIGN(const std::string diagnostic, text_field(fields, "diagnostic"));
    v.diagnostic = visible_text(diagnostic);
    if (std::string_view messages; fields["compiler"].get(messages) == simdjson::SUCCESS)
        v.compiler = visible_lines(messages);
    if (std::string_view order; fields["order"].get(order) == simdjson::SUCCESS)
        v.order = visible_text(order);
    v.findings = read_findings(fields);
    if (dom::element cost; fields["cost"].get(cost) == simdjson::SUCCESS) {
        CUSET_ASSIGN(v.cost, parse_cost(simdjson::minify(cost)));
    }
    if (dom::element count; fields["count"].get(count) == simdjson::SUCCESS) {
        CUSET_ASSIGN(v.count, read_count(count));
    }
    if (dom::element time; fields["time"].get(time) == simdjson::SUCCESS) {
        CUSET_ASSIGN(v.time, read_time(time));
    }
    if (dom::element profile; fields["profile"].get(profile) == simdjson::SUCCESS) {
        CUSET_ASSIGN(v.profile, read_profile(profile));
    }
    std::string_view finish;
    v.is_cut = fields["finish"].get(finish) == simdjson::SUCCESS && finish == "length";
    CUSET_ASSIGN(v.key, digest_field(fields, "key"));
    CUSET_ASSIGN(v.task_hash, digest_field(fields, "task_hash"));
    CUSET_TRY(read_tokens(fields, v.tokens));
    CUSET_ASSIGN(v.compile_seconds, seconds_field(fields, "compile"));
    CUSET_ASSIGN(v.run_seconds, seconds_field(fields, "run"));
    CUSET_ASSIGN(v.compare_seconds, seconds_field(fields, "compare"));
    return v;
}

}  // namespace cuset
