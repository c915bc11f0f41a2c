// The files that a model's answer names.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace cuset {

struct answer_file {
    std::string path;  ///< as the answer has it: it may be anything
    std::string content;
};

/// The fenced blocks of an answer that have a path, in order; a later block with the same path is
/// one more. The path is given by the block's first line, a comment such as `// file: a/b.cu`
/// (which becomes an empty line of the content), by the info string (`cuda a/b.cu`, `cuda:a/b.cu`,
/// `cpp file=a/b.cu`), or by the line before the block if that is nothing but the path of a C++,
/// CUDA or header file (`**a/b.cu**`, `### File: a/b.cu`). A model's reasoning is ignored
/// (end_of_reasoning()).
std::vector<answer_file> find_answer_files(std::string_view answer);

}  // namespace cuset
