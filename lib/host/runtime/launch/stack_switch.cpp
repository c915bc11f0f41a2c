#include "stack_switch.h"

// The state that a call must keep by the System V ABI, except the floating-point control words,
// which kernels cannot change.
asm(R"(
    .text
    .globl cuset_host_switch_stack
    .type cuset_host_switch_stack, @function
cuset_host_switch_stack:
    pushq %rbp
    pushq %rbx
    pushq %r12
    pushq %r13
    pushq %r14
    pushq %r15
    movq %rsp, (%rdi)
    movq %rsi, %rsp
    popq %r15
    popq %r14
    popq %r13
    popq %r12
    popq %rbx
    popq %rbp
    ret
    .size cuset_host_switch_stack, . - cuset_host_switch_stack
    .section .note.GNU-stack, "", @progbits
    .text
)");
