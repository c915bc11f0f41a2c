#include "cuset/host/build/gxx_flags.h"

#include <string_view>
#include <utility>

namespace cuset {

host_flags host_flags_of(const std::vector<std::string>& nvcc_flags) {
    host_flags found;
    for (std::size_t i = 0; i < nvcc_flags.size(); ++i) {
        std::string flag = nvcc_flags[i];
        const bool is_definition =
            flag.starts_with("-D") || flag.starts_with("-U") || flag.starts_with("-I");
        if (is_definition && flag.size() == 2 && i + 1 < nvcc_flags.size()) flag += nvcc_flags[++i];
        if ((flag == "-std" || flag == "--std") && i + 1 < nvcc_flags.size())
            flag += '=' + nvcc_flags[++i];
        if (flag == "-extended-lambda" || flag == "--extended-lambda" ||
            flag == "-expt-extended-lambda" || flag == "--expt-extended-lambda") {
            found.dialect.extended_lambda = true;
            continue;
        }
        if (flag == "-expt-relaxed-constexpr" || flag == "--expt-relaxed-constexpr") {
            found.dialect.relaxed_constexpr = true;
            continue;
        }
        if (flag == "-use_fast_math" || flag == "--use_fast_math") found.fast_math = true;
        std::string standard;
        for (const std::string_view prefix : {"-std=", "--std="})
            if (flag.starts_with(prefix)) standard = flag.substr(prefix.size());
        if (standard.starts_with("gnu++")) standard.replace(0, 5, "c++");
        if (is_definition) {
            found.flags.push_back(std::move(flag));
        } else if (standard == "c++17" || standard == "c++20" || standard == "c++23") {
            found.standard = "gnu" + standard.substr(1);
        } else {
            found.ignored.push_back(std::move(flag));
        }
    }
    return found;
}

}  // namespace cuset
