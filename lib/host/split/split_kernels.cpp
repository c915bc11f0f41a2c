#include "split_kernels.h"

#include <algorithm>
#include <string>
#include <utility>
#include <vector>

namespace cuset {

using namespace syntax;

namespace {

bool follows_space(const token_stream& code, std::uint32_t i) {
    return code.tokens[i - 1].end != code.tokens[i].begin;
}

class kernel_writer {
public:
    kernel_writer(const cuda_program& program, const split_plan& plan, text_edits& edits)
        : program_(program),
          code_(program.code),
          plan_(plan),
          f_(program.functions[plan.function]),
          edits_(edits),
          replaced_(f_.body.end - f_.body.first) {}

    void write();

private:
    std::string renamed_source(token_range range) const;
    std::string type_words(const split_declaration& d, bool with_const) const;
    std::string member(const split_declaration& d, const split_declarator& each) const;
    std::string as_written() const;
    std::string beginning() const;
    void write_declaration(const split_declaration& d);
    void write_barrier(std::size_t index);
    void replace(std::uint32_t first, std::uint32_t end, std::string words) {
        edits_.replace(code_.tokens[first].begin, code_.tokens[end - 1].end, std::move(words),
                       false);
        for (; first < end; ++first) replaced_[first - f_.body.first] = true;
    }

