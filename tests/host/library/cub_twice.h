// A call of CUB's that asks for its storage first, as CUB wants it.
#pragma once

#include "check.h"

#define TWICE(...)                                                                    \
    do {                                                                              \
        std::size_t bytes = 0;                                                        \
        void* room = nullptr;                                                         \
        MUST((__VA_ARGS__) == cudaSuccess && bytes > 0);                              \
        cudaMalloc(&room, bytes);                                                     \
        MUST((__VA_ARGS__) == cudaSuccess && cudaDeviceSynchronize() == cudaSuccess); \
        cudaFree(room);                                                               \
    } while (0)
