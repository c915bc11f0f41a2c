// Included before the first line of every program: all that nvcc offers without an #include.
#pragma once

// clang-format off
// Each builds on those before it.
#include "cuset_host/checked_copies.h"
#include "cuset_host/cuda_types.h"
#include "cuset_host/execution.h"
#include "cuset_host/named_kernels.h"
#include "cuset_host/device_heap.h"
#include "cuset_host/printing.h"
#include "cuset_host/thread_rows.h"
#include "cuset_host/split_blocks.h"
#include "cuset_host/clusters.h"
#include "cuset_host/warp.h"
#include "cuset_host/atomics.h"
#include "cuset_host/nv_atomics.h"
#include "cuset_host/device_math.h"
#include "cuset_host/dpx.h"
#include "cuset_host/ptx.h"
#include "cuset_host/ptx_matrices.h"
#include "cuset_host/textures.h"
