#include "translate/inline_ptx.h"

#include <algorithm>
#include <cctype>
#include <iterator>
#include <string_view>

#include "translate/ptx_reader.h"

namespace cuset {

namespace ptx {

/// A thread that goes back may wait for others.
std::string reader::branch_to(const std::string& label) {
    if (!labels_.contains(label)) return fail(label);
    return std::string("{ ") + (passed_.contains(label) ? "::cuset_host::step(0); " : "") +
           "goto cuset_at_" + label + "; }";
}

namespace {

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

/// The order of a load or store that other threads may meet, as a template argument; empty for a
/// weak one.
template <class Parts>
std::string order_of(const Parts& modifiers) {
    for (const std::string_view m : modifiers) {
        if (m == "acquire") return ", __ATOMIC_ACQUIRE";
        if (m == "release") return ", __ATOMIC_RELEASE";
        if (m == "volatile" || m == "relaxed") return ", __ATOMIC_RELAXED";
    }
    return {};
}

}  // namespace

std::string reader::of_instruction(std::string text) {
    std::string guard;
    if (text.starts_with('@')) {
        const std::size_t end = text.find_first_of(" \t");
        if (end == text.npos) return fail(text);
        guard = "if (" + of_operand(text.substr(1, end - 1), "pred") + ") ";
        text = split(text.substr(end), '\0')[0];
    }
    const std::size_t end = std::min(text.find_first_of(" \t"), text.size());
    const std::string mnemonic = text.substr(0, end);
    const instruction* found = nullptr;
    for (const instruction& each : instructions()) {
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
    const bool is_access = found->what == shape::load || found->what == shape::store ||
                           found->what == shape::atomic || found->what == shape::reduce ||
                           found->what == shape::copy;
    if (is_access && std::ranges::find(parts, "L2::cache_hint") != parts.end() && !operands.empty())
        operands.pop_back();  // the policy
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
    const bool rounds_away =
        types.size() == 2 && types[0] == "tf32" && rest.size() == 1 && rest[0] == "rna";
    // cvt to floats of 8 bits always saturates.
    const bool narrows_to_bytes = !types.empty() &&
                                  (types[0] == "e4m3x2" || types[0] == "e5m2x2") &&
                                  rest == std::vector<std::string>{"satfinite"};
    if (is_numeric && std::ranges::any_of(
                          types, [](const std::string& t) { return is_narrow(t) || t == "tf32"; }))
        return rest.empty() || rounds_away || narrows_to_bytes
                   ? guard + of_narrow(*found, mnemonic, types, operands)
                   : fail(mnemonic);
    if (!types.empty()) type = types.back();
    const std::string space = "::cuset_host::ptx::";
    const auto value = [&](std::size_t i, std::string_view operand_type) {
        return i < operands.size() ? of_operand(operands[i], operand_type) : fail(mnemonic);
    };
    const bool flushes = std::ranges::find(parts, "ftz") != parts.end();
    const auto flushed = [&](std::string_view operand_type, const std::string& made) {
        return flushes && operand_type == "f32" ? space + "flushed(" + made + ")" : made;
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
            const int bits = type.ends_with("64") ? 64 : type.ends_with("16") ? 16 : 32;
            const std::string width = std::to_string(bits / static_cast<int>(elements.size()));
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
            const bool saturates =
                is_float || (is_one_of(found->name, {"add", "sub", "mad.hi"}) && type == "s32");
            for (const auto& p : rest)
                if ((p == "rz" || p == "rm" || p == "rp") || (p == "sat" && !saturates) ||
                    (p.size() == 3 && (p[0] == 'b' || p[0] == 'f' || p[0] == 'r' || p[0] == 'e') &&
                     p != "any"))
                    return fail(mnemonic);
            if (operands.size() != static_cast<std::size_t>(found->operands) + 1)
                return fail(mnemonic);
            if (type_of(type).empty()) return fail(mnemonic);
            if (found->name.starts_with("dp") && types.size() == 2) function += types[0] + types[1];
            std::string made = function + "<" + type_of(type) + ">(";
            for (int k = 1; k <= found->operands; ++k)
                made +=
                    (k > 1 ? ", " : "") + flushed(type, value(static_cast<std::size_t>(k), type));
            words = value(0, type) + " = " + flushed(type, made + ")") + ";";
            break;
        }
        case shape::lanes: {
            const bool adds = rest == std::vector<std::string>{"add"};
            const bool saturates = rest == std::vector<std::string>{"sat"};
            if (types.size() != 3 || operands.size() != 4 || !(rest.empty() || adds || saturates))
                return fail(mnemonic);
            for (const auto& t : types)
                if (t != "u32" && t != "s32") return fail(mnemonic);
            const auto is_signed = [&](std::size_t k) {
                return types[k] == "s32" ? ", true" : ", false";
            };
            words = value(0, type) + " = " + space + "in_lanes<" +
                    std::string(1, found->name.back()) + is_signed(0) + is_signed(1) +
                    is_signed(2) + (saturates ? ", true" : ", false") +
                    (adds ? ", true" : ", false") + ">(" + value(1, type) + ", " + value(2, type) +
                    ", " + value(3, type) + ", [](int x, int y) { return " +
                    std::string(found->function) + "; });";
            break;
        }
        case shape::compare: {
            constexpr std::string_view comparisons[] = {"eq",  "ne",  "lt",  "le",  "gt",  "ge",
                                                        "lo",  "ls",  "hi",  "hs",  "equ", "neu",
                                                        "ltu", "leu", "gtu", "geu", "num", "nan"};
            const bool combines = rest.size() == 2 && is_one_of(rest[1], {"and", "or", "xor"});
            const bool sets = found->name == "set";
            if ((rest.size() != 1 && !combines) || !is_one_of(rest[0], comparisons) ||
                operands.size() != (combines ? 4U : 3U) || types.size() != (sets ? 2U : 1U))
                return fail(mnemonic);
            const std::string compared =
                space + std::string(found->function) + '_' + rest[0] + "<" + type_of(type) + ">(" +
                flushed(type, value(1, type)) + ", " + flushed(type, value(2, type)) + ")";
            const auto joined = [&](const std::string& first) {
                return !combines          ? first
                       : rest[1] == "and" ? first + " && cuset_d"
                       : rest[1] == "or"  ? first + " || cuset_d"
                                          : first + " != cuset_d";
            };
            words = "{ const bool cuset_c = " + compared + " != 0;";
            if (combines)
                words += " const bool cuset_d = " + of_operand(operands[3], "pred") + " != 0;";
            const auto results = split(operands[0], '|');
            if (sets) {
                const std::string one = types[0] == "f32" ? "0x3f800000" : "0xffffffff";
                words +=
                    " " + value(0, types[0]) + " = (" + joined("cuset_c") + ") ? " + one + " : 0;";
            } else {
                words += " " + of_operand(results[0], "pred") + " = " + joined("cuset_c") + ";";
                if (results.size() == 2)
                    words +=
                        " " + of_operand(results[1], "pred") + " = " + joined("!cuset_c") + ";";
            }
            words += " }";
            break;
        }
        case shape::test: {
            if (rest.size() != 1 || operands.size() != 2 || types.size() != 1 ||
                !is_one_of(rest[0],
                           {"finite", "infinite", "number", "notanumber", "normal", "subnormal"}))
                return fail(mnemonic);
            words = of_operand(operands[0], "pred") + " = " + function + "<" + type_of(type) +
                    ">(" + value(1, type) + ");";
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
            words = "{ const auto cuset_v = " + place +
                    "; ::cuset_host::require_alignment(cuset_v, " +
                    std::to_string(elements.size()) + " * sizeof(" + type_of(type) + "));";
            for (std::size_t k = 0; k < elements.size(); ++k) {
                const std::string one = of_operand(elements[k], type);
                const std::string strong = order_of(parts);
                const std::string at = (strong.empty() ? "" : "_strongly") + std::string("<") +
                                       type_of(type) + strong + ">(cuset_v, " + std::to_string(k);
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
            // What becomes an integer ends at its limits anyway.
            if (types.size() == 2 && types[1].starts_with('f') && !types[0].starts_with('f'))
                std::erase(rest, "sat");
            function = space + std::string(found->function);
            for (const auto& p : rest) function += '_' + p;
            if (types.size() != 2 || operands.size() != 2 || rest.size() > 1 ||
                !known({"rz", "rni", "rzi", "rmi", "rpi", "sat"}))
                return fail(mnemonic);
            words =
                value(0, types[0]) + " = " +
                flushed(types[0], function + "<" + type_of(types[0]) + ", " + type_of(types[1]) +
                                      ">(" + flushed(types[1], value(1, types[1])) + ")") +
                ";";
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
        case shape::elect: {
            const auto wanted = static_cast<std::size_t>(found->operands) + 1;
            if (operands.size() != wanted || !rest.empty()) return fail(mnemonic);
            const auto results = split(operands[0], '|');
            if (results.size() > 2 || (results.size() == 1 && wanted == 2)) return fail(mnemonic);
            words = "{ bool cuset_in = false; " + of_operand(results[0], type) + " = " + function +
                    (wanted == 3 ? "<" + type_of(type) + ">(" + value(1, type) + ", " : "(") +
                    value(wanted - 1, "b32") + ", cuset_in);";
            if (results.size() == 2) words += " " + of_operand(results[1], "pred") + " = cuset_in;";
            words += " }";
            break;
        }
        case shape::policy: words = value(0, "b64") + " = 0;"; break;
        case shape::branch: {
            if (operands.size() != 1 || (!rest.empty() && rest != std::vector<std::string>{"uni"}))
                return fail(mnemonic);
            words = branch_to(operands[0]);
            break;
        }
        case shape::barrier_object: {
            const std::size_t at = operands.size() > 1 && operands[1].starts_with('[') ? 1 : 0;
            const std::size_t given = operands.size() - std::min(at, operands.size());
            const auto most = static_cast<std::size_t>(found->operands);
            if (!rest.empty() || given > most || given + 1 < most) return fail(mnemonic);
            if (at == 1) words = value(0, type) + " = ";
            words += function + "(" + address_of(operands[at], parts);
            for (std::size_t k = at + 1; k < operands.size(); ++k) words += ", " + value(k, type);
            words += ");";
            break;
        }
        case shape::tensor_copy: words = of_tensor_copy(mnemonic, parts, operands); break;
        case shape::bulk_copy: words = of_bulk_copy(mnemonic, parts, operands); break;
        case shape::copy: {
            if (!rest.empty() || operands.size() < 3 || operands.size() > 4) return fail(mnemonic);
            // The last operand, if there is one: the bytes that are read, or a predicate that
            // leaves the source alone.
            std::string taken = value(operands.size() - 1, "b32");
            if (operands.size() == 4 && predicates_.contains(register_name(operands[3])))
                taken = "(" + taken + " ? 0 : " + value(2, "b32") + ")";
            words = space + "copy(" + address_of(operands[0], {"shared"}) + ", " +
                    address_of(operands[1], {}) + ", " + value(2, "b32") + ", " + taken + ");";
            break;
        }
        case shape::barrier:
        case shape::call: {
            const std::size_t more = found->what == shape::barrier && operands.size() == 2 ? 1 : 0;
            const std::size_t wanted = static_cast<std::size_t>(found->operands) + more;
            if (!rest.empty() || operands.size() != wanted) return fail(mnemonic);
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
    // A brace before a statement's first word opens a scope; one alone closes it. A label stands
    // before an instruction.
    const auto without_braces = [](std::string line) {
        line = split(line, '\0')[0];
        while (line.starts_with('{') || line.starts_with('}'))
            line = split(line.substr(1), '\0')[0];
        return line;
    };
    const auto label_of = [](std::string_view line) -> std::string {
        const std::size_t colon = line.find(':');
        const bool is_label = colon != line.npos && colon < line.find_first_of(" \t") &&
                              (colon + 1 == line.size() || line[colon + 1] != ':');
        return is_label ? std::string(line.substr(0, colon)) : std::string();
    };
    for (auto& line : lines) {
        line = without_braces(line);
        for (std::string rest = line, label; !(label = label_of(rest)).empty();
             rest = without_braces(rest.substr(label.size() + 1))) {
            if (!std::ranges::all_of(label, [](char c) { return is_word_byte(c); }))
                return fail("the label " + label);
            labels_.insert(label);
        }
    }
    for (auto& line : lines) {
        for (std::string label; !(label = label_of(line)).empty();
             line = without_braces(line.substr(label.size() + 1))) {
            passed_.insert(label);
            body += "cuset_at_" + label + ": ; ";
        }
        if (line.empty()) continue;
        if (line.starts_with(".reg"))
            declare(line);
        else
            body += of_instruction(line) + ' ';
        if (!missing.empty()) return {};
    }
    std::string declared;
    for (const auto& label : labels_) declared += "__label__ cuset_at_" + label + "; ";
    declared += "[[maybe_unused]] ::cuset_host::ptx::word cuset_none = 0;";
    for (const auto& name : locals_)
        declared += " ::cuset_host::ptx::word cuset_l_" + name + " = 0;";
    std::string words = "do { " + declared;
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

}  // namespace ptx

namespace {

using namespace ptx;

bool is_asm(const token_stream& code, std::uint32_t i) {
    return code.is_any_word(i, {"asm", "__asm__", "__asm"}) &&
           (code.is(i + 1, '(') || code.is_any_word(i + 1, {"volatile", "__volatile__"}));
}

}  // namespace

std::vector<std::string> ptx_instructions() {
    std::vector<std::string> names;
    for (const ptx::instruction& each : ptx::instructions()) names.emplace_back(each.name);
    std::ranges::sort(names);
    return names;
}

std::vector<std::string> ptx_special_registers() {
    const auto registers = ptx::special_registers();
    return {registers.begin(), registers.end()};
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
