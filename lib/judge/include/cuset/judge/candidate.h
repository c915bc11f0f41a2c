// Candidates: the answers of models, one or more for a task.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "cuset/base/status.h"
#include "cuset/judge/task_file.h"
#include "cuset/stream/line_reader.h"

namespace cuset {

/// The most samples that a task may have: reports reserve a place for each.
inline constexpr std::uint64_t most_samples = 10'000;

struct candidate {
    std::string task;          ///< the task's id as text
    std::uint64_t sample = 0;  ///< from 0, below most_samples
    std::string answer;        ///< what the model wrote
    bool is_code = false;      ///< the answer is a program as it is; nothing has to be extracted
    /// With is_code, the files that the answer consists of, if the task is built from files.
    std::vector<task_file> files;
    std::optional<std::uint64_t> tokens;  ///< tokens that the model generated, if the record says
                                          ///< so
    bool is_cut = false;  ///< the record says that a limit of tokens ended the answer
};

/// Whether ComputeEval's solutions are read. They have no answer's text to train on, and no
/// sample's number by which another reader of the same lines would know them.
enum class solution_files : unsigned char { refused, read };

/// Reads the candidates of a line of JSON (with line_padding readable bytes after it): one of
/// {"task":16,"sample":0,"response":"…","tokens":743}, or all of a line of CUDABench's results,
/// {"id":16,"code1":"…","response1":"…","code2":…}. There the numbers from 1 become samples from 0.
/// A code that is not empty is the program, otherwise the response is the answer; a number with
/// neither string is a sample without code. ComputeEval's solutions, {"task_id":"CUDA/0",
/// "type":"file","files":[{"path":"a.cu","content":"…"}]}, are a sample a line: the "sample" that
/// one has, or its place among those of its task that this reader has read. A data error says what
/// is wrong with the line; an answer or a code of more than 16 MiB is an error too.
class candidate_reader {
public:
    explicit candidate_reader(solution_files solutions = solution_files::refused);
    candidate_reader(candidate_reader&&) noexcept;
    ~candidate_reader();
    result<std::vector<candidate>> read(std::string_view line);

private:
    struct state;
    std::unique_ptr<state> state_;
};

}  // namespace cuset
