// What lib/model makes of a matrix that is quantised, for the script that compares it with
// bitsandbytes.
//   quantise_dump nf4|int8 ROWS COLUMNS
// stdin:  ROWS × COLUMNS floats
// stdout: nf4: a code in a byte for each element, the absmax of each block as a float, the offset,
// a
//         code in a byte for each block, and the absmax of each group; int8: the codes, and the
//         absmax of each row. Then for both the dequantised elements, and the same in bfloat16, all
//         as floats. Numbers are little endian.
#include <cstdio>
#include <cstdlib>
#include <string>
#include <vector>

#include "cuset/kernels/quantised_panels.h"
#include "quantised_matrix.h"
#include "weights.h"

namespace {

using namespace cuset;

template <class T>
void write(const std::vector<T>& values) {
    std::fwrite(values.data(), sizeof(T), values.size(), stdout);
}

void write_nf4(const std::vector<float>& x) {
    std::vector<std::uint8_t> codes(x.size());
    std::vector<float> absmax;
    double sum = 0;
    for (std::size_t i = 0; i < x.size(); i += kernels::nf4_block) {
        absmax.push_back(
            kernels::quantise_nf4(&x[i], std::min(kernels::nf4_block, x.size() - i), &codes[i]));
        sum += static_cast<double>(absmax.back());
    }
    write(codes);
    write(absmax);
    const auto offset = static_cast<float>(sum / static_cast<double>(absmax.size()));
    write(std::vector{offset});
    std::vector<std::uint8_t> bytes(absmax.size());
    std::vector<float> groups;
    for (float& value : absmax) value -= offset;
    for (std::size_t i = 0; i < absmax.size(); i += kernels::nf4_group)
        groups.push_back(kernels::quantise_dynamic(
            &absmax[i], std::min(kernels::nf4_group, absmax.size() - i), &bytes[i]));
    write(bytes);
    write(groups);
}

void write_int8(const std::vector<float>& x, std::size_t columns) {
    std::vector<std::int8_t> codes(x.size());
    std::vector<float> absmax;
    for (std::size_t i = 0; i < x.size(); i += columns)
        absmax.push_back(kernels::quantise_int8(&x[i], columns, &codes[i]));
    write(codes);
    write(absmax);
}

}  // namespace

int main(int argc, char** argv) {
    if (argc != 4) {
        std::fprintf(stderr, "usage: quantise_dump nf4|int8 ROWS COLUMNS\n");
        return 2;
    }
    const bool is_nf4 = std::string(argv[1]) == "nf4";
    const std::int64_t rows = std::atoll(argv[2]), columns = std::atoll(argv[3]);
    std::vector<float> x(static_cast<std::size_t>(rows * columns));
    if (std::fread(x.data(), sizeof(float), x.size(), stdin) != x.size()) {
        std::fprintf(stderr, "quantise_dump: too few elements\n");
        return 1;
    }
    if (is_nf4)
        write_nf4(x);
    else
        write_int8(x, static_cast<std::size_t>(columns));
    task_pool pool(2);
    for (const bool bfloat16 : {false, true}) {
        large_pages memory;
        const auto matrix = quantised_matrix::make(is_nf4 ? quantisation::nf4 : quantisation::int8,
                                                   {x.data(), element_type::f32, rows, columns},
                                                   bfloat16, pool, memory);
        if (!matrix) {
            std::fprintf(stderr, "quantise_dump: %s\n", matrix.error().message().c_str());
            return 1;
        }
        std::vector<float> values(x.size());
        matrix->read(0, rows, 0, columns, values.data(), columns);
        write(values);
    }
    return 0;
}