    const cuda_program& program_;
    const token_stream& code_;
    const split_plan& plan_;
    const cuda_function& f_;
    text_edits& edits_;
    std::vector<bool> replaced_;  // for each of the body's tokens
};

using storage = split_variable::storage;

std::string kernel_writer::renamed_source(token_range range) const {
    std::string text;
    for (std::uint32_t i = range.first; i < range.end; ++i) {
        const std::uint32_t v = plan_.variable_at(code_, i);
        if (i > range.first && follows_space(code_, i)) text += ' ';
        text += v == no_token ? code_.spelling(i) : plan_.variables[v].renamed;
    }
    return text;
}

std::string kernel_writer::type_words(const split_declaration& d, bool with_const) const {
    std::string text;
    for (std::uint32_t i = d.specifiers.first; i < d.specifiers.end; ++i) {
        if (code_.is_word(i, "register") || (!with_const && code_.is_word(i, "const"))) continue;
        text += code_.spelling(i) + ' ';
    }
    return text;
}

std::string kernel_writer::member(const split_declaration& d, const split_declarator& each) const {
    const split_variable& v = plan_.variables[each.variable];
    if (d.is_auto) {
        return "::std::decay_t<decltype(" +
               renamed_source({each.initialiser.first + 1, each.initialiser.end}) + ")> " +
               v.renamed + "; ";
    }
    // `const float* p` points to const data; `float* const p` and `const int n` are const.
    bool is_pointer = false;
    std::string text;
    for (std::uint32_t i = each.all.first; i < each.name.first; ++i) {
        is_pointer |= code_.is(i, '*');
        if (!code_.is_word(i, "const")) text += code_.spelling(i) + ' ';
    }
    text = type_words(d, is_pointer) + text + v.renamed;
    for (std::uint32_t i = each.name.end; i < each.all.end; ++i) text += ' ' + code_.spelling(i);
    return text + "; ";
}

// A closure that nobody calls. In it the compiler reads the body as written, and refuses errors
// that the other form hides, such as a second declaration of a name, a constant that changes, or a
// case label after an initialiser. Shared variables are its locals.
std::string kernel_writer::as_written() const {
    const auto join = [&](std::uint32_t i, std::uint32_t end, bool is_shared = false) {
        std::string text;
        for (; i < end; ++i) {
            if (follows_space(code_, i)) text += ' ';
            if (!is_shared || !is_shared_storage(code_, i)) text += code_.spelling(i);
        }
        return text;
    };
    const std::uint32_t end = f_.body.end - 1;
    std::uint32_t at = f_.body.first + 1;
    std::string text =
        " static_cast<void>([]" + join(f_.parameters.first, f_.parameters.end) + " {";
    for (const shared_declaration& d : program_.shared) {
        if (d.marker < at || d.marker >= end || d.define != no_token) continue;
        text += join(at, d.all.first) + ' ';
        const std::string words =
            join(d.all.first, d.marker, true) + ' ' + join(d.marker + 1, d.all.end, true);
        at = d.all.end;
        if (!d.is_extern) {
            text += words;
            continue;
        }
        const std::string name = "cuset_of_" + std::to_string(d.marker);
        text += "struct { char cuset_head; " + words + "; }* " + name + " = nullptr";
        for (const auto& each : d.declarators) {
            const std::string declared = join(each.name.first, each.name.end);
            text += "; auto& " + declared + " = " + name + "->" + declared;
        }
    }
    return text + join(at, end) + " });";
}

// The text from the function's brace to the brace that now surrounds its statements.
std::string kernel_writer::beginning() const {
    std::string members, values, held, begun;
    for (const split_variable& v : plan_.variables) {
        if (v.name_token != no_token) continue;
        members += "::std::remove_cv_t<decltype(" + v.name + ")> " + v.renamed + "; ";
        begun += v.renamed + " = " + v.name + "; ";
    }
    for (const split_declaration& d : plan_.declarations) {
        for (const split_declarator& each : d.declarators) {
            const split_variable& v = plan_.variables[each.variable];
            if (v.kept == storage::recomputed) {
                values += "const " + type_words(d, false) + v.renamed + " " +
                          renamed_source(each.initialiser) + "; ";
            } else {
                members += member(d, each);
            }
        }
    }
    for (const split_variable& v : plan_.variables) {
        if (v.kept == storage::recomputed) continue;
        const std::string type = "decltype(cuset_frame::" + v.renamed + ")";
        held += v.kept == storage::addressed ? type + "& " : "::cuset_host::held<" + type + "> ";
        held += v.renamed + " = cuset_f." + v.renamed + "; ";
    }
    std::string types;
    for (const std::string& name : plan_.parameters)
        types += (types.empty() ? "decltype(" : ", decltype(") + name + ")";
    std::string text =
        as_written() + " static_assert(::cuset_host::are_bytes<" + types + ">);" +
        " const uint3 blockIdx = ::blockIdx; const dim3 blockDim = ::blockDim, gridDim = "
        "::gridDim; struct cuset_frame { " +
        members + "}; const auto cuset_thread = [&, blockIdx, blockDim, gridDim";
    for (const std::string& name : plan_.parameters) text += ", " + name;
    text +=
        "](unsigned cuset_state, const uint3 threadIdx, cuset_frame& cuset_f) "
        "__attribute__((always_inline)) -> unsigned { " +
        values + held + "switch (cuset_state) { case 0: " + begun + "break; ";
    for (std::size_t i = 1; i <= plan_.barriers.size(); ++i) {
        const std::string number = std::to_string(i);
        text += "case " + number + ": goto cuset_at_" + number + "; ";
    }
    return text + "} {";
}

// In a block each declarator becomes a statement, in a `for` an operand of comma operators.
void kernel_writer::write_declaration(const split_declaration& d) {
    if (d.becomes == split_declaration::fate::moved) {
        replace(d.all.first, d.all.end, "");
        return;
    }
    if (d.becomes == split_declaration::fate::made_static) {
        edits_.insert(code_.tokens[d.all.first].begin, "static ");
        return;
    }
    std::uint32_t begin = d.all.first;  // the text that this declarator replaces
    for (const split_declarator& each : d.declarators) {
        const split_variable& v = plan_.variables[each.variable];
        std::string text = begin == d.all.first ? "" : d.in_for ? ", " : "; ";
        const token_range value = each.initialiser;
        const std::uint32_t end = value.empty() ? each.all.end : value.end;
        if (v.kept == storage::recomputed) {
            replace(begin, end, text + (d.in_for ? "0" : ""));
        } else if (value.empty()) {
            replace(begin, end, text + "::cuset_host::renew(" + v.renamed + ")");
        } else if (code_.is(value.first, '=') && !code_.is(value.first + 1, '{') &&
                   each.extents.empty()) {
            replace(begin, value.first + 1, text + v.renamed + " = ");
        } else {
            text += "{ " + type_words(d, true);
            for (std::uint32_t i = each.all.first; i < each.all.end; ++i)
                text += i == each.name.first ? " cuset_i" : ' ' + code_.spelling(i);
            replace(begin, value.first, text + ' ');
            edits_.insert(code_.tokens[value.end - 1].end,
                          "; ::cuset_host::assign(" + v.renamed + ", cuset_i); }");
        }
        begin = end;  // the comma
    }
}

void kernel_writer::write_barrier(std::size_t index) {
    const auto [at, end] = plan_.barriers[index];
    std::string text = "{ ";
    for (const split_variable& v : plan_.variables) {
        if (v.kept != storage::frame || at < v.scope.first || at >= v.scope.end) continue;
        text += "::cuset_host::keep(cuset_f." + v.renamed + ", " + v.renamed + "); ";
    }
    const std::string number = std::to_string(index + 1);
    replace(at, end, text + "return " + number + "; cuset_at_" + number + ":; }");
}

void kernel_writer::write() {
    edits_.insert(code_.tokens[f_.body.first].end, beginning());
    for (const split_declaration& d : plan_.declarations) write_declaration(d);
    for (const token_range group : plan_.groups) replace(group.first, group.end, "");
    for (std::size_t i = 0; i < plan_.barriers.size(); ++i) write_barrier(i);
    for (const std::uint32_t i : plan_.returns) edits_.insert(code_.tokens[i].end, " 0");
    for (std::uint32_t i = f_.body.first; i < f_.body.end; ++i) {
        const std::uint32_t v = plan_.variable_at(code_, i);
        if (v == no_token || i == plan_.variables[v].name_token || replaced_[i - f_.body.first])
            continue;
        replace(i, i + 1, plan_.variables[v].renamed);
    }
    edits_.insert(code_.tokens[f_.body.end - 1].begin,
                  "} return 0; }; ::cuset_host::run_split<cuset_frame, " +
                      std::to_string(plan_.barriers.size()) +
                      (plan_.reads_place ? ", true" : ", false") + ">(cuset_thread); ");
    // Called once for each block, so it need not be inlined twice.
    if (f_.name_token != no_token)
        edits_.insert(code_.tokens[f_.name_token].begin, "__attribute__((noinline)) ");
}

}  // namespace

split_kernels::split_kernels(const cuda_program& program, barrier_form form) : program_(program) {
    const bool waits =
        program.code.has_word({0, program.code.size()}, {"__syncthreads", "this_thread_block"});
    if (form != barrier_form::split || !waits) return;
    const waiting_names waiting(program), reading(program, {"threadIdx"});
    constexpr std::size_t most_kernels = 128;  // each scans the text around it: keeps all linear
    for (std::uint32_t i = 0; i < program.functions.size() && forms_.size() < most_kernels; ++i) {
        auto plan = read_split_plan(program, i, waiting);
        if (!plan) continue;
        const cuda_function& f = program.functions[i];
        forms_.push_back({f.name, program.line_of(f.body.first), program.line_of(f.body.end - 1),
                          plan->obstacle});
        if (!plan->obstacle.empty()) continue;
        plan->reads_place = !reading.nameless().empty();
        for (std::uint32_t t = f.body.first; t < f.body.end && !plan->reads_place; ++t) {
            if (!program.code.is(t, word) || program.code.is_word(t, "threadIdx")) continue;
            const std::string name = program.code.spelling(t);
            plan->reads_place = reading.contains(name) && !waiting.contains(name);
        }
        plans_.push_back(std::move(*plan));
    }
}

std::uint32_t split_kernels::place_of(const shared_declaration& d) const {
    for (const split_plan& plan : plans_) {
        if (std::ranges::binary_search(plan.moved_shared, d.marker))
            return program_.code.tokens[program_.functions[plan.function].body.first].end;
    }
    return no_token;
}

void split_kernels::move_constants(text_edits& edits) const {
    for (const split_plan& plan : plans_) {
        const std::uint32_t place =
            program_.code.tokens[program_.functions[plan.function].body.first].end;
        for (const split_declaration& d : plan.declarations)
            if (d.becomes == split_declaration::fate::moved)
                edits.insert(place, ' ' + source_of(program_.code, d.all));
    }
}

void split_kernels::rewrite(text_edits& edits) const {
    for (const split_plan& plan : plans_) kernel_writer(program_, plan, edits).write();
}

}  // namespace cuset
