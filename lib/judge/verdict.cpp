#include "cuset/judge/verdict.h"

#include <simdjson.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <iterator>

#include "cuset/stream/json_text.h"
#include "record_fields.h"

namespace cuset {

namespace {

namespace dom = simdjson::dom;

constexpr std::array<std::string_view, 5> stage_names{"answered", "extracted", "compiled", "ran",
                                                      "correct"};
constexpr std::array<std::string_view, failure_count> failure_names{"none",
                                                                    "no_code",
                                                                    "syntax_error",
                                                                    "link_error",
                                                                    "compile_timeout",
                                                                    "compile_limit",
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
                                                                    "unsupported",
                                                                    "evaluator"};

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

result<std::uint64_t> bits_field(const dom::object& fields, std::string_view key) {
    std::string_view text;
    std::uint64_t bits = 0;
    if (fields[key].get(text)) return wrong(key);
    const auto read = std::from_chars(text.data(), text.data() + text.size(), bits, 16);
    if (read.ec != std::errc() || text.size() != 16) return wrong(key);
    return bits;
}

result<std::string> text_field(const dom::object& fields, std::string_view key) {
    std::string_view text;
    if (fields[key].get(text)) return wrong(key);
    return std::string(text);
}

status read_outcome(const dom::object& fields, verdict& v) {
    std::string_view text;
    if (fields["stage"].get(text)) return wrong("stage");
    const auto reached = place_of(stage_names, text);
    if (!reached) return wrong("stage");
    v.reached = static_cast<stage>(*reached);
    dom::element why;
    if (fields["failure"].get(why)) return wrong("failure");
    if (why.is_null()) return {};
    if (why.get(text)) return wrong("failure");
    const auto kind = place_of(failure_names, text);
    if (!kind || *kind == 0) return wrong("failure");
    v.why = static_cast<failure>(*kind);
    return {};
}

}  // namespace

std::string_view name_of(stage s) { return stage_names[static_cast<std::size_t>(s)]; }
std::string_view name_of(failure f) { return failure_names[static_cast<std::size_t>(f)]; }

std::string to_line(const verdict& v) {
    std::string line = "{\"task\":";
    const auto add_text = [&](std::string_view key, std::string_view text) {
        line.append(",\"").append(key).append("\":");
        append_json_string(text, line);
    };
    const auto add_seconds = [&](std::string_view key, double seconds) {
        line.append(key);
        append_number(seconds, 6, line);
    };
    append_id(v.task, line);
    line += ",\"sample\":" + std::to_string(v.sample);
    add_text("family", v.family);
    add_text("stage", name_of(v.reached));
    if (v.passed()) {
        line += ",\"failure\":null";
    } else {
        add_text("failure", name_of(v.why));
    }
    add_text("diagnostic", v.diagnostic);
    add_seconds(",\"seconds\":{\"compile\":", v.compile_seconds);
    add_seconds(",\"run\":", v.run_seconds);
    add_seconds(",\"compare\":", v.compare_seconds);
    line += "},\"tokens\":" + (v.tokens ? std::to_string(*v.tokens) : "null");
    add_text("key", hexadecimal(v.key));
    add_text("task_hash", hexadecimal(v.task_hash));
    add_text("backend", v.setting.backend);
    add_text("toolchain", v.setting.toolchain);
    return line + "}\n";
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
    CUSET_TRY(read_outcome(fields, v));
    CUSET_ASSIGN(v.diagnostic, text_field(fields, "diagnostic"));
    CUSET_ASSIGN(v.key, bits_field(fields, "key"));
    CUSET_ASSIGN(v.setting.backend, text_field(fields, "backend"));
    CUSET_ASSIGN(v.setting.toolchain, text_field(fields, "toolchain"));
    CUSET_ASSIGN(v.task_hash, bits_field(fields, "task_hash"));
    if (fields["sample"].get(v.sample)) return wrong("sample");
    std::uint64_t tokens = 0;
    if (!fields["tokens"].get(tokens)) v.tokens = tokens;
    for (auto [key, seconds] :
         {std::pair{"compile", &v.compile_seconds}, std::pair{"run", &v.run_seconds},
          std::pair{"compare", &v.compare_seconds}})
        if (fields["seconds"][key].get(*seconds)) return wrong("seconds");
    return v;
}

}  // namespace cuset
