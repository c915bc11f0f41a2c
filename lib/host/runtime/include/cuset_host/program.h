// Included before the first line of every program: all that nvcc offers without an #include.
#pragma once

// clang-format off
// Each builds on those before it.
#include "cuset_host/checked_copies.h"
#include "cuset_host/cuda_types.h"
#include "cuset_host/threads/execution.h"
#include "cuset_host/threads/stepping_stores.h"
#include "cuset_host/threads/local_arrays.h"
#include "cuset_host/threads/named_kernels.h"
#include "cuset_host/threads/launch_bounds.h"
#include "cuset_host/device_heap.h"
#include "cuset_host/printing.h"
#include "cuset_host/host_algorithms.h"
#include "cuset_host/unchecked_calls.h"
#include "cuset_host/threads/thread_rows.h"
#include "cuset_host/threads/split_blocks.h"
#include "cuset_host/threads/clusters.h"
#include "cuset_host/threads/local_memory.h"
#include "cuset_host/threads/warp.h"
#include "cuset_host/threads/atomics.h"
#include "cuset_host/threads/nv_atomics.h"
#include "cuset_host/math/device_math.h"
#include "cuset_host/math/dpx.h"
#include "cuset_host/math/ptx_integers.h"
#include "cuset_host/ptx/instructions.h"
#include "cuset_host/ptx/matrices.h"
#include "cuset_host/textures.h"
