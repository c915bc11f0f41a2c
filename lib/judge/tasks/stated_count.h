// The number that an answer to a question about counts states. Private to lib/judge.
#pragma once

#include <optional>
#include <string_view>

namespace cuset {

/// The last number of a text: 1048576, 1,048,576, 1_048_576, 2^20, 2**20, 1.05e6, 1.05 × 10^6, 4 *
/// 256 (a product and a power of numbers are a number), 1.5 million, and the same in LaTeX. What is
/// joined to a name, such as 2*n, n^2, 2n, 32-bit or fp32, is no number, nor is a sum, a difference
/// or a quotient. Nothing if there is none, if the last is not finite, and where it may be a part
/// of what is not understood: 2^(20), 1000 threads * 2, 1 048 576, 1.048.576, 1,5, 5 thousandths.
std::optional<double> last_number(std::string_view text);

struct stated_count {
    std::optional<double> number;
    std::optional<bool> has_hidden_flops;  ///< what the answer says of it
};

/// What an answer states, outside a model's reasoning. The last "answer": of a JSON object decides,
/// in capitals or not,
/// with the first number behind it on its line, whether the rest is valid JSON or not; where there
/// is no such key, the last number of the text. `other_key` stands for "answer" too, if not empty.
/// "hidden_flops": true or false is what the answer says of hidden operations.
stated_count read_stated_count(std::string_view answer, std::string_view other_key = {});

}  // namespace cuset
