// Included after a header of the toolkit: the rest is the program, read as nvcc reads it.
#pragma pop_macro("__NVCC__")
#pragma pop_macro("__CUDACC__")
#undef CUSET_HOST_READING_TOOLKIT
