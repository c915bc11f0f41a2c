// The name of nvtx3/nvToolsExt.h in older toolkits.
#pragma once

#include <nvtx3/nvToolsExt.h>
