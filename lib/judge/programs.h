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

/// A program that launches a kernel, and exits with 0 if that ran.
extern const std::string_view launching_cu;

}  // namespace cuset
