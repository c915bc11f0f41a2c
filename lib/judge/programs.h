// The programs that the judge runs beside answers: the files of programs/, embedded by cuset_embed(). Private to
// lib/judge.
#pragma once

#include <string_view>

namespace cuset {

/// The functions that the programs of a KernelBench problem call (see module_problem.h).
extern const std::string_view harness_py;

/// A sitecustomize.py. Each seed that reaches random, numpy.random or torch becomes another, which
/// depends on it and on inputs_variable alone; what asks for a random seed gets the next of a fixed
/// series, and so do the modules' default generators when they are imported.
extern const std::string_view input_seeds_py;

/// A library of CUPTI callbacks. It writes `launches N` to channel_descriptor: first with N = 0 when
/// the driver has loaded it, then at the first launch that the driver accepted and whenever their
/// number has doubled, since a program may end at any moment.
extern const std::string_view launch_counter_cu;

/// A library that has CUPTI record the work of a program on a GPU, and writes to channel_descriptor,
/// in nanoseconds:
///     activity begin                   when the driver has loaded it, or "activity refused"
///     activity kernel FROM TO          a kernel, on whatever stream; those of a graph each
///     activity memory FROM TO          a fill, or a copy on the device or between devices
///     activity transfer FROM TO        a copy from or to the host
///     launches N                       as launch_counter_cu, at the end
///     activity end LAUNCHES GRAPHS DROPPED
///     activity late                    for each launch behind that
///
/// Why records, and no events around launches: a program stays as it is, all streams and threads are
/// seen, also launches in libraries and graphs, and what a program does to clocks and to the
/// functions of cudaEvent changes nothing. The library lives in the program's process. It makes its
/// system calls and takes its memory without functions that a program could replace, and
/// untimed_source.h refuses programs that name a way to CUPTI or out of the process. A program that
/// writes into the library's memory all the same is not found.
extern const std::string_view activity_log_cu;

/// A program that works on the device for some 100 ms, on more memory than its L2 cache holds. It
/// exits with 0 if that ran.
extern const std::string_view device_settling_cu;

/// A program that launches a kernel, and exits with 0 if that ran.
extern const std::string_view launching_cu;

}  // namespace cuset
