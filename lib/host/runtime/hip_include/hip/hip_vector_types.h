// Vector types, and their operators.
#pragma once

#include <cuset_host/hip/vector_operators.h>
