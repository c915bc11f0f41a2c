// CUB, in our own words: see cub_block.h.
#pragma once

#include <cuset_host/cub_block_more.h>
#include <cuset_host/cub_device_more.h>
