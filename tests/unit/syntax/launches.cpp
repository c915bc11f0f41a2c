// Finds launches, the ends of their configurations, and the names of their kernels.
#include <boost/test/unit_test.hpp>

#include "marked.h"

using cuset_test::check;

BOOST_AUTO_TEST_SUITE(launches)

BOOST_AUTO_TEST_CASE(configurations) {
    for (const char* source : {
             "int main() { k@l:k[<<<1, 2>>>@](x); }",
             "int main() { k @l:k[<<< dim3(1, 2, 3),\n   256,\n 0, stream >>>@] (x); }",
             "int main() { k@l:k[<<<grid, sizeof(foo<bar<baz<int>>>)>>>@](x); }",
             "int main() { k@l:k[<<<g, foo<bar<baz<int>>>::v, 0>>>@](x); }",
             "int main() { k@l:k[<<<g, foo<bar<baz<int>>>()>>>@](x); }",
             "int main() { k@l:k[<<<g, foo<bar<int>>::v>>>@](x); }",
             "int main() { k@l:k[<<<g, v<int>>>>@](x); }",
             "int main() { k<a<b<c>>>@l:k[<<<g, b>>>@](x); }",
             "int main() { k<a<b<c> > >@l:k[<<<g, b>>>@](x); }",
             "int main() { f<(a > b)>@l:f[<<<g, b>>>@](x); }",
             "int main() { f<(a>>b), (1<<3), s->t>@l:f[<<<g, b>>>@](x); }",
             "int main() { k@l:k[<<<1 << 3, x >> 2, n < 5 ? 1 : 2>>>@](x); int y; }",
             "int main() { k@l:k[<<<n < 5 ? 1 : 2, b>>>@](x); q@l:q[<<<1, 1>>>@](y); }",
             "int main() { k@l:k[<<<(n > 5), (a >>= 1), a->b, c >= d>>>@](x); }",
             "int main() { k@l:k[<<<[] { return f<g<h<int>>>(); }(), 1>>>@](x); }",
             "int main() { k@l:k[<<<v[i], {1, 2}>>>@](x); }",
             "int main() { k@l:k[<<<g, b /* >>> */, \">>>\"[0], '>' // >>>\n>>>@](x); }",
             "int main() { k@l:k[<<\\\n<g, b>\\\r\n>>@](x); }",
             "int main() { k@l:k[<<<>>>@](x); }",
             // Formatters without CUDA support write them so, and nvcc accepts them.
             "int main() { k@l:k[<< <1, 32>> >@](p); }",
             "int main() { k @l:k[<<\t<1, 32>>\t>@] (p); }",
             "int main() { k@l:k[<< <1, 32>>>@](p); k@l:k[<<<1, 32>> >@] (p); }",
             "int main() { k@l:k[<</**/<1, 32>>/*x*/>@](p); }",
             "int main() { k@l:k[<< /*a*/ /*b*/ <1, 32>> /*<*/ /*>*/ >@](p); }",
             "int main() { k@l:k[<<<1, 32>>\n>@](p); k@l:k[<<<1, 32>> // c\n>@](p); }",
             "int main() { k@l:k[<<<1, 32>> /*\n*/ >@](p); k@l:k[<<<1, 32>> \\\n>@](p); }",
             "int main() { k@l:k[<< <1, a<a<int>>::v>> >@](p); k@l:k[<< <a<a<int>> ::v, 1>> "
             ">@](p); }",
             "int main() { k<a<b<c>> >@l:k[<< <g, b>> >@](x); }",
             "int main() { std::cout << x << y; k@l:k[<< <1, 2>> >@](p); }",
             "#define CALL(x) k@l:k[<< <1, 1>> >@](x)\nint x;",
             "#define CALL(f, g) f@l:f[<< <g, 1>> >@]\nint x;",
             "#define CALL(f, x) f@l:f[<< <1, 1>> >@] x\nint x;",
             "int main() { for (;;) CHECK((k@l:k[<<<1, 1>>>@](x), q@l:q[<<<2, 2>>>@](y))); }",
             "#define LAUNCH(k, g, ...) k@l:k[<<<g, \\\n 256>>>@](__VA_ARGS__)\nint x;",
             "#define LAUNCH(k) k##_kernel@l:k##_kernel[<<<g, 256>>>@]\nint x;",
             "__global__ void k() @k:k[{ q@l:q[<<<1, 1>>>@](); }@]",
             "int main() { k@l:k[<<<dim3(1, 256>>>@](x); }",
             // Cut off.
             "int main() { k@l:k[<<<grid, dim3(1, ",
             "int main() { k@l:k[<<<grid, /* x",
             "int main() { k@l:k[<<<",
         }) {
        check(source);
    }
}

