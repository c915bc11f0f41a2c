// The options of a model that logprob_dump and decode_dump load, and their clock.
#pragma once

#include <chrono>
#include <cstdlib>
#include <string>

#include "cuset/model/causal_lm.h"

namespace cuset {

/// False if it is another option.
inline bool read_model_option(const std::string& option, const std::string& value,
                              model_options& load) {
    if (option == "--adapter") {
        load.adapter = value;
    } else if (option == "--threads") {
        load.threads = std::atoi(value.c_str());
    } else if (option == "--device") {
        load.device = value;
    } else if (option == "--dtype") {
        load.dtype = value == "f32"    ? compute_type::f32
                     : value == "bf16" ? compute_type::bf16
                                       : compute_type::automatic;
    } else if (option == "--quantize") {
        load.quantise = value == "nf4"    ? quantisation::nf4
                        : value == "int8" ? quantisation::int8
                                          : quantisation::none;
    } else if (option == "--path") {
        load.path = value == "operators"           ? forward_path::operators
                    : value == "float_products"    ? forward_path::float_products
                    : value == "bfloat16_products" ? forward_path::bfloat16_products
                                                   : forward_path::automatic;
    } else {
        return false;
    }
    return true;
}

inline double seconds_since(std::chrono::steady_clock::time_point start) {
    return std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
}

}  // namespace cuset
