// Finds training pairs that a benchmark's tasks are part of.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "cuset/base/status.h"
#include "cuset/curate/code_tokens.h"

namespace cuset {

struct screen_options {
    std::size_t words = 13;   ///< of a prompt that both share, one after the other
    std::size_t tokens = 50;  ///< of code, the same
    double similar = 0.8;     ///< the least Jaccard index of near duplicates
    std::size_t shingle = 5;  ///< words or tokens of an element of their sets
};

struct shared_text {
    std::string file, task;  ///< of the benchmark; the task's id
    /// "words", "tokens", "similar prompt", "similar code" or "renamed tokens".
    std::string_view by;
    std::string text;  ///< what is shared, or the beginning of the pair's text if similar
    double index = 1;  ///< the Jaccard index; 1 for a run of words or tokens
};

/// The tasks of benchmarks: prompts by their words, programs by their lexer tokens. Comments and
/// white space count nowhere. Near duplicates are found under any renaming, and so are runs of
/// twice the tokens that are no lists (a tenth of their tokens must differ, names apart); shorter
/// runs have names as they are spelled. A text that is shorter than the run has neither. Memory
/// grows with the benchmarks.
class benchmark_index {
public:
    explicit benchmark_index(screen_options options);
    benchmark_index(benchmark_index&&) noexcept;
    benchmark_index& operator=(benchmark_index&&) noexcept;
    ~benchmark_index();

    /// Adds the tasks of a file of JSON Lines. Prompts are the members prompt, instruction,
    /// question, task_description and level1_prompt to level3_prompt, and the user's turns of
    /// messages; programs are bench.cu, response, output, code, canonical_solution, solution and
    /// harness, the assistant's turns, and the files of baseline_solution, context_files and
    /// test_files: of each its blocks of CUDA or C++, or all of it if there is none. A data error
    /// for a line that has none of them, and for a file without a line.
    status add(const std::string& path);
    std::size_t tasks() const;

    /// What one thread needs to search.
    struct searcher;
    static std::shared_ptr<searcher> new_searcher();

    /// The task of which the most is shared, of several the first in the order of the files; `code`
    /// is the pair's program, read without ignoring literals. Threads may share the object.
    std::optional<shared_text> find(std::string_view prompt, const code_tokens& code,
                                    searcher& with) const;

private:
    struct state;
    std::unique_ptr<state> state_;
};

}  // namespace cuset
