// The versions of the CPU kernels that this processor can run; every test runs each of them.
#pragma once

#include <vector>

#include "cuset/kernels/instruction_set.h"

inline std::vector<cuset::kernels::instruction_set> available_sets() {
    using cuset::kernels::instruction_set;
    std::vector<instruction_set> sets;
    for (const auto set :
         {instruction_set::portable, instruction_set::avx2, instruction_set::avx512,
          instruction_set::avx512_bf16, instruction_set::amx}) {
        if (cuset::kernels::is_available(set)) sets.push_back(set);
    }
    return sets;
}
