// Compiles and runs one program, which belongs to no task. Its exit code says whether it is right,
// and the backend what is wrong in it.
#pragma once

#include <filesystem>
#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "cuset/base/status.h"
#include "cuset/judge/compiler.h"
#include "cuset/judge/judge_environment.h"
#include "cuset/judge/verdict.h"
#include "cuset/sandbox/sandbox.h"

namespace cuset {

struct program_request {
    program_source source;
    /// argv[0] without "./": the program's name in its current folder.
    std::string name = "program";
    std::vector<std::string> arguments;
    /// A folder of this machine whose files the program finds in its current folder, as copies;
    /// the files that it makes or changes there come back when it ends. Empty: there are none.
    std::filesystem::path folder;
    std::vector<sandbox_mount> mounts;
    bool counts = false;       ///< verdict::cost is wanted, where it ends by itself
    bool only_counts = false;  ///< nothing else: the run that counts is the only one
    int input = -1;            ///< see live_streams
    /// Is given what the program prints, as it comes: see live_streams.
    std::function<status(output_stream, std::string_view)> on_output;
};

struct program_result {
    /// Its `why` is none if the program ended with 0, and wrong_exit if it ended with another code,
    /// by itself and without a finding. Without task, sample and key.
    verdict judged;
    /// Of the run whose output was given to on_output.
    run_end end = run_end::exited;
    int code = 0;
    bool has_ended_itself = false;  ///< not by the backend's runtime, and it has run at all
    /// A launch that was refused, or a call of CUDA that failed unseen, although the program
    /// passed; else empty.
    std::string refused;
    bool is_launch_unasked = false;  ///< it is a launch, whose error the program did not ask for
};

/// Runs the program as candidates are: in the backend's orders, once more with asynchronous
/// streams or with warps in step if that may help, and once in search of races. The latter looks
/// for the reason of a failure too, where an exit code or abort() was all that there was to see.
/// on_output is given the first run's output; if the run with asynchronous streams counts, what
/// that printed beyond the first run's follows when it ends. Later runs have the same input and the
/// same files as the first, and keep none.
///
/// An error is a fault of this machine, the error of on_output, or says that sandbox::stop_all()
/// was called.
result<program_result> run_and_judge(const judge_environment& environment,
                                     const program_request& request);

}  // namespace cuset
