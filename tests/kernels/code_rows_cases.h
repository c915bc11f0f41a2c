// dequantise() of rows of codes against its definition, element by element and to the bit.
#pragma once

#include <algorithm>

#include "machine.h"
#include "token_loss_cases.h"

namespace kernel_cases {

struct code_rows_case {
    code_format format;
    std::size_t rows, columns;
    value_type type;
    bool nested = true;  ///< NF4's absmax in 8 bits
};

inline std::string name_of(const code_rows_case& c) {
    char text[120];
    std::snprintf(text, sizeof text, "%s%s %zu x %zu to %s",
                  c.format == code_format::nf4 ? "nf4" : "int8", c.nested ? ", nested" : "", c.rows,
                  c.columns, c.type == value_type::float32 ? "f32" : "bf16");
    return text;
}

inline void check(machine& on, const code_rows_case& c, findings& found) {
    found.begin(name_of(c));
    random_bits random(c.rows * 131 + c.columns);
    const bool nf4 = c.format == code_format::nf4;
    const std::size_t elements = c.rows * c.columns;
    const std::size_t blocks = (elements + nf4_block - 1) / nf4_block;
    std::vector<std::uint8_t> bytes(nf4 ? (elements + 1) / 2 : elements), block_codes(blocks);
    for (auto& byte : bytes) byte = static_cast<std::uint8_t>(random.next());
    for (auto& code : block_codes) code = static_cast<std::uint8_t>(random.next());
    std::vector<float> scales(nf4 ? blocks : c.rows), values(dynamic_codes);
    std::vector<float> groups((blocks + nf4_group - 1) / nf4_group);
    for (auto* const all : {&scales, &values, &groups})
        for (float& x : *all) x = static_cast<float>(random.normal());
    const float offset = 0.37F;

    code_rows matrix;
    matrix.format = c.format;
    matrix.elements = elements;
    matrix.columns = c.columns;
    matrix.codes = on.copy_in(bytes);
    if (nf4 && c.nested)
        matrix.nested = {on.copy_in(block_codes), on.copy_in(groups), offset, on.copy_in(values)};
    else
        matrix.scales = on.copy_in(scales);

    // Elements behind the last one must stay as they are.
    const logit_type type =
        c.type == value_type::float32 ? logit_type::float32 : logit_type::bfloat16;
    element_array wanted(type, elements + 9);
    for (std::size_t i = 0; i < elements + 9; ++i) wanted.set(i, -7);
    unsigned char* const to = on.copy_in(wanted.bytes());
    for (std::size_t i = 0; i < elements; ++i) {
        float scale = scales[nf4 ? i / nf4_block : i / c.columns];
        if (nf4 && c.nested) {
            const std::size_t block = i / nf4_block;
            // Rounded before it is added.
            const volatile float product = values[block_codes[block]] * groups[block / nf4_group];
            scale = product + offset;
        }
        const unsigned two = bytes[nf4 ? i / 2 : i];
        const float code = nf4 ? nf4_values[i % 2 == 0 ? two >> 4 : two & 15]
                               : static_cast<float>(static_cast<std::int8_t>(two));
        wanted.set(i, code * scale);
    }
    found.ran(on.run(matrix, to, c.type));
    const auto after = on.copy_out(to, wanted.bytes().size());
    found.same("elements", after.data(), wanted.bytes().data(), after.size());
    on.clear();
}

inline void code_rows_cases(machine& on, extent size, findings& found) {
    for (const auto type : {value_type::float32, value_type::bfloat16}) {
        for (const bool nested : {true, false}) {
            check(on, {code_format::nf4, 3, 64, type, nested}, found);
            check(on, {code_format::nf4, 5, 27, type, nested}, found);
            // A second block of threads, whose second turn is not full.
            if (nested) check(on, {code_format::nf4, 1, 8192 + 2048 + 13, type, nested}, found);
            if (size == extent::tiny) continue;
            for (const std::size_t rows : {0U, 1U, 2U, 31U})
                check(on, {code_format::nf4, rows, 1, type, nested}, found);
            // More blocks than a group has, blocks of threads that are not full, an odd end.
            check(on, {code_format::nf4, 70, 640, type, nested}, found);
            check(on, {code_format::nf4, 129, 255, type, nested}, found);
        }
        check(on, {code_format::int8, 3, 40, type, false}, found);
        check(on, {code_format::int8, 9, 3, type, false}, found);
        if (size == extent::tiny) continue;
        for (const std::size_t rows : {0U, 1U, 7U, 9U}) {
            check(on, {code_format::int8, rows, 1, type, false}, found);
            check(on, {code_format::int8, rows, 8, type, false}, found);
        }
        check(on, {code_format::int8, 70, 640, type, false}, found);
        check(on, {code_format::int8, 129, 255, type, false}, found);
    }
    if (size != extent::full) return;
    check(on, {code_format::nf4, 4864, 896, value_type::bfloat16}, found);
    check(on, {code_format::int8, 4864, 896, value_type::bfloat16, false}, found);
}

}  // namespace kernel_cases
