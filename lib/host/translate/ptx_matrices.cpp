// Instructions on narrow floating point and on matrices that a warp holds.
#include <algorithm>

#include "translate/ptx_reader.h"

namespace cuset::ptx {

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
    const auto is_bytes = [](const std::string& t) { return t == "e4m3x2" || t == "e5m2x2"; };
    if (is_conversion && types.size() == 2 && types[1] == "f32") {
        const bool two = types[0].ends_with("x2");
        if (operands.size() != (two ? 3U : 2U)) return fail(mnemonic);
        if (types[0] == "tf32") return words + "to_tf32(" + value(1) + ");";
        words += (is_bytes(types[0]) ? "narrowed_bytes<"
                  : two              ? "narrowed_two<"
                                     : "narrowed<") +
                 space + std::string(element_of(types[0])) + ">(" + value(1) +
                 (two ? ", " + value(2) : "") + ");";
        return words;
    }
    if (is_conversion && types.size() == 2 && operands.size() == 2 &&
        (is_bytes(types[0]) ? types[1] : types[0]) == "f16x2" &&
        is_bytes(types[0]) != is_bytes(types[1])) {
        const bool narrows = is_bytes(types[0]);
        return words + (narrows ? "narrowed_halves<" : "widened_bytes<") + space +
               std::string(element_of(types[narrows ? 0 : 1])) + ">(" + value(1) + ");";
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
    constexpr form forms[] = {{"m16n8k16", "f16"}, {"m16n8k16", "bf16"}, {"m16n8k8", "f16"},
                              {"m16n8k8", "bf16"}, {"m16n8k8", "tf32"},  {"m16n8k4", "tf32"},
                              {"m16n8k16", "s8"},  {"m16n8k16", "u8"},   {"m16n8k32", "s8"},
                              {"m16n8k32", "u8"},  {"m8n8k16", "s8"},    {"m8n8k16", "u8"},
                              {"m8n8k4", "f64"},   {"m16n8k32", "e4m3"}, {"m16n8k32", "e5m2"}};
    const bool is_known = std::ranges::any_of(
        forms, [&](const form& f) { return f.shape == parts[1] && f.factor == parts[first + 1]; });
    if (!is_known) return fail(mnemonic);
    std::string types;
    for (std::size_t k = 0; k < 4; ++k) {
        if (element_of(parts[first + k]).empty()) return fail(mnemonic);
        types += ", " + space + parts[first + k];
    }
    std::string words = "{ ";
    std::size_t results = 0;
    for (std::size_t k = 0; k < 4; ++k)
        words +=
            list_of(operands[k], std::string("cuset_") + "dabc"[k], k == 0 ? results : count) + ' ';
    words += space + "multiply<" + rows + ", " + depth + types + (saturates ? ", true" : "") +
             ">(cuset_d, cuset_a, cuset_b, cuset_c);";
    return words + gives(operands[0], results) + " }";
}

}  // namespace cuset::ptx
