// HIP's names over CUDA's, as hipify has them: the one table, in parts. What takes other parameters
// than CUDA's call is a function in calls.h.
#pragma once

#include "cuset_host/hip/names_of_device_code.h"
#include "cuset_host/hip/names_of_devices.h"
#include "cuset_host/hip/names_of_errors.h"
#include "cuset_host/hip/names_of_graphs.h"
#include "cuset_host/hip/names_of_memory.h"
#include "cuset_host/hip/names_of_numbers.h"
#include "cuset_host/hip/names_of_streams.h"
#include "cuset_host/hip/names_of_textures.h"
