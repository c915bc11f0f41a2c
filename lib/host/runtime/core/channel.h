// What the runtime tells the evaluator, line by line, where the program cannot write:
//
//   runtime                     it has begun, before the program
//   fault KIND                  the program did wrong; a line with the message follows, unless the
//   fault KIND: MESSAGE         program keeps the runtime from it
//   note: MESSAGE               what is no fault
//   refused KERNEL LINE: ERROR  a launch that a device refuses
//   call NAME in line LINE returned TEXT   the first that failed and whose result nobody looks at
//   launches N                  so many kernels have run
//   from-kernels BYTES          so much the host has read of memory that kernels wrote
//   digest N KERNEL LINE HASH   device memory after a launch
//   streams asked               it asked what streams still do, or what they wait for
//   streams needed              they wait for what the host does later: it has ended for that
//   lost KIND: MESSAGE          a fault that the program goes on after (lost_device.h)
//   digests void                threads launched side by side: those reported so far say nothing
//   running KERNEL LINE         it runs now; an answer, as is
//   ending                      the answer's last line
//
// The evaluator asks with a line of any text when the program's time has ended. The descriptor is
// the evaluator's (CUSET_HOST_CHANNEL), moved to a number that nobody else uses and sealed
// (seal.h). Without one nothing of this is written.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>

namespace cuset_host {

/// Opens it before any code of the program runs. Ends the program if the evaluator gave a channel
/// that cannot be sealed.
void open_channel();
bool has_channel();

/// Writes a line to the channel, without its newline. It neither allocates nor calls a function of
/// the program.
void report(const char* line, std::size_t bytes);
inline void report(const std::string& line) { report(line.data(), line.size()); }

/// Writes "WORD NUMBER".
void report_count(const char* word, std::uint64_t number);

}  // namespace cuset_host
