// What HIP's other headers share.
#pragma once

#include <hip/hip_version.h>
