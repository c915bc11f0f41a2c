// The device's functions of numbers, which are always there.
#pragma once

#include <hip/hip_runtime.h>
