// All of HIP's runtime, and what runs on its device.
#pragma once

#include <assert.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

#include <array>
#include <thread>
#include <type_traits>

#include <hip/hip_runtime_api.h>
#include <hip/hip_vector_types.h>
#include <cuset_host/hip/atomics.h>
#include <cuset_host/hip/bits.h>
#include <cuset_host/hip/scoped_atomics.h>
#include <cuset_host/hip/warp.h>
