#include "translate/side_regions.h"

#include <algorithm>
#include <optional>

#include "text_edits.h"
#include "translate/side_conditions.h"

namespace cuset {

using namespace syntax;

namespace {

// Of one side at a conditional: which branch it reads.
struct chosen_branch {
    bool is_read = true;      // the text around the conditional
    bool is_done = false;     // a branch has been chosen
    bool is_unknown = false;  // no one knows, but both sides choose the same
    bool reads = false;       // the branch at hand
};

struct open_conditional {
    chosen_branch host, device;
    bool differs = false;            // some branch is read by one side only
    std::vector<std::size_t> lines;  // directives
    std::vector<side> branches;
};

side side_of(bool host, bool device) {
    if (host == device) return host ? side::both : side::neither;
    return host ? side::host : side::device;
}

class region_finder {
public:
    region_finder(const cuda_program& program, const std::string& arch, const nvcc_dialect& dialect)
        : program_(program), code_(program.code), host_("", dialect), device_(arch, dialect) {}
    side_regions run();

private:
    bool reads(bool of_host) const;
    void enter(open_conditional& c, const directive& d);
    void close(const open_conditional& c);
    void note_macro(const cuda_macro& m);
    void note_undefinition(const directive& d);

    const cuda_program& program_;
    const token_stream& code_;
    side_macros host_, device_;
    std::vector<open_conditional> open_;
    side_regions found_;
};

bool region_finder::reads(bool of_host) const {
    return open_.empty() || (of_host ? open_.back().host.reads : open_.back().device.reads);
}

// The branch that begins at d.
void region_finder::enter(open_conditional& c, const directive& d) {
    const std::string_view text = code_.text.substr(d.argument, d.end - d.argument);
    const std::string of_host = host_.expanded(d.keyword, text),
                      of_device = device_.expanded(d.keyword, text);
    const std::optional<bool> host = holds(of_host), device = holds(of_device);
    const bool both = c.host.is_read && c.device.is_read;
    if ((!host || !device) && both && of_host != of_device && !c.host.is_done &&
        !c.device.is_done && found_.unsupported.empty())
        found_.unsupported =
            "a condition of __CUDA_ARCH__ in line " +
            std::to_string(std::count(code_.text.begin(), code_.text.begin() + d.begin, '\n') + 1);
    const auto choose = [](chosen_branch& side, std::optional<bool> holds) {
        side.reads = side.is_read && !side.is_done && holds.value_or(true);
        if (!holds) side.is_unknown = true;
        // Where an earlier branch may be the one, this one may be it too.
        if (holds.value_or(false)) side.is_done = true;
    };
    choose(c.host, host);
    choose(c.device, device);
    c.branches.push_back(side_of(c.host.reads, c.device.reads));
    if (both && c.host.reads != c.device.reads) c.differs = true;
}

void region_finder::close(const open_conditional& c) {
    if (!c.differs) return;
    for (std::size_t i = 0; i < c.lines.size(); ++i) {
        found_.lines.push_back(&code_.directives[c.lines[i]]);
        if (i + 1 < c.lines.size())
            found_.regions.push_back({code_.directives[c.lines[i]].end,
                                      code_.directives[c.lines[i + 1]].begin, c.branches[i]});
    }
}

void region_finder::note_macro(const cuda_macro& m) {
    const std::string name = code_.spelling(m.name);
    for (const bool of_host : {true, false}) {
        if (!reads(of_host)) continue;
        side_macros& side = of_host ? host_ : device_;
        if (m.is_function)
            side.forget(name);
        else
            side.set(name, source_of(code_, m.replacement));
    }
}

void region_finder::note_undefinition(const directive& d) {
    const std::string_view line = code_.text.substr(d.begin, d.end - d.begin);
    const std::size_t word = line.find("undef");
    if (word == line.npos) return;
    std::size_t from = word + 5;
    while (from < line.size() && !is_word_byte(line[from])) ++from;
    std::size_t to = from;
    while (to < line.size() && is_word_byte(line[to])) ++to;
    const std::string name(line.substr(from, to - from));
    if (reads(true)) host_.set(name, std::nullopt);
    if (reads(false)) device_.set(name, std::nullopt);
}

side_regions region_finder::run() {
    std::size_t next_macro = 0;
    for (std::size_t i = 0; i < code_.directives.size(); ++i) {
        const directive& d = code_.directives[i];
        for (; next_macro < program_.macros.size() &&
               code_.tokens[program_.macros[next_macro].define].begin < d.begin;
             ++next_macro)
            if (program_.function_of[program_.macros[next_macro].define] == no_token)
                note_macro(program_.macros[next_macro]);
        if (is_in_body(program_, d)) continue;
        switch (d.keyword) {
            case pp_keyword::if_:
            case pp_keyword::ifdef:
            case pp_keyword::ifndef: {
                open_conditional c;
                c.host.is_read = reads(true);
                c.device.is_read = reads(false);
                c.lines.push_back(i);
                enter(c, d);
                open_.push_back(std::move(c));
                break;
            }
            case pp_keyword::elif:
            case pp_keyword::elifdef:
            case pp_keyword::elifndef:
            case pp_keyword::else_:
                if (open_.empty()) return {};
                open_.back().lines.push_back(i);
                enter(open_.back(), d);
                break;
            case pp_keyword::endif:
                if (open_.empty()) return {};
                open_.back().lines.push_back(i);
                close(open_.back());
                open_.pop_back();
                break;
            case pp_keyword::other: note_undefinition(d); break;
            default: break;
        }
    }
    if (!open_.empty()) return {};
    std::ranges::sort(found_.regions, {}, &side_region::begin);
    return std::move(found_);
}

}  // namespace

side side_regions::of(std::uint32_t offset) const {
    const auto next = std::ranges::upper_bound(regions, offset, {}, &side_region::begin);
    return next != regions.begin() && offset < std::prev(next)->end ? std::prev(next)->of
                                                                    : side::both;
}

bool is_in_body(const cuda_program& program, const directive& d) {
    const std::uint32_t f = d.next < program.code.size() ? program.function_of[d.next] : no_token;
    if (f == no_token) return false;
    const token_range body = program.functions[f].body;
    return d.begin > program.code.tokens[body.first].begin;
}

side_regions find_side_regions(const cuda_program& program, const std::string& arch,
                               const nvcc_dialect& dialect) {
    return region_finder(program, arch, dialect).run();
}

}  // namespace cuset
