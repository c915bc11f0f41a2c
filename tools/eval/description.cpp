// What the man page of cuset-eval says before its options.
#include "flags.h"

namespace cuset {

std::vector<std::string> eval_description() {
    return paragraphs(R"(
Reads candidates, takes the program out of each answer, compiles and runs it, and compares its
outputs with the reference. The report says how far the candidates came, Pass@k with its 95 %
interval, and what went wrong. A candidate is {"task":16,"sample":0,"response":"…"}, or a line of
CUDABench's results (id, code1, response1, …).

Tasks of CUDABench-Set have id, task_name, inputs, outputs, level1_prompt, bench.cu, gen.py and
compare.py. gen.py makes the inputs and the reference; a program reads data/NAME.bin for each
input and writes data/NAME.bin for each output; compare.py prints T or F.

Tasks with a harness of your own, and ComputeEval's, are built together with the answer's files,
and the exit code of the test decides. cuset-tasks(5) has all formats.

Pass@k is the share of tasks that at least one of the first k samples solves. The paper does not
define its Pass@k; all its rates are multiples of 1/500, the number of CUDABench's tasks, which
fits this definition. "pass@k unbiased" is 1 - C(n-c,k)/C(n,k). Intervals come from a bootstrap
over task families, since tasks of one family rise and fall together. They are expanded percentile
intervals: with n families the ends are not the 0.025 and 0.975 quantiles of the resamples, which
lie too close together for few families, but those at Phi(-+t sqrt(n / (n - 1))), where Phi is the
normal distribution and t Student's 0.975 quantile with n - 1 degrees of freedom.

Reports of verdicts that are there are cuset-report's. This release still takes its modes here:
--report (which is cuset-report without a mode), --compare, --table and --by-confidence, with
their options, print a note and run that program. They are deprecated, and so is --show.

Programs, gen.py, compare.py and the compiler run in a sandbox (bubblewrap and seccomp). They have
no network and no sight of the reference, and their time, memory, processes, output and files are
bounded. The reference joins the outputs in a separate sandbox after the run. Without bubblewrap
the tool refuses to run. cuset-sandbox(7) says what is promised, against whom, and what is not.

On a GPU, launch errors and illegal addresses are known only from what a program prints about
them. A program that checks nothing gets a missing or wrong output instead.

The host backend rewrites a program's launches, shared arrays and barriers as C++, compiles it
with g++ (12 or later, on x86-64) against a runtime that models a GPU, and runs it in the same
sandbox. Blocks are spread over the cores. The threads of a block run in turn: while one waits at
a barrier, another runs. Limits, error codes and device memory are those of a GPU: host code
cannot reach device memory, and a host pointer that is passed to a kernel leads nowhere there. The
backend judges results, not speed, and has not been compared with a GPU yet. Its verdicts are
marked "host" and are never counted together with a GPU's.

What the model lacks (several of CUDA's libraries, some instructions of PTX and calls;
cuset-host(7) lists what it has) gives the verdict unsupported, with the name of what is missing.
It is neither a failure nor a pass: rates count such candidates as not passed, and the report adds
the rates that would hold if all of them passed.

A program whose results fail in the plain order of threads runs once more with the threads of each
warp in step, as programs without __syncwarp expect. If it passes then, its verdict passes, has
"order":"warp", and notes that the program races. --check and --schedules leave this out.

What a program gives to a stream is done in the call. A program whose streams then wait for what
its host code does later, such as a kernel that polls a flag, is ended after at most two seconds
and runs once more with asynchronous streams, and that run decides. So does a program that fails
and has asked what streams still do, or uses mapped memory or host functions, or names the error
of the kernel's fault that ended it, if it passes then. Such verdicts have "order":"asynchronous".

Where nvcc is installed, it is asked about each program that g++ refuses and about each that
passed. A program that nvcc refuses fails with nvcc's message; a program that only nvcc compiles
is unsupported. Without nvcc, g++ decides: a name that looks like CUDA's is unsupported, and only
the plain cases that nvcc would refuse are found in the source: calls of host functions and
constructors in kernels, __device__ lambdas, too much constant or shared memory.

If a task's own program needs nvcc's --extended-lambda, --expt-relaxed-constexpr or libraries of
the toolkit (-lcublas and the like), its answers that need the flag are compiled with it, and
their verdicts say so. With --protocol cudabench they are not.

A program that passed on the host backend, with --check or without, runs once more on the task's
first inputs, compiled so that each access to memory is seen, in search of data races: two
accesses to global, managed, mapped or __device__ memory, or two writes to shared memory, that
nothing orders. It needs no luck with the order of threads. What orders accesses: barriers of a
block, cluster and grid, warp operations with both lanes in their mask, fences with atomic or
volatile flags, locks, the end of kernels, streams, events, a graph's dependencies, and waits of
the host. A race is the verdict, with both lines. One scalar to which one value is written without
order, as a flag that says "found", is no failure. The search ends after 5 s and twice the program's
own time (10 s and twenty times with --check), and a verdict that passes then has a note.
Without --check this run begins with the last thread of each block, and its outputs are compared
too. Where they are wrong, the program runs so without the search, then with the threads of each
warp in step, then in the plain order again: what fails but in the last is a race. That finds a
value that thread 0 leaves for others without a barrier, and results that depend on the order of
atomic operations beyond what compare.py allows.
--no-confirm leaves it out, and the toolchain in verdicts and reports says so.

The host model cannot see: races between functions of CUDA's libraries and kernels, and of
programs that need asynchronous streams between streams; addresses of the host's memory, functions
and virtual tables that host code leaves in managed or pinned memory; warps that diverge in another
way than here; how many blocks a GPU holds at a time; the registers and the time of a kernel; and
last digits that differ between the two processors. Without --check it cannot see misaligned
addresses of members and of numbers of four bytes or less. Host code is compiled with -O3 (-O2 with
--check), which nvcc does not use by default: undefined behaviour may end differently.

--check compiles a variant that checks every access, and runs each program on one core under
several orders of threads and blocks. In all but the plain one, some threads have others go first
before an atomic operation. It finds accesses out of bounds and to freed memory, reads of memory
that nothing wrote, threads of a block that touch the same shared memory with no barrier between,
and threads that wait at different barriers. It also finds outputs that compare.py passes in one
order and not in another: this is a race, and the message names the first kernel whose results
differed. The first finding is the verdict, with kernel, block, thread and line. Memory
that was never freed is a note on standard error.

After a race, and after a read of memory that nothing wrote, the program goes on to its end. Where
the host backend's runtime found what is wrong, the verdict's record has all of it, one for each
kind and source line and at most 20: "findings":[{"kind":"race","message":"…","line":12}, …]. The
first is the verdict; with --check the last may be notes, of kind "note". An access out of bounds
or to freed memory, and threads that wait at different barriers, end the program. Where a limit of
tokens ended an answer, as its candidate's "finish" says, the verdict has "finish":"length" too, and
the report counts it as cut off.

With --count the verdict of what passed has "cost": the sums over all launches (launches, flops,
fp16, fp32, fp64, functions, flops_sass, fp32_sass, fp64_sass, integer, bytes_read, bytes_written,
atomics), "kernels" with an object for each kernel, place and configuration, and with --estimate
"estimate" with gpu, seconds, reference_seconds and slowdown. Where nothing was counted, it has
"not_counted" alone, with the reason.
Building tasks and modules are not counted.

With --time N what passed on a GPU is measured: the answer and bench.cu run in turn, two times to
warm up and N times that count, each run in a process of its own, with a program between that keeps
the clocks up and leaves nothing in the L2 cache. The outputs of each run are compared. CUPTI records
the work on the device, of all streams and threads; the program stays as it is. The verdict has "time":
runs, speedup (the median of bench.cu's time over the answer's, pair by pair), device_us and
reference_us (kernels, and fills and copies on the device: what overlaps counts once; median and
quartiles), kernels_us, memory_us and transfers_us (copies from and to the host, which do not count)
of the answer, process_ms and reference_process_ms (whole processes), and sm_clock_mhz, before and
after, as nvidia-smi tells it; clocks are never set. Where there is no time, it has "not_timed" alone,
with the reason: no bench.cu, a run that failed, work that goes on or begins while the program ends,
several processes on the GPU, records that are not whole, work that was moved to the host (it takes
longer in all, beyond the spread, by more than it saves, a fifth and 50 ms), or a name in the program
with which it could reach the records or leave its process, such as fork, dlsym or CUPTI's functions.
Records are made inside the program's process: one that finds them without such a name is not found
out. Each kernel runs as at its first launch, with data that the program has just copied. Building
tasks and modules are not timed.

With --profile ncu what passed on a GPU runs once more on the task's first inputs, under Nsight
Compute, with the 14 metrics of CUDABench's evaluator, and the verdict has "profile": score,
bandwidth_utilization, compute_efficiency, kernel (the one that counts), kernels, launches (of that
one), flops_per_second, bytes_per_second, peak_flops_per_second and peak_bytes_per_second. Operations
are those of single precision, a fused multiply-add two, and bytes those of the device's memory, both
means over the kernel's launches. The peaks are what the GPU could do in each cycle at the clocks of
the run. The score is the operations a second over the lower of both roofs: peak_flops_per_second, and
peak_bytes_per_second times operations a byte; where there are no operations, it is
bandwidth_utilization. Of several kernels the one with the most operations a second counts, or, where
none has any, the one that moves the most. CUDABench adds ncu's figures without their units, which
change from row to row; here units count, so that its scores are others where they differ. What it
does not see, it does not see here: double precision, half precision and tensor cores count as
traffic alone. A score is no measure of speed: work that is not needed raises it.

Where there is no score, "profile" has "not_profiled" alone, with the reason: no kernel ran, a metric
without a value (n/a), a unit or table that is none of ncu's, an error of ncu, more than ten times the
--timeout (profiling repeats each kernel), a run that fails under ncu or whose outputs are wrong, or a
name in the program with which it could reach what ncu writes, which is a file of a random name in
its work folder. The verdict stays. A program that finds the file without such a name is not found
out, nor is one that sees that it is profiled and does other work. Where ncu is missing, or cannot
profile a program of our own at the start, nothing is judged, and the exit code is 4. Mostly the
driver lets administrators alone read counters (ERR_NVGPUCTRPERM), and a program in the sandbox is
none, even where root started it: the driver's option NVreg_RestrictProfilingToAdminUsers=0 lets all
users read them. ncu talks to the program over TCP within the sandbox's own network. All this was
written and tested with texts of ncu's form, and with a program of the tests' own in its place: it is
unproven on a GPU. Building tasks and modules are not profiled.

Of a task whose answer is a number (cuset-tasks(5), "answer"), no program is taken from an answer:
the host backend counts what the task's own program executes, once for all answers, and the verdict
passes where the answer's number is within the task's tolerance. Its record has "count", with
quantity, category, expected, answer, relative_error, hidden_flops (whether a GPU executes
floating-point operations that the source does not have) and stated_hidden_flops (what the answer says
of that). cuset-report --counts makes a table of them. What the host backend does not count, such as
kernels of CUDA's libraries and the arithmetic of PTX, makes the verdict unsupported, by name, and so
does every answer on a GPU and with --compile-only.

Compiled programs are kept in $XDG_CACHE_HOME/cuset by source, flags and version of the compiler,
together with the host backend's runtime, which the first use compiles. Several evaluations may
share the cache, --cache-size bounds it, and it may be removed at any time. A program of more than
256 MiB is compile_limit, and is not kept.

Files of verdicts are checked as they are read: a line that no evaluation writes is an error, and
the message says where it is. Verdicts are found again by SHA-256 of all that they depend on. An
answer, or a task's own program, may have 16 MiB, and a line of a file 128 MiB. Text that others
wrote is shown with escapes for control characters and invisible characters: \x1b, \u202e.

The kinds of failure are no_code, forbidden_file (the answer has a file that its task does not
allow), syntax_error, link_error, compile_timeout, compile_limit, missing_reference (the code
lacks a name that its task wants), launch_error, illegal_address, run_timeout, run_limit (memory,
processes, output, files), crash, wrong_exit, missing_output, wrong_output, no_kernel_launch
(right results that no kernel made), no_number and wrong_number (of answers that are a number) and
evaluator. evaluator means that gen.py, compare.py or the
machine failed: a warning says so, and the next run judges the candidate again. Only the host
backend has out_of_bounds, uninitialised_read, use_after_free, barrier_divergence and race, most
of them with --check; and unsupported, which is no failure.
)");
}

}  // namespace cuset
