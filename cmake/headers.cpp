// Compiled for its precompiled headers: see CusetTargets.cmake.