BOOST_AUTO_TEST_CASE(no_launches) {
    for (const char* source : {
             "int main() { k< <<1, 1>>>(x); }",
             "int main() { k<<\n<1, 1>>>(x); }",
             "int main() { k<< // c\n<1, 1>>>(x); }",
             "int main() { k<< /*\n*/ <1, 1>>>(x); }",
             "int main() { k<< \\\n<1, 1>>>(x); }",
             "int main() { k<\\\n< <1, 1>>>(x); }",
             "int main() { std::cout << <x>; y > z; }",
             "int main() { std::cout << <insert the value here>\n",
             "int main() { std::cout << < x >> > y; }",
             "std::ostream& operator<< <T>(std::ostream& o, const a<b<T>>& x);",
             "int main() { operator<< <a<b<int>> >(o, x); a<b<c<int>> > y; x >>= 2; z = y >> >= 1; "
             "}",
             "int main() { k<<<<1, 1>>>(x); }",
             "int main() { // k<<<1, 1>>>(x);\n /* k<<<1, 1>>>(x); */ f(\"k<<<1, 1>>>(x)\"); }",
             "std::ostream& operator<<<T>(std::ostream& o, const a<b<T>>& x);",
             "std::ostream& s = operator<<<a<b<T>>>(o, x);",
             "#if 0\nint main() { k<<<1, 1>>>(x); }\n#endif",
             "int main() { k<<<1, 1>>(x); }",
             "<<<<<<< HEAD\nint x;\n=======\nint y;\n>>>>>>> other\n",
         }) {
        check(source);
    }
}

BOOST_AUTO_TEST_CASE(names) {
    for (const char* source : {
             "int main() { ns::k<T>@l:k[<<<1, 1>>>@](x); }",
             "int main() { ::a::b<int>::k@l:k[<<<1, 1>>>@](x); }",
             "int main() { (*fp)@l:fp[<<<1, 1>>>@](x); }",
             "int main() { kernels[i]@l:kernels[<<<1, 1>>>@](x); }",
             "int main() { table[i].run@l:run[<<<1, 1>>>@](x); }",
             "int main() { this->k@l:k[<<<1, 1>>>@](x); }",
             "int main() { (k<T>)@l:k[<<<1, 1>>>@](x); }",
             "int main() { KERNEL(add)@l:add[<<<1, 1>>>@](x); }",
             "int main() { pick<float>(n)@l:pick[<<<1, 1>>>@](x); }",
             "int main() { static_cast<fn<int>>(k)@l:k[<<<1, 1>>>@](x); }",
             "int main() { if (x) (*fp)@l:fp[<<<1, 1>>>@](x); }",
             "int main() { k\\\nern@l:kern[<<<1, 1>>>@](x); }",
             "int main() { k // why\n @l:k[<<<1, 1>>>@](x); }",
             "@l:[<<<1, 1>>>@](x);",
         }) {
        check(source);
    }
}

