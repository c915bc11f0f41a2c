#pragma once
#include <cuda_runtime.h>

#include <cstdio>
#include <vector>

#define CHECK(call)                                                                     \
    do {                                                                                \
        cudaError_t err_ = (call);                                                      \
        if (err_ != cudaSuccess) {                                                      \
            fprintf(stderr, "%s:%d: %s\n", __FILE__, __LINE__, cudaGetErrorString(err_)); \
            printf("failed\n");                                                         \
            return 1;                                                                   \
        }                                                                               \
    } while (0)
