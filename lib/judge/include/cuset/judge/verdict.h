// The verdict on a candidate.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "cuset/base/sha256.h"
#include "cuset/base/status.h"
#include "cuset/cost/cost_record.h"
#include "cuset/judge/program_profile.h"
#include "cuset/judge/program_time.h"

namespace cuset {

/// The last stage that a candidate has passed.
enum class stage : unsigned char { answered, extracted, compiled, ran, correct };

/// The reason why it got no further.
enum class failure : unsigned char {
    none,
    no_code,         ///< the answer holds no program
    no_number,       ///< the answer to a question about counts states no number
    forbidden_file,  ///< the answer has a file of a name that its task does not allow
    syntax_error,    ///< of any stage of the compiler before linking
    link_error,      ///< a name that is defined nowhere, or twice
    compile_timeout,
    compile_limit,      ///< compiling took too much memory, space or output
    missing_reference,  ///< the code lacks a name that its task wants it to use
    no_kernel_launch,   ///< right results, but nothing in the source can launch a kernel
    launch_error,       ///< the runtime refused a launch, or lost one
    illegal_address,    ///< on the device
    out_of_bounds,      ///< of an allocation or a shared array
    uninitialised_read,
    use_after_free,
    barrier_divergence,  ///< threads of a block wait at different barriers, or some not at all
    race,                ///< results depend on the order of threads
    run_timeout,
    run_limit,   ///< too much memory, output, space or too many processes
    crash,       ///< ended by a signal
    wrong_exit,  ///< an exit code other than 0
    missing_output,
    wrong_output,
    wrong_number,  ///< a count that is further from the right one than its task allows
    unsupported,   ///< neither right nor wrong: it needs a feature that the backend does not model
    evaluator,     ///< no fault of the candidate: gen.py, compare.py or the machine failed
};
inline constexpr std::size_t failure_count = static_cast<std::size_t>(failure::evaluator) + 1;

/// "syntax_error" and so on: the name in records and reports.
std::string_view name_of(stage s);
std::string_view name_of(failure f);

/// The rule by which an answer passes.
enum class protocol : unsigned char {
    cuset,           ///< our own
    cudabench_2025,  ///< CUDABench's in every point, except that the sandbox and its limits stay
    cudabench_2026,  ///< the same since February 2026: a fence may have any word as its tag
};
bool is_of_cudabench(protocol p);
std::string_view name_of(protocol p);
/// Nothing if there is none of this name. Records of earlier versions say "cudabench" for what is
/// cudabench_2025 now.
std::optional<protocol> protocol_named(std::string_view name);

/// The setting that verdicts must share to be counted together.
struct evaluation_setting {
    std::string backend;    ///< "gpu", "host" or "compile-only"
    std::string toolchain;  ///< "nvcc 13.0.88 -arch=sm_90"
    protocol rule = protocol::cuset;
    std::uint64_t inputs = 1;  ///< sets of inputs that a program has to pass
    bool operator==(const evaluation_setting&) const = default;
};
/// "host, g++ 12.2.0 -O3, protocol cudabench-2026, 3 sets of inputs"
std::string describe(const evaluation_setting& setting);
/// Whether the programs ran under --check, which the toolchain says.
bool is_checked(const evaluation_setting& setting);

/// One of several things that are wrong in a program, or a note.
struct finding {
    failure why = failure::none;  ///< none: a note
    std::string message;
    bool operator==(const finding&) const = default;
};
inline constexpr std::size_t most_findings = 20;

/// An answer to a question about counts, beside the count (count_question).
struct count_outcome {
    std::string quantity;            ///< "cost.flops"
    std::string category;            ///< the task's; may be empty
    std::optional<double> expected;  ///< nothing where it could not be counted
    std::optional<double> answer;    ///< nothing where there is no number
    /// Whether a GPU executes operations that the source does not have, and what the answer says
    /// of it; nothing where that is not known, or not said.
    std::optional<bool> hidden_flops, stated_hidden_flops;

    /// |answer - expected| / expected. Nothing where one of them is missing, and where 0 is
    /// expected, unless that is the answer.
    std::optional<double> relative_error() const;
    bool operator==(const count_outcome&) const = default;
};
/// The first line of the program that a message names ("line 12"), or 0.
std::size_t line_in(std::string_view message);

struct verdict {
    std::string task, family;
    std::uint64_t sample = 0;
    stage reached = stage::answered;
    failure why = failure::none;
    /// The first line that says what is wrong; empty if nothing is, except for notes of --check. It
    /// is a visible_text.
    std::string diagnostic;
    /// All that the backend's runtime found, if the verdict is the first of it: at most
    /// most_findings, each a visible_text, and none twice with the same kind and line.
    std::vector<finding> findings;
    /// All that the compiler said of a program that it refused: visible_lines, at most 8 KiB.
    std::string compiler;
    /// "warp" if it passed only with the threads of each warp in step, "asynchronous" if the
    /// verdict is that of a run with asynchronous streams; else empty.
    std::string order;
    program_cost cost;                       ///< on the first inputs
    std::optional<count_outcome> count;      ///< of a task whose answer is a number
    std::optional<program_time> time;        ///< of what passed, where it was asked for
    std::optional<program_profile> profile;  ///< the same
    double compile_seconds = 0, run_seconds = 0, compare_seconds = 0;
    std::optional<std::uint64_t> tokens;
    bool is_cut = false;  ///< a limit of tokens ended the answer
    digest task_hash;     ///< task::hash
    digest key;           ///< stands for all that it depends on: candidate, task, setting, limits
    evaluation_setting setting;

    bool passed() const { return why == failure::none; }
};

/// {"quantity":"cost.flops","category":"…","expected":2048,"answer":2000,"relative_error":0.0234375,
/// "hidden_flops":false,"stated_hidden_flops":true}: null where something is not known.
void write_count(const count_outcome& count, json_writer& json);

/// The record of a verdict, as a line of JSON with its newline:
/// {"task":16,"sample":0,"family":"…","stage":"compiled","failure":"wrong_output" or null,
///  "diagnostic":"…","seconds":{"compile":…,"run":…,"compare":…},"tokens":743 or null,
///  "key":"…","task_hash":"…","backend":"gpu","toolchain":"…","protocol":"cuset","inputs":1}, with
/// "compiler":"…" where a compiler refused it, "order":"warp" where it passed only with warps in
/// step, "findings":[{"kind":"race","message":"…","line":12},…] where the host backend's runtime
/// found what is wrong (line is null where the message names none), "cost" (write_cost()) where it
/// was counted, "time" (write_time()) where it was measured, "profile" (write_profile()) where ncu
/// was asked, "count" (write_count()) where the answer is a number, and "finish":"length" where a
/// limit of tokens ended the answer. A task whose id is an integer is one. Records of earlier
/// versions lack the last four fields of the first form. "key" and "task_hash" have 64 hexadecimal
/// digits.
std::string to_line(const verdict& v);

class verdict_reader {
public:
    verdict_reader();
    verdict_reader(verdict_reader&&) noexcept;
    ~verdict_reader();
    /// Reads a line with line_padding readable bytes after it. A data error says what is wrong: a
    /// field that is missing or of another kind, a sample beyond most_samples, seconds below 0, or
    /// a stage that no verdict with this failure and backend has. The diagnostic is made a
    /// visible_text.
    result<verdict> read(std::string_view line);

private:
    struct state;
    std::unique_ptr<state> state_;
};

}  // namespace cuset
