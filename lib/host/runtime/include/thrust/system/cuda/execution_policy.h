// In place of Thrust's file of this name: Thrust's CUDA system is its sequential one here.
#pragma once

#include <cuset_host/thrust_policies.h>
