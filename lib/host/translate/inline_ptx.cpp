#include "translate/inline_ptx.h"

#include <algorithm>
#include <cctype>
#include <iterator>
#include <set>
#include <string_view>

namespace cuset {

using namespace syntax;

namespace {

/// What an instruction's operands are and do.
enum class shape : unsigned char {
    value,    ///< d = f<type>(a, …)
    compare,  ///< d = f<type>(a, b), by the comparison among the modifiers
    load,     ///< {d, …} = [a]
    store,    ///< [a] = {b, …}
    atomic,   ///< d = f([a], b, …)
    reduce,   ///< f([a], b)
    nothing,  ///< no effect here
    call,     ///< f(a, …) without a result
    move,     ///< also of a vector's parts
    convert,  ///< d = f<to, from>(a)
    address,  ///< cvta
    shuffle,  ///< d|p = f(a, b, c, mask)
    copy,     ///< cp.async: [a] = [b]
    load_matrices,   ///< {d, …} = [a], by the whole warp
    store_matrices,  ///< [a] = {b, …}
    multiply,        ///< {d, …} = f({a, …}, {b, …}, {c, …})
};

struct instruction {
    std::string_view name;  ///< with the modifiers that make it what it is
    shape what;
    std::string_view function;
    int operands;  ///< without the result; those that are read
};

constexpr instruction instructions[] = {
    {"mov", shape::move, "", 1},
    {"add.cc", shape::value, "add_cc", 2},
    {"addc.cc", shape::value, "addc_cc", 2},
    {"addc", shape::value, "addc", 2},
    {"sub.cc", shape::value, "sub_cc", 2},
    {"subc.cc", shape::value, "subc_cc", 2},
    {"subc", shape::value, "subc", 2},
    {"mad.lo.cc", shape::value, "mad_lo_cc", 3},
    {"madc.lo.cc", shape::value, "madc_lo_cc", 3},
    {"madc.lo", shape::value, "madc_lo", 3},
    {"mad.hi.cc", shape::value, "mad_hi_cc", 3},
    {"madc.hi.cc", shape::value, "madc_hi_cc", 3},
    {"madc.hi", shape::value, "madc_hi", 3},
    {"add", shape::value, "add", 2},
    {"sub", shape::value, "sub", 2},
    {"mul.lo", shape::value, "mul_lo", 2},
    {"mul.hi", shape::value, "mul_hi", 2},
    {"mul.wide", shape::value, "mul_wide", 2},
    {"mad.lo", shape::value, "mad_lo", 3},
    {"mad.hi", shape::value, "mad_hi", 3},
    {"mad.wide", shape::value, "mad_wide", 3},
    {"mul", shape::value, "mul", 2},
    {"fma", shape::value, "fma", 3},
    {"mad", shape::value, "fma", 3},
    {"div", shape::value, "div", 2},
    {"rem", shape::value, "rem", 2},
    {"min", shape::value, "min", 2},
    {"max", shape::value, "max", 2},
    {"abs", shape::value, "abs", 1},
    {"neg", shape::value, "neg", 1},
    {"and", shape::value, "bit_and", 2},
    {"or", shape::value, "bit_or", 2},
    {"xor", shape::value, "bit_xor", 2},
    {"not", shape::value, "bit_not", 1},
    {"shl", shape::value, "shl", 2},
    {"shr", shape::value, "shr", 2},
    {"popc", shape::value, "popc", 1},
    {"clz", shape::value, "clz", 1},
    {"brev", shape::value, "brev", 1},
    {"bfe", shape::value, "bfe", 3},
    {"bfi", shape::value, "bfi", 4},
    {"bfind", shape::value, "bfind", 1},
    {"prmt", shape::value, "prmt", 3},
    {"lop3", shape::value, "lop3", 4},
    {"shf.l.wrap", shape::value, "shf_l_wrap", 3},
    {"shf.l.clamp", shape::value, "shf_l_clamp", 3},
    {"shf.r.wrap", shape::value, "shf_r_wrap", 3},
    {"shf.r.clamp", shape::value, "shf_r_clamp", 3},
    {"sad", shape::value, "sad", 3},
    {"dp4a", shape::value, "dp4a", 3},
    {"selp", shape::value, "selp", 3},
    {"setp", shape::compare, "setp", 2},
    {"sqrt", shape::value, "sqrt", 1},
    {"rsqrt", shape::value, "rsqrt", 1},
    {"rcp", shape::value, "rcp", 1},
    {"ex2", shape::value, "ex2", 1},
    {"lg2", shape::value, "lg2", 1},
    {"sin", shape::value, "sin", 1},
    {"cos", shape::value, "cos", 1},
    {"tanh", shape::value, "tanh", 1},
    {"cvt", shape::convert, "cvt", 1},
    {"cvta.to", shape::address, "to_window", 1},
    {"cvta", shape::address, "from_window", 1},
    {"ld", shape::load, "", 1},
    {"ldu", shape::load, "", 1},
    {"st", shape::store, "", 1},
    {"atom", shape::atomic, "atom", 2},
    {"red", shape::reduce, "atom", 2},
    {"redux.sync", shape::value, "redux", 2},
    {"shfl.sync", shape::shuffle, "shfl", 4},
    {"vote.sync", shape::value, "vote", 2},
    {"match.any.sync", shape::value, "match_any", 2},
    {"activemask", shape::value, "activemask", 0},
    {"bar.warp.sync", shape::call, "warp_barrier", 1},
    {"bar.sync", shape::call, "barrier", 1},
    {"barrier.sync", shape::call, "barrier", 1},
    // Threads wait in the second half.
    {"barrier.cluster.arrive", shape::nothing, "", 0},
    {"barrier.cluster.wait", shape::call, "cluster_wait", 0},
    {"membar", shape::nothing, "", 0},
    {"fence", shape::nothing, "", 0},
    {"prefetch", shape::nothing, "", 0},
    {"prefetchu", shape::nothing, "", 0},
    {"nanosleep", shape::nothing, "", 0},
    {"griddepcontrol", shape::nothing, "", 0},
    {"cp.async.commit_group", shape::nothing, "", 0},
    {"cp.async.wait_group", shape::nothing, "", 0},
    {"cp.async.wait_all", shape::nothing, "", 0},
    {"cp.async.ca", shape::copy, "", 3},
    {"cp.async.cg", shape::copy, "", 3},
    {"trap", shape::call, "trap", 0},
    {"discard", shape::nothing, "", 0},
    {"applypriority", shape::nothing, "", 0},
    {"ldmatrix.sync", shape::load_matrices, "load_matrices", 2},
    {"stmatrix.sync", shape::store_matrices, "store_matrices", 2},
    {"mma.sync", shape::multiply, "multiply", 3},
};

constexpr std::string_view special_registers[] = {"tid.x",
                                                  "tid.y",
                                                  "tid.z",
                                                  "ntid.x",
                                                  "ntid.y",
                                                  "ntid.z",
                                                  "ctaid.x",
                                                  "ctaid.y",
                                                  "ctaid.z",
                                                  "nctaid.x",
                                                  "nctaid.y",
                                                  "nctaid.z",
                                                  "laneid",
                                                  "warpid",
                                                  "nwarpid",
                                                  "smid",
                                                  "nsmid",
                                                  "clock",
                                                  "clock64",
                                                  "lanemask_eq",
                                                  "lanemask_lt",
                                                  "lanemask_le",
                                                  "lanemask_gt",
                                                  "lanemask_ge",
                                                  "globaltimer",
                                                  "clock_hi",
                                                  "cluster_ctaid.x",
                                                  "cluster_ctaid.y",
                                                  "cluster_ctaid.z",
                                                  "cluster_nctaid.x",
                                                  "cluster_nctaid.y",
                                                  "cluster_nctaid.z",
                                                  "clusterid.x",
                                                  "clusterid.y",
                                                  "clusterid.z",
                                                  "nclusterid.x",
                                                  "nclusterid.y",
                                                  "nclusterid.z",
                                                  "cluster_ctarank",
                                                  "cluster_nctarank"};

/// The C++ type of a PTX type; empty if there is none.
std::string type_of(std::string_view name) {
    for (const auto& [ptx, type] : {std::pair{"u8", "std::uint8_t"},
                                    {"s8", "std::int8_t"},
                                    {"b8", "std::uint8_t"},
                                    {"u16", "std::uint16_t"},
                                    {"s16", "std::int16_t"},
                                    {"b16", "std::uint16_t"},
                                    {"u32", "std::uint32_t"},
                                    {"s32", "std::int32_t"},
                                    {"b32", "std::uint32_t"},
                                    {"u64", "std::uint64_t"},
                                    {"s64", "std::int64_t"},
                                    {"b64", "std::uint64_t"},
                                    {"f32", "float"},
                                    {"f64", "double"},
                                    {"pred", "bool"}})
        if (name == ptx) return type;
    return {};
}

/// The runtime's name of a type of narrow floating point, or of one of a matrix; empty if there is
/// none.
std::string_view element_of(std::string_view name) {
    constexpr std::string_view types[] = {"f16", "bf16", "tf32", "f32", "f64", "s8", "u8", "s32"};
    if (name == "f16x2") return "f16";
    if (name == "bf16x2") return "bf16";
    return is_one_of(name, types) ? name : std::string_view();
}
bool is_narrow(std::string_view name) {
    return is_one_of(name, {"f16", "bf16", "f16x2", "bf16x2"});
}

std::vector<std::string> split(std::string_view text, char at) {
    std::vector<std::string> parts(1);
    int depth = 0;
    for (const char c : text) {
        depth += c == '[' || c == '{' ? 1 : c == ']' || c == '}' ? -1 : 0;
        if (c == at && depth == 0)
            parts.emplace_back();
        else
            parts.back() += c;
    }
    for (auto& part : parts) {
        const auto is_blank = [](char c) { return std::isspace(static_cast<unsigned char>(c)); };
        while (!part.empty() && is_blank(part.back())) part.pop_back();
        while (!part.empty() && is_blank(part.front())) part.erase(0, 1);
    }
    return parts;
}

struct operand {
    std::string constraint;
    token_range value;
};

/// An `asm` statement's parts.
struct statement {
    std::uint32_t first = no_token, close = no_token;
    std::string text;
    std::vector<operand> outputs, inputs;
};

class reader {
public:
    reader(const cuda_program& program, std::uint32_t at) : program_(program), code_(program.code) {
        is_read_ = read(at);
    }
    /// The words in its place; `missing` says why there are none.
    std::string words();
    const statement& read_statement() const { return asm_; }
    std::string missing;

private:
    bool read(std::uint32_t at);
    bool read_operands(std::uint32_t& i, std::vector<operand>& list);
    std::string of_instruction(std::string text);
    std::string of_operand(const std::string& text, std::string_view type);
    std::string of_special(std::string_view name);
    std::string address_of(const std::string& text, const std::vector<std::string>& parts);
    std::string declare(const std::string& text);
    std::string of_narrow(const instruction& made, const std::string& mnemonic,
                          const std::vector<std::string>& types,
                          const std::vector<std::string>& operands);
    std::string of_matrices(const instruction& made, const std::string& mnemonic,
                            const std::vector<std::string>& parts,
                            const std::vector<std::string>& operands);
    std::string list_of(const std::string& text, const std::string& name, std::size_t& count);
    std::string fail(std::string why) {
        if (missing.empty()) missing = std::move(why);
        return {};
    }

