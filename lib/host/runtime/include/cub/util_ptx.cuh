// A part of <cub/cub.cuh>.
#pragma once

#include <cub/cub.cuh>
