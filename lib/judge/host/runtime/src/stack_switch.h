// Going on on another stack.
//
// Boost.Context does this too, and does it where the processor is no x86-64. Its jump leaves by an
// indirect jump, so that the processor's prediction of returns is wrong from there on: 45 ns for a
// barrier's turn from thread to thread. This one returns: where all threads wait at one place, as
// threads of a block do, each return goes where the last one went, and the turn takes a few ns.
#pragma once

#include <cstddef>
#include <cstdint>

#ifndef __x86_64__
#include <boost/context/detail/fcontext.hpp>
#endif

namespace cuset_host {

#ifdef __x86_64__

/// Where a stack is left: its pointer, with what is to be kept below it.
using stack_place = void*;

extern "C" void cuset_host_switch_stack(stack_place* leave, stack_place to);

inline void switch_stack(stack_place* leave, stack_place to) { cuset_host_switch_stack(leave, to); }

/// A stack on which Enter, which never returns, begins.
template <void (*Enter)()>
stack_place new_stack(unsigned char* low, std::size_t bytes) {
    constexpr std::size_t kept = 6;
    auto top = (reinterpret_cast<std::uintptr_t>(low) + bytes) & ~std::uintptr_t{15};
    auto* word = reinterpret_cast<std::uintptr_t*>(top);
    *--word = 0;  // where Enter would return to
    *--word = reinterpret_cast<std::uintptr_t>(Enter);
    for (std::size_t i = 0; i < kept; ++i) *--word = 0;
    return word;
}

#else

using stack_place = boost::context::detail::fcontext_t;

inline void switch_stack(stack_place* leave, stack_place to) {
    const auto from = boost::context::detail::jump_fcontext(to, leave);
    *static_cast<stack_place*>(from.data) = from.fctx;
}

template <void (*Enter)()>
void enter_from(boost::context::detail::transfer_t from) {
    *static_cast<stack_place*>(from.data) = from.fctx;
    Enter();
}

template <void (*Enter)()>
stack_place new_stack(unsigned char* low, std::size_t bytes) {
    return boost::context::detail::make_fcontext(low + bytes, bytes, &enter_from<Enter>);
}

#endif

}  // namespace cuset_host
