// Included before a header of the toolkit, which is then read as by a host compiler. It has no
// include guard: it is needed each time, with reading_program.h after the header.
#define CUSET_HOST_READING_TOOLKIT
#pragma push_macro("__CUDACC__")
#pragma push_macro("__NVCC__")
#undef __CUDACC__
#undef __NVCC__