BOOST_AUTO_TEST_CASE(calls) {
    for (const char* source : {
             "int main() { @l:k[cudaLaunchKernel((void*)k<float>, g, b, args, 0, s)@]; }",
             "int main() { @l:k[cudaLaunchKernel((const void*)&ns::k<T, a<int>>, g, b, args)@]; }",
             "int main() { @l:k[cudaLaunchKernel(k<T, int>, g, b, args)@]; }",
             "int main() { @l:k[cudaLaunchKernel(reinterpret_cast<const void*>(k<T>), g, b)@]; }",
             "int main() { @l:k[cudaLaunchKernel(reinterpret_cast<void*>(&k), g, b)@]; }",
             "int main() { @l:k[cudaLaunchKernelEx(&cfg, k<T, 3>, a, b)@]; }",
             "int main() { @l:k[cudaLaunchKernelExC(&cfg, (const void*)k, args)@]; }",
             "int main() { @l:k[cudaLaunchCooperativeKernel((void*)k, g, b, args)@]; }",
             "int main() { @l:f[cuLaunchKernel(f, 1, 1, 1, 2, 2, 2, 0, s, args, 0)@]; }",
             "int main() { @l:f[cuLaunchKernelEx(&config, f, args, nullptr)@]; }",
             "int main() { @l:k[hipLaunchKernel((void*)k, g, b, args, 0, s)@]; }",
             "int main() { @l:k[hipLaunchKernelGGL(k, dim3(1), dim3(2), 0, 0, x)@]; }",
             "int main() { @l:k[hipLaunchKernelGGL((k<float, 3>), g, b, 0, 0, x)@]; }",
             "int main() { @l:k[hipLaunchKernelGGL(HIP_KERNEL_NAME(ns::k<float, 3>), g, b, 0, 0, "
             "x)@]; }",
             "int main() { @l:k[hipLaunchCooperativeKernel(k, g, b, args, 0, 0)@]; }",
             "int main() { @l:f[hipModuleLaunchKernel(f, 1, 1, 1, 2, 2, 2, 0, s, args, 0)@]; }",
             "int main() { CHECK(@l:k[cudaLaunchKernel(k, g, b, args)@]); }",
             "int main() { auto e = ::@l:k[cudaLaunchKernel(k, g, b, args)@]; }",
             "int main() { return @l:k[cudaLaunchKernel(k, g, b, args)@]; }",
             "int main() { if (x) @l:k[cudaLaunchKernel(k, g, b, args)@]; else "
             "@l:q[cudaLaunchKernel(q, g, b, args)@]; }",
             "int main() { api.@l:f[cuLaunchKernel(f, 1, 1)@]; api->@l:f[cuLaunchKernel(f, 1, "
             "1)@]; }",
             "int main() { (void)@l:k[cudaLaunchKernel(k, g, b, args)@]; x = y * "
             "@l:k[cudaLaunchKernel(k, g, b, args)@]; }",
             "int main() { (@l:k[cudaLaunchKernel)(k, g, b, args)@]; }",
             "int main() { @l:k[cudaLaunchKernel /* c */ (k, f(\")\"), ')')@]; }",
             "int main() { CHECK @l:k[cudaLaunchKernel((void*)k, g, b, args)@]; }",
             "#define RUN @l:k[cudaLaunchKernel(k, g, b, args)@]\n#define RUN2(k) "
             "@l:k[cudaLaunchKernel(k, g, b, args)@]\n",
             "int main() { @l:k[cudaLaunchKernel<float>(k, g, b, args)@]; }",
             // Cut off, and broken.
             "int main() { @l:k[cudaLaunchKernel(k, g, ",
             "int main() { @l:k[cudaLaunchKernel(k, f(g@]; }",
         }) {
        check(source);
    }
}

BOOST_AUTO_TEST_CASE(declarations_are_none) {
    for (const char* source : {
             "cudaError_t cudaLaunchKernel(const void* func, dim3 grid, dim3 block, void** args);",
             "extern \"C\" cudaError_t CUDARTAPI cudaLaunchKernel(const void *f, dim3 g) { return "
             "real(f); }",
             "template <class... A> inline cudaError_t cudaLaunchKernelEx(const "
             "cudaLaunchConfig_t* c, void (*k)(A...));",
             "CUresult cuLaunchKernel(CUfunction, unsigned, unsigned);",
             "result<int> cuLaunchKernel(CUfunction f, unsigned x);",
             "struct api { CUresult (*cuLaunchKernel)(CUfunction f, unsigned x); };",
             "__attribute__((weak)) hipError_t hipLaunchKernel(const void* f);",
             "auto p = &cudaLaunchKernel; auto q = cudaLaunchKernel; using ::cudaLaunchKernel;",
             "#define cudaLaunchKernel(f, g) hipLaunch(f, g)\n#define hipLaunchKernelGGL(k, ...) "
             "run(k)\n",
             "int main() { cudaLaunchKernelMine(k); mycudaLaunchKernel(k); cudaLaunchDevice(k); }",
             "// cudaLaunchKernel(k)\nconst char* s = \"cudaLaunchKernel(k)\";",
             "virtual CUresult driver::cuLaunchKernel(CUfunction f, int x) { return 0; }",
         }) {
        check(source);
    }
}

BOOST_AUTO_TEST_SUITE_END()
