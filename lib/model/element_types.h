// Stored types in LibTorch's terms. Private to lib/model.
#pragma once

#include <c10/core/ScalarType.h>

#include "cuset/model/safetensors.h"

namespace cuset {

inline at::ScalarType scalar_type(element_type type) {
    switch (type) {
        case element_type::bf16: return at::kBFloat16;
        case element_type::f16: return at::kHalf;
        default: return at::kFloat;
    }
}

}  // namespace cuset
