// cuset-run: one CUDA program -> its output, its exit code and what is wrong in it.
#include <unistd.h>

#include <atomic>
#include <csignal>

#include "cuset/base/fd.h"
#include "cuset/cost/cost_record.h"
#include "cuset/sandbox/sandbox.h"
#include "findings.h"
#include "flags.h"
#include "tool.h"

namespace {

using namespace cuset;

std::atomic<int> caught = 0;  // the signal that ends cuset-run

void on_signal(int number) {
    caught = number;
    sandbox::stop_all();
}

/// A second signal of the kind ends cuset-run at once. Those that nohup and shells ignore on
/// purpose stay so.
void catch_signals() {
    for (const int number : {SIGINT, SIGTERM, SIGHUP}) {
        struct sigaction current {};
        if (::sigaction(number, nullptr, &current) != 0 || current.sa_handler != SIG_DFL) continue;
        current.sa_handler = on_signal;
        current.sa_flags = static_cast<int>(SA_RESETHAND);
        ::sigaction(number, &current, nullptr);
    }
    std::signal(SIGPIPE, SIG_IGN);  // a write says it, and run_tool() ends by it
    std::signal(SIGTTIN, SIG_IGN);  // in the background, the terminal has no input for us
}

status pass_on(output_stream from, std::string_view text) {
    return from == output_stream::out ? write_all(STDOUT_FILENO, text, "standard output")
                                      : write_all(STDERR_FILENO, text, "standard error");
}

/// The table of --count, or why there is none; empty without it.
std::string cost_text(const program_result& ran, const run_flags& flags) {
    if (!flags.count) return {};
    const program_cost& cost = ran.judged.cost;
    if (!cost.kernels.empty()) return cost_table(cost) + costs_left_out(cost);
    return "cuset-run: not counted: " + cost.not_counted + '\n';
}

/// Sets `code` to cuset-run's exit code.
status run_program_of(const run_flags& flags, int& code) {
    CUSET_ASSIGN(const program_files files, read_files(flags));
    CUSET_ASSIGN(program_request request, to_request(flags, files));
    request.input = STDIN_FILENO;
    request.on_output = pass_on;
    request.counts = flags.count;
    request.only_counts = flags.launches > 0;
    CUSET_ASSIGN(const auto environment, judge_environment::open(to_environment_options(flags)));
    CUSET_ASSIGN(program_result ran, run_and_judge(*environment, request));
    ran.judged.cost.estimated = flags.estimated;
    const run_findings found = findings_of(files, ran);
    code = found.exit_code;
    return write_all(STDERR_FILENO,
                     flags.json ? to_json(found, ran)
                                : to_text(found, flags.stream.quiet) + cost_text(ran, flags),
                     "standard error");
}

result<stream_summary> run(run_flags& flags, int& code) {
    CUSET_TRY(check(flags));
    const status done = run_program_of(flags, code);
    if (!done && caught == 0) return done;
    return stream_summary{};
}

}  // namespace

int main(int argc, char** argv) {
    catch_signals();
    run_flags flags;
    program p = describe(flags);
    int code = 0;
    const int failed = run_tool(
        p, flags.stream, argc, argv,
        {.form = [] { return output_form::text; }, .run = [&] { return run(flags, code); }});
    if (caught != 0) {
        std::signal(caught, SIG_DFL);
        std::raise(caught);
    }
    return failed != 0 ? failed : code;
}
