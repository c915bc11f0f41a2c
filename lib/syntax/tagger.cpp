#include "cuset/syntax/tagger.h"

#include <algorithm>
#include <tuple>

#include "block_quotes.h"
#include "cuset/syntax/lexer.h"
#include "finder.h"
#include "python_strings.h"
#include "regions.h"
#include "roles/role_reader.h"
#include "statements.h"

namespace cuset {

struct tagger::state {
    tag_options options;
    syntax::token_stream code;
    std::vector<syntax::finding> findings;
    syntax::python_code python;
    std::unique_ptr<syntax::role_reader> roles;  // if they are wanted: it holds a parser

    // `place` maps a byte range of `text` to one of the tagged text.
    template <class Place>
    void tag_cpp(std::string_view text, bool is_string, const Place& place, tagging& out);
    void tag_python(std::string_view source, std::size_t offset, tagging& out);
    bool is_cpp_after_all(std::string_view text);

    std::size_t cuda_names = 0, hip_names = 0;
};

template <class Place>
void tagger::state::tag_cpp(std::string_view text, bool is_string, const Place& place,
                            tagging& out) {
    using namespace syntax;
    lex(text, code);
    findings.clear();
    find_spans(code, findings);
    if (is_string) {
        // A message such as "running k<<<%d, %d>>>" is no code: code has a kernel or a statement.
        const bool statements = text.find(';') != text.npos;
        const bool kernels = !findings.empty() && findings.front().kind == span_kind::kernel;
        if (!statements && !kernels) return;
    }
    cuda_names += code.cuda_names;
    hip_names += code.hip_names;
    if (roles) {
        for (const role_run& run : roles->read(text)) {
            const auto [begin, end] = place(byte_range{static_cast<std::uint32_t>(run.begin),
                                                       static_cast<std::uint32_t>(run.end)});
            out.roles.push_back({run.role, begin, end});
        }
        out.recovered += roles->recovered();
    }
    if (findings.empty()) return;

    extent_reader extents(code);
    const auto add = [&](const finding& f, byte_range r) {
        const auto [begin, end] = place(r);
        out.spans.push_back({f.kind, f.name, begin, end});
    };
    for (const finding& f : findings) {
        if (f.kind == span_kind::kernel) {
            add(f, options.kernel == kernel_extent::body ? byte_range{f.begin, f.end}
                                                         : extents.definition(f));
        } else if (options.launch == launch_extent::configuration) {
            add(f, {f.begin, f.end});
        } else {
            add(f, extents.statement(f));
            if (options.launch == launch_extent::statement) continue;
            for (const byte_range r : extents.setup(f)) add(f, r);
        }
    }
}

void tagger::state::tag_python(std::string_view source, std::size_t offset, tagging& out) {
    syntax::python_position position;
    while (next_python_code(source, position, python)) {
        const auto place = [&](syntax::byte_range r) {
            return std::pair(offset + python.source_begin(r.begin),
                             offset + python.source_end(r.end - 1));
        };
        tag_cpp(python.text, true, place, out);
    }
}

// Whether text that was taken for Python has a kernel or launch outside Python's strings and
// comments. Calls alone prove nothing (Python's bindings have the same functions), but a semicolon
// after them does.
bool tagger::state::is_cpp_after_all(std::string_view text) {
    using namespace syntax;
    lex(text, code);
    if (code.heads.empty() && code.launches.empty()) return false;
    findings.clear();
    find_spans(code, findings);
    std::ranges::sort(findings, {}, &finding::head);
    python_position position;
    python_literal literal{};
    bool literals = true;
    std::size_t line_end = 0, comment = 0;  // the end and the comment of the finding's line
    for (const finding& f : findings) {
        while (literals && literal.end <= f.head) {
            literals = next_python_literal(text, position, literal);
        }
        if (literals && literal.begin <= f.head) continue;
        if (f.head >= line_end) {
            const std::size_t line = text.rfind('\n', f.head) + 1;
            line_end = std::min(text.size(), text.find('\n', f.head));
            comment = std::min(line_end, text.substr(0, line_end).find(" # ", line));
        }
        if (comment < f.head) continue;
        if (f.kind == span_kind::kernel || text[f.begin] == '<') return true;
        const std::size_t after = text.find_first_not_of(") \t\r\n", f.end);
        if (after != text.npos && text[after] == ';') return true;
    }
    return false;
}

tagger::tagger(tag_options options) : state_(std::make_unique<state>()) {
    state_->options = options;
    if (options.roles) state_->roles = std::make_unique<syntax::role_reader>();
}
tagger::~tagger() = default;
tagger::tagger(tagger&&) noexcept = default;
tagger& tagger::operator=(tagger&&) noexcept = default;

tagging tagger::tag(std::string_view text) {
    state& s = *state_;
    tagging out;
    s.cuda_names = s.hip_names = 0;
    // Offsets of tokens are 32 bits wide; simdjson accepts no longer record either.
    text = text.substr(0, UINT32_MAX - 1);
    const bool markdown =
        s.options.lang == source_language::automatic || s.options.lang == source_language::markdown;
    const syntax::unquoted_text unquoted(markdown ? text : std::string_view());
    if (markdown) text = unquoted.text();
    for (const syntax::region& r : syntax::find_regions(text, s.options.lang)) {
        const std::string_view part = text.substr(r.begin, r.end - r.begin);
        const bool guessed = s.options.lang != source_language::python;
        if (r.language == syntax::host_language::python && !(guessed && s.is_cpp_after_all(part))) {
            s.tag_python(part, r.begin, out);
        } else {
            const auto place = [&](syntax::byte_range b) {
                return std::pair(r.begin + b.begin, r.begin + b.end);
            };
            s.tag_cpp(part, false, place, out);
        }
    }
    if (markdown) {
        for (code_span& span : out.spans) {
            span.end = unquoted.source_offset(span.end - 1) + 1;
            span.begin = unquoted.source_offset(span.begin);
        }
        for (role_run& run : out.roles) {
            run.end = unquoted.source_offset(run.end - 1) + 1;
            run.begin = unquoted.source_offset(run.begin);
        }
    }
    std::ranges::stable_sort(
        out.spans, {}, [](const code_span& span) { return std::tuple(span.begin, span.end); });
    const bool hip = s.options.lang == source_language::hip ||
                     (s.options.lang != source_language::cuda && s.hip_names > s.cuda_names);
    out.lang = hip ? "hip" : "cuda";
    return out;
}

}  // namespace cuset
