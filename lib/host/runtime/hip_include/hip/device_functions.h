// The device's functions, which are always there.
#pragma once

#include <hip/hip_runtime.h>