    const cuda_program& program_;
    const token_stream& code_;
    statement asm_;
    std::set<std::string> locals_;
    bool is_read_;
};

/// The characters that a literal stands for.
std::string text_of_literal(std::string_view raw) {
    std::string text;
    const std::size_t open = raw.find('"');
    if (open == raw.npos || raw.substr(0, open).find('R') != raw.npos) {
        const std::size_t begin = raw.find('('), end = raw.rfind(')');
        return begin < end && end != raw.npos ? std::string(raw.substr(begin + 1, end - begin - 1))
                                              : std::string();
    }
    for (std::size_t i = open + 1; i + 1 < raw.size(); ++i) {
        if (raw[i] != '\\') {
            text += raw[i];
            continue;
        }
        const char c = raw[++i];
        text += c == 'n' ? '\n' : c == 't' || c == 'r' || c == '\n' ? ' ' : c;
    }
    return text;
}

/// The text without comments, on one line.
std::string without_comments(std::string_view text) {
    std::string kept;
    for (std::size_t i = 0; i < text.size(); ++i) {
        const bool is_line = text.substr(i, 2) == "//", is_block = text.substr(i, 2) == "/*";
        if (is_line || is_block) {
            const std::size_t end = is_line ? text.find('\n', i) : text.find("*/", i + 2);
            if (end == text.npos) break;
            i = is_line ? end : end + 1;
            kept += ' ';
        } else {
            kept += text[i] == '\n' ? ' ' : text[i];
        }
    }
    return kept;
}

bool reader::read(std::uint32_t at) {
    asm_.first = at;
    do ++at;
    while (code_.is_any_word(at, {"volatile", "__volatile__"}));
    const std::uint32_t close = code_.is(at, '(') ? code_.closer_of(at) : no_token;
    if (close == no_token) return false;
    asm_.close = close;
    std::uint32_t i = at + 1;
    for (; i < close && code_.is(i, string); ++i) asm_.text += text_of_literal(code_.raw(i));
    if (i == at + 1) return false;
    asm_.text = without_comments(asm_.text);
    int list = 0;
    while (i < close) {
        list += code_.is(i, scope) ? 2 : 1;
        if (!code_.is(i, ':') && !code_.is(i, scope)) return false;
        ++i;
        if (list == 1 && !read_operands(i, asm_.outputs)) return false;
        if (list == 2 && !read_operands(i, asm_.inputs)) return false;
        if (list >= 3)
            while (i < close && !code_.is(i, ':') && !code_.is(i, scope)) ++i;  // clobbers
    }
    return true;
}

bool reader::read_operands(std::uint32_t& i, std::vector<operand>& list) {
    while (i < asm_.close && code_.is(i, string)) {
        operand one;
        one.constraint = text_of_literal(code_.raw(i));
        if (!code_.is(i + 1, '(')) return false;
        const std::uint32_t close = code_.closer_of(i + 1);
        if (close == no_token) return false;
        one.value = {i + 2, close};
        list.push_back(std::move(one));
        i = close + 1;
        if (code_.is(i, ',')) ++i;
    }
    return true;
}

std::string reader::of_special(std::string_view name) {
    if (!is_one_of(name, special_registers)) return fail("%" + std::string(name));
    std::string function(name);
    std::ranges::replace(function, '.', '_');
    return "::cuset_host::ptx::sreg_" + function + "()";
}

std::string reader::of_operand(const std::string& text, std::string_view type) {
    if (text.empty()) return fail("an instruction without an operand");
    std::string_view rest = text;
    if (rest.starts_with("%%")) return of_special(rest.substr(2));
    if (rest[0] == '%') {
        rest.remove_prefix(1);
        const bool is_number = rest.find_first_not_of("0123456789") == rest.npos && !rest.empty();
        if (!is_number) return of_special(rest);
        if (std::stoul(std::string(rest)) >= asm_.outputs.size() + asm_.inputs.size())
            return fail("%" + std::string(rest));
        return "cuset_r" + std::string(rest);
    }
    if (locals_.contains(text)) return "cuset_l_" + text;
    if (text == "_") return "cuset_none";
    const bool is_hex_float = rest.starts_with("0f") || rest.starts_with("0F") ||
                              rest.starts_with("0d") || rest.starts_with("0D");
    if (is_hex_float && rest.size() > 2) return "0x" + text.substr(2) + "ULL";
    const std::size_t digits = rest[0] == '-' ? 1 : 0;
    if (digits < rest.size() && std::isdigit(static_cast<unsigned char>(rest[digits])) != 0) {
        std::string number = text;
        while (number.ends_with('U') || number.ends_with('u')) number.pop_back();
        if (!type.starts_with('f') || number.find('.') == number.npos)
            return "::cuset_host::ptx::word(" + number + "LL)";
        return "::cuset_host::ptx::bits<" + type_of(type) + ">(" + number + ")";
    }
    return fail(text);
}

/// `[%0+16]` in the state space that the parts name.
std::string reader::address_of(const std::string& text, const std::vector<std::string>& parts) {
    if (text.size() < 3 || text.front() != '[' || text.back() != ']') return fail(text);
    const std::string inner = text.substr(1, text.size() - 2);
    const std::size_t sign = inner.find_first_of("+", 1);
    std::string base = inner.substr(0, sign);
    while (base.ends_with(' ')) base.pop_back();
    std::string offset = sign == inner.npos ? "0" : inner.substr(sign + 1);
    while (offset.starts_with(' ')) offset.erase(0, 1);
    const bool is_shared =
        std::ranges::any_of(parts, [](const std::string& p) { return p.starts_with("shared"); });
    return std::string("::cuset_host::ptx::") + (is_shared ? "in_shared" : "in_memory") + "(" +
           of_operand(base, "b64") + ", " + of_operand(offset, "s64") + ")";
}

/// `.reg .b32 a, b;`
std::string reader::declare(const std::string& text) {
    const std::size_t type = text.find('.', 1);
    const std::size_t blank = text.find_first_of(" \t", type);
    if (type == text.npos || blank == text.npos) return fail(text);
    std::string words;
    for (const auto& name : split(text.substr(blank), ',')) {
        if (name.empty() || !std::ranges::all_of(name, [](char c) { return is_word_byte(c); }))
            return fail(".reg " + name);
        locals_.insert(name);
        words += "::cuset_host::ptx::word cuset_l_" + name + " = 0; ";
    }
    return words;
}

/// Modifiers that change nothing here: hints, scopes and orders of memory, state spaces.
bool is_hint(std::string_view m) {
    constexpr std::string_view hints[] = {
        "global",  "shared",  "local",       "const",   "param", "volatile", "relaxed", "acquire",
        "release", "acq_rel", "cta",         "cluster", "gpu",   "sys",      "weak",    "ca",
        "cg",      "cs",      "lu",          "cv",      "wb",    "wt",       "nc",      "v2",
        "v4",      "b128",    "aligned",     "approx",  "full",  "rn",       "ftz",     "sync",
        "L1",      "L2",      "shared::cta", "noftz"};
    return is_one_of(m, hints) || m.starts_with("L1::") || m.starts_with("L2::");
}

/// An instruction on half or brain floats, or cvt to tf32.
std::string reader::of_narrow(const instruction& made, const std::string& mnemonic,
                              const std::vector<std::string>& types,
                              const std::vector<std::string>& operands) {
    const std::string space = "::cuset_host::ptx::";
    const auto value = [&](std::size_t i) {
        return i < operands.size() ? of_operand(operands[i], "b32") : fail(mnemonic);
    };
    std::string words = value(0) + " = " + space;
    const bool is_conversion = made.what == shape::convert;
    if (is_conversion && types.size() == 2 && types[1] == "f32") {
        const bool two = types[0].ends_with("x2");
        if (operands.size() != (two ? 3U : 2U)) return fail(mnemonic);
        if (types[0] == "tf32") return words + "to_tf32(" + value(1) + ");";
        words += (two ? "narrowed_two<" : "narrowed<") + space + std::string(element_of(types[0])) +
                 ">(" + value(1) + (two ? ", " + value(2) : "") + ");";
        return words;
    }
    if (is_conversion) {
        const bool widens = types.size() == 2 && types[0] == "f32" && !types[1].ends_with("x2");
        if (!widens || operands.size() != 2) return fail(mnemonic);
        return words + "widened<" + space + std::string(element_of(types[1])) + ">(" + value(1) +
               ");";
    }
    const bool is_known = is_one_of(
        made.name, {"add", "sub", "mul", "fma", "min", "max", "abs", "neg", "ex2", "tanh"});
    if (!is_known || operands.size() != static_cast<std::size_t>(made.operands) + 1)
        return fail(mnemonic);
    words += "narrow_" + std::string(made.function) + "<" + space +
             std::string(element_of(types.back())) + ", " +
             (types.back().ends_with("x2") ? "2" : "1") + ">(";
    for (std::size_t k = 1; k < operands.size(); ++k) words += (k > 1 ? ", " : "") + value(k);
    return words + ");";
}

/// `{%0, %1}` as an array of words.
std::string reader::list_of(const std::string& text, const std::string& name, std::size_t& count) {
    if (text.size() < 3 || text.front() != '{' || text.back() != '}') {
        count = 1;
        return "::cuset_host::ptx::word " + name + "[] = {" + of_operand(text, "b32") + "};";
    }
    std::string words;
    count = 0;
    for (const auto& one : split(std::string_view(text).substr(1, text.size() - 2), ',')) {
        words += (count > 0 ? ", " : "") + of_operand(one, "b32");
        ++count;
    }
    return "::cuset_host::ptx::word " + name + "[] = {" + words + "};";
}

std::string reader::of_matrices(const instruction& made, const std::string& mnemonic,
                                const std::vector<std::string>& parts,
                                const std::vector<std::string>& operands) {
    const std::string space = "::cuset_host::ptx::";
    const auto has = [&](std::string_view part) {
        return std::ranges::find(parts, part) != parts.end();
    };
    const auto gives = [&](const std::string& list, std::size_t count) {
        std::string words;
        const bool many = list.starts_with('{');
        const auto names =
            split(many ? std::string_view(list).substr(1, list.size() - 2) : list, ',');
        for (std::size_t k = 0; k < count && k < names.size(); ++k)
            words += " " + of_operand(names[k], "b32") + " = cuset_d[" + std::to_string(k) + "];";
        return words;
    };
    std::size_t count = 0;
    if (made.what != shape::multiply) {
        const bool loads = made.what == shape::load_matrices;
        const char* const number = has("x4") ? "4" : has("x2") ? "2" : has("x1") ? "1" : nullptr;
        if (number == nullptr || !has("m8n8") || !has("b16") || operands.size() != 2)
            return fail(mnemonic);
        const std::string& list = operands[loads ? 0 : 1];
        std::string words = "{ " + list_of(list, "cuset_d", count);
        if (std::to_string(count) != number) return fail(mnemonic);
        const std::string place = address_of(operands[loads ? 1 : 0], {"shared"});
        words += " " + space + std::string(made.function) + "<" + number + ", " +
                 (has("trans") ? "true" : "false") + ">(" +
                 (loads ? "cuset_d, " + place : place + ", cuset_d") + ");";
        return words + (loads ? gives(list, count) : "") + " }";
    }
    // m16n8k16, row, col, and the types of D, A, B and C.
    const std::size_t k_at = parts.size() > 1 ? parts[1].find("n8k") : std::string::npos;
    if (operands.size() != 4 || parts.size() < 8 || !parts[1].starts_with('m') ||
        k_at == std::string::npos || parts[2] != "row" || parts[3] != "col")
        return fail(mnemonic);
    const bool saturates = parts[4] == "satfinite";
    const std::size_t first = saturates ? 5 : 4;
    if (parts.size() != first + 4) return fail(mnemonic);
    const std::string rows = parts[1].substr(1, k_at - 1), depth = parts[1].substr(k_at + 3);
    struct form {
        std::string_view shape, factor;
    };
    constexpr form forms[] = {{"m16n8k16", "f16"},  {"m16n8k16", "bf16"}, {"m16n8k8", "f16"},
                              {"m16n8k8", "bf16"},  {"m16n8k8", "tf32"},  {"m16n8k4", "tf32"},
                              {"m16n8k16", "s8"},   {"m16n8k16", "u8"},   {"m16n8k32", "s8"},
                              {"m16n8k32", "u8"},   {"m8n8k16", "s8"},    {"m8n8k16", "u8"},
                              {"m8n8k4", "f64"}};
    const bool is_known = std::ranges::any_of(forms, [&](const form& f) {
        return f.shape == parts[1] && f.factor == parts[first + 1];
    });
    if (!is_known) return fail(mnemonic);
    std::string types;
    for (std::size_t k = 0; k < 4; ++k) {
        if (element_of(parts[first + k]).empty()) return fail(mnemonic);
        types += ", " + space + parts[first + k];
    }
    std::string words = "{ ";
    std::size_t results = 0;
    for (std::size_t k = 0; k < 4; ++k)
        words += list_of(operands[k], std::string("cuset_") + "dabc"[k], k == 0 ? results : count) +
                 ' ';
    words += space + "multiply<" + rows + ", " + depth + types + (saturates ? ", true" : "") +
             ">(cuset_d, cuset_a, cuset_b, cuset_c);";
    return words + gives(operands[0], results) + " }";
}

std::string reader::of_instruction(std::string text) {
    std::string guard;
    if (text.starts_with('@')) {
        const std::size_t end = text.find_first_of(" \t");
        if (end == text.npos) return fail(text);
        const bool is_not = text[1] == '!';
        const std::string p = text.substr(is_not ? 2 : 1, end - (is_not ? 2 : 1));
        guard = std::string("if (") + (is_not ? "!" : "") + "(" + of_operand(p, "pred") + ")) ";
        text = split(text.substr(end), '\0')[0];
    }
    const std::size_t end = std::min(text.find_first_of(" \t"), text.size());
    const std::string mnemonic = text.substr(0, end);
    const instruction* found = nullptr;
    for (const instruction& each : instructions) {
        const bool fits = mnemonic == each.name ||
                          (mnemonic.starts_with(each.name) && mnemonic[each.name.size()] == '.');
        if (fits && (found == nullptr || each.name.size() > found->name.size())) found = &each;
    }
    if (found == nullptr) return fail(mnemonic);
    if (found->what == shape::nothing) return ";";
    const std::size_t after = found->name.size();
    std::vector<std::string> parts;
    if (mnemonic.size() > after) parts = split(std::string_view(mnemonic).substr(after + 1), '.');
    std::vector<std::string> operands;
    if (end < text.size()) operands = split(std::string_view(text).substr(end), ',');
    std::string_view type = "b32";
    std::vector<std::string> rest, types;
    for (const auto& p : parts) {
        if (!type_of(p).empty() || is_narrow(p) || p == "tf32")
            types.push_back(p);
        else if (!is_hint(p) && p.find("::") == p.npos)
            rest.push_back(p);
    }
    if (found->what == shape::load_matrices || found->what == shape::store_matrices ||
        found->what == shape::multiply)
        return guard + of_matrices(*found, mnemonic, parts, operands);
    const bool is_numeric = found->what == shape::value || found->what == shape::convert;
    const bool rounds_away = types.size() == 2 && types[0] == "tf32" && rest.size() == 1 &&
                             rest[0] == "rna";
    if (is_numeric && std::ranges::any_of(types, [](const std::string& t) {
            return is_narrow(t) || t == "tf32";
        }))
        return rest.empty() || rounds_away ? guard + of_narrow(*found, mnemonic, types, operands)
                                           : fail(mnemonic);
    if (!types.empty()) type = types.back();
    const std::string space = "::cuset_host::ptx::";
    const auto value = [&](std::size_t i, std::string_view of) {
        return i < operands.size() ? of_operand(operands[i], of) : fail(mnemonic);
    };
    // What is left of the modifiers becomes part of the function's name.
    std::string function = space + std::string(found->function);
    for (const auto& p : rest) function += '_' + p;
    const auto known = [&](std::initializer_list<std::string_view> modifiers) {
        for (const auto& p : rest)
            if (std::ranges::find(modifiers, p) == modifiers.end()) return false;
        return true;
    };
    std::string words;
    switch (found->what) {
        case shape::move: {
            if (operands.size() != 2 || !rest.empty()) return fail(mnemonic);
            const bool packs = operands[1].starts_with('{'), unpacks = operands[0].starts_with('{');
            if (!packs && !unpacks) {
                words = value(0, type) + " = " + value(1, type) + ";";
                break;
            }
            const std::string& list = operands[packs ? 1 : 0];
            const auto elements = split(std::string_view(list).substr(1, list.size() - 2), ',');
            const std::string width = std::to_string(8 * (type.ends_with("64") ? 8 : 4) /
                                                     static_cast<int>(elements.size()));
            if (elements.size() < 2 || elements.size() > 4) return fail(mnemonic);
            words =
                packs ? value(0, type) + " = 0;" : "{ const auto cuset_v = " + value(1, type) + ";";
            for (std::size_t k = 0; k < elements.size(); ++k) {
                const std::string shift = std::to_string(k) + " * " + width;
                const std::string one = of_operand(elements[k], type);
                words += packs ? " " + value(0, type) + " |= " + space + "low(" + one + ", " +
                                     width + ") << (" + shift + ");"
                               : " " + one + " = " + space + "low(cuset_v >> (" + shift + "), " +
                                     width + ");";
            }
            if (unpacks) words += " }";
            break;
        }
        case shape::value: {
            if (!known({"rz",       "rm",  "rp",  "sat", "add", "min", "max",
                        "and",      "or",  "xor", "all", "any", "uni", "ballot",
                        "shiftamt", "b4e", "f4e", "rc8", "ecl", "ecr", "rc16"}))
                return fail(mnemonic);
            const bool is_float = type.starts_with('f');
            for (const auto& p : rest)
                if ((p == "rz" || p == "rm" || p == "rp") || (p == "sat" && !is_float) ||
                    (p.size() == 3 && (p[0] == 'b' || p[0] == 'f' || p[0] == 'r' || p[0] == 'e') &&
                     p != "any"))
                    return fail(mnemonic);
            if (operands.size() != static_cast<std::size_t>(found->operands) + 1)
                return fail(mnemonic);
            if (type_of(type).empty()) return fail(mnemonic);
            if (found->name == "dp4a" && types.size() == 2) function += types[0] + types[1];
            words = value(0, type) + " = " + function + "<" + type_of(type) + ">(";
            for (int k = 1; k <= found->operands; ++k)
                words += (k > 1 ? ", " : "") + value(static_cast<std::size_t>(k), type);
            words += ");";
            break;
        }
        case shape::compare: {
            constexpr std::string_view comparisons[] = {"eq",  "ne",  "lt",  "le",  "gt",  "ge",
                                                        "lo",  "ls",  "hi",  "hs",  "equ", "neu",
                                                        "ltu", "leu", "gtu", "geu", "num", "nan"};
            if (rest.size() != 1 || !is_one_of(rest[0], comparisons) || operands.size() != 3)
                return fail(mnemonic);
            const auto results = split(operands[0], '|');
            words = of_operand(results[0], "pred") + " = " + function + "<" + type_of(type) + ">(" +
                    value(1, type) + ", " + value(2, type) + ");";
            if (results.size() == 2)
                words += " " + of_operand(results[1], "pred") + " = !" +
                         of_operand(results[0], "pred") + ";";
            break;
        }
        case shape::load:
        case shape::store: {
            const bool loads = found->what == shape::load;
            if (!rest.empty() || operands.size() != 2 || type_of(type).empty())
                return fail(mnemonic);
            const std::string place = address_of(operands[loads ? 1 : 0], parts);
            std::vector<std::string> elements{operands[loads ? 0 : 1]};
            if (elements[0].starts_with('{'))
                elements =
                    split(std::string_view(elements[0]).substr(1, elements[0].size() - 2), ',');
            words = "{ const auto cuset_v = " + place + ";";
            for (std::size_t k = 0; k < elements.size(); ++k) {
                const std::string one = of_operand(elements[k], type);
                const std::string at = "<" + type_of(type) + ">(cuset_v, " + std::to_string(k);
                words += loads ? " " + one + " = " + space + "load" + at + ");"
                               : " " + space + "store" + at + ", " + one + ");";
            }
            words += " }";
            break;
        }
        case shape::atomic:
        case shape::reduce: {
            if (rest.size() != 1 ||
                !known({"add", "min", "max", "and", "or", "xor", "exch", "cas", "inc", "dec"}))
                return fail(mnemonic);
            const bool gives = found->what == shape::atomic;
            const std::size_t first = gives ? 1 : 0;
            if (operands.size() < first + 2) return fail(mnemonic);
            words = (gives ? value(0, type) + " = " : std::string()) + function + "<" +
                    type_of(type) + ">(" + address_of(operands[first], parts);
            for (std::size_t k = first + 1; k < operands.size(); ++k)
                words += ", " + value(k, type);
            words += ");";
            break;
        }
        case shape::convert: {
            if (types.size() != 2 || operands.size() != 2 || rest.size() > 1 ||
                !known({"rz", "rni", "rzi", "rmi", "rpi", "sat"}))
                return fail(mnemonic);
            words = value(0, types[0]) + " = " + function + "<" + type_of(types[0]) + ", " +
                    type_of(types[1]) + ">(" + value(1, types[1]) + ");";
            break;
        }
        case shape::address: {
            if (operands.size() != 2) return fail(mnemonic);
            const bool is_shared = std::ranges::any_of(
                parts, [](const std::string& p) { return p.starts_with("shared"); });
            words = value(0, "b64") + " = " +
                    (is_shared ? space + std::string(found->function) : "") + "(" +
                    value(1, "b64") + ");";
            break;
        }
        case shape::shuffle: {
            if (rest.size() != 1 || !known({"up", "down", "bfly", "idx"}) || operands.size() != 5)
                return fail(mnemonic);
            const auto results = split(operands[0], '|');
            words = "{ bool cuset_in = false; " + of_operand(results[0], type) + " = " + function +
                    "(" + value(1, type) + ", " + value(2, type) + ", " + value(3, type) + ", " +
                    value(4, type) + ", cuset_in);";
            if (results.size() == 2) words += " " + of_operand(results[1], "pred") + " = cuset_in;";
            words += " }";
            break;
        }
        case shape::copy: {
            if (!rest.empty() || operands.size() < 3 || operands.size() > 4) return fail(mnemonic);
            words = space + "copy(" + address_of(operands[0], {"shared"}) + ", " +
                    address_of(operands[1], {}) + ", " + value(2, "b32") + ", " +
                    value(operands.size() - 1, "b32") + ");";
            break;
        }
        case shape::call: {
            if (!rest.empty() || operands.size() != static_cast<std::size_t>(found->operands))
                return fail(mnemonic);
            words = function + "(";
            for (std::size_t k = 0; k < operands.size(); ++k)
                words += (k > 0 ? ", " : "") + value(k, type);
            words += ");";
            break;
        }
        case shape::load_matrices:
        case shape::store_matrices:
        case shape::multiply:
        case shape::nothing: break;
    }
    return guard + words;
}

std::string reader::words() {
    if (!is_read_) return fail("a statement that cannot be read");
    std::string body;
    std::vector<std::string> lines;
    std::string now;
    for (const char c : asm_.text) {
        if (c == ';') {
            lines.push_back(now);
            now.clear();
        } else {
            now += c;
        }
    }
    lines.push_back(now);
    for (auto& line : lines) {
        line = split(line, '\0')[0];
        // A brace before a statement's first word opens a scope; one alone closes it.
        while (line.starts_with('{') || line.starts_with('}'))
            line = split(line.substr(1), '\0')[0];
        if (line.empty()) continue;
        // A label stands before an instruction.
        if (const std::size_t colon = line.find(':');
            colon != line.npos && colon < line.find_first_of(" \t") && line[colon + 1] != ':')
            return fail("a label");
        body += line.starts_with(".reg") ? declare(line) : of_instruction(line) + ' ';
        if (!missing.empty()) return {};
    }
    std::string words = "do { [[maybe_unused]] ::cuset_host::ptx::word cuset_none = 0;";
    std::size_t number = 0;
    for (const auto* list : {&asm_.outputs, &asm_.inputs})
        for (const operand& o : *list) {
            const char kind = o.constraint.empty() ? '?' : o.constraint.back();
            constexpr std::string_view kinds = "rlhfdnqC";
            if (kinds.find(kind) == kinds.npos || kind == 'q' || kind == 'C')
                return fail("an operand \"" + o.constraint + '"');
            const bool is_read = list == &asm_.inputs || o.constraint.starts_with('+');
            const std::string value = source_of(code_, o.value);
            words +=
                " ::cuset_host::ptx::word cuset_r" + std::to_string(number++) + " = " +
                (is_read ? "::cuset_host::ptx::taken<'" + std::string(1, kind) + "'>(" + value + ")"
                         : "0") +
                ";";
        }
    words += ' ' + body;
    for (std::size_t k = 0; k < asm_.outputs.size(); ++k)
        words += " ::cuset_host::ptx::give(cuset_r" + std::to_string(k) + ", " +
                 source_of(code_, asm_.outputs[k].value) + ");";
    return words + " } while (false)";
}

bool is_asm(const token_stream& code, std::uint32_t i) {
    return code.is_any_word(i, {"asm", "__asm__", "__asm"}) &&
           (code.is(i + 1, '(') || code.is_any_word(i + 1, {"volatile", "__volatile__"}));
}

}  // namespace

std::vector<std::string> ptx_instructions() {
    std::vector<std::string> names;
    for (const instruction& each : instructions) names.emplace_back(each.name);
    std::ranges::sort(names);
    return names;
}

std::vector<std::string> ptx_special_registers() {
    return {std::begin(special_registers), std::end(special_registers)};
}

std::optional<std::string> unmodelled_ptx(const cuda_program& program, std::uint32_t i) {
    reader read(program, i);
    read.words();
    if (read.missing.empty()) return std::nullopt;
    return "inline PTX: " + read.missing;
}

void rewrite_inline_ptx(const cuda_program& program, text_edits& edits) {
    const token_stream& code = program.code;
    for (std::uint32_t i = 0; i < code.size(); ++i) {
        if (!is_asm(code, i)) continue;
        const bool in_macro = program.macro_around(i) != nullptr;
        if (!in_macro && !program.runs_on_device(i)) continue;
        reader read(program, i);
        std::string words = read.words();
        if (!read.missing.empty()) continue;
        const statement& made = read.read_statement();
        // A barrier for the compiler alone is g++'s too.
        if (made.text.find_first_not_of(" ;") == made.text.npos) continue;
        edits.replace(code.tokens[i].begin, code.tokens[made.close].end, std::move(words),
                      in_macro);
        i = made.close;
    }
}

}  // namespace cuset
