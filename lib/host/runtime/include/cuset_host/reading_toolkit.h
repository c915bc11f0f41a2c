// Before a header of the toolkit: it is read as by a host compiler. No include guard: once each time,
// with reading_program.h behind.
#define CUSET_HOST_READING_TOOLKIT
#pragma push_macro("__CUDACC__")
#pragma push_macro("__NVCC__")
#undef __CUDACC__
#undef __NVCC__
