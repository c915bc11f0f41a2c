// Findings after which a program can go on, so that all of them are told, and not the first alone,
// which decides: races and reads of memory that nobody has written. A fault that ends the program
// is the last.
#pragma once

#include <cstdint>
#include <string>

namespace cuset_host {

/// Tells the evaluator "fault KIND: MESSAGE" as fail() does, and returns: once for each kind and
/// first line in the message. Ends the program at the twentieth.
void tell_fault(const char* kind, const std::string& message);

/// Whether this is the first call with these two places of the program, where something of that
/// kind is found. Finding the words of a message takes long, and a faulty place may be passed
/// millions of times. The first call of all tells "fault KIND" as begin_fault() does.
bool is_new_place(const char* kind, std::uintptr_t earlier, std::uintptr_t later);

}  // namespace cuset_host
