// CUB, in our own words, with all that its own headers bring along and programs rely on.
#pragma once

#include <cuset_host/cub/allocator.h>
#include <cuset_host/cub/block_data.h>
#include <cuset_host/cub/block_histograms.h>
#include <cuset_host/cub/block_neighbours.h>
#include <cuset_host/cub/block_reductions.h>
#include <cuset_host/cub/block_sorts.h>
#include <cuset_host/cub/device_algorithms.h>
#include <cuset_host/cub/device_histograms.h>
#include <cuset_host/cub/device_scans.h>
#include <cuset_host/cub/device_sorts.h>
#include <cuset_host/cub/device_transforms.h>
#include <cuset_host/cub/iterators.h>
#include <cuset_host/cub/threads.h>
#include <cuset_host/cub/warp.h>
#include <cuset_host/cub/warp_data.h>

#include <algorithm>
#include <cassert>
#include <cstdio>
#include <cstdlib>
#include <functional>
#include <limits>
#include <map>
#include <mutex>
#include <set>
#include <tuple>
#include <utility>
