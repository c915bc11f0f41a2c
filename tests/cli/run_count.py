"""This tests cuset-run --count: what programs execute and touch, known to the last operation from their text."""

import json
import os
import subprocess

from _host_runtime import fill
from _tool import assert_equal, assert_exit, assert_that, built, case, environment, room, skip

tool = built("cuset-run")
cache, here = room / "cache", room / "here"
here.mkdir()
fill(cache / "cuset", libraries=("plain",), counted=True)
variables = environment(XDG_CACHE_HOME=cache)


def run(*given, nvcc="none"):
    return subprocess.run([tool, f"--nvcc={nvcc}", *map(str, given)], capture_output=True, env=variables, cwd=here,
                          check=False, stdin=subprocess.DEVNULL)


def program(kernels, body):
    """`n` elements of x, y and z, of the type T, which are 1 in the device's memory."""
    return f"""#include <cstdio>
#include <vector>
#ifndef NUMBER
#define NUMBER float
#endif
using T = NUMBER;
{kernels}
int main(int argc, char** argv) {{
    const int n = argc > 1 ? atoi(argv[1]) : 1000;
    T *x, *y, *z;
    for (T** p : {{&x, &y, &z}}) {{
        cudaMalloc(p, n * sizeof(T));
        std::vector<T> ones(n, T(1));
        cudaMemcpy(*p, ones.data(), n * sizeof(T), cudaMemcpyHostToDevice);
    }}
{body}
    const cudaError_t error = cudaDeviceSynchronize();
    puts(error == cudaSuccess ? "done" : cudaGetErrorString(error));
    return error != cudaSuccess;
}}
"""


def counted(kernels, body, *more, arguments=()):
    """The kernels of --json."""
    (here / "program.cu").write_text(program(kernels, body))
    done = run("--no-confirm", "--count", "--json", *more, "program.cu", "--", *arguments)
    if done.returncode == 4:
        skip(done.stderr.decode().strip())
    assert_that("exit code", done.returncode == 0, done.returncode, done.stderr.decode())
    assert_equal("stdout", done.stdout, b"done\n")
    return json.loads(done.stderr.splitlines()[-1])["cost"]["kernels"]


def one(*given, **more):
    kernels = counted(*given, **more)
    assert_equal("kernels", len(kernels), 1)
    return kernels[0]


def check(kernel, /, **wanted):
    for name, value in wanted.items():
        found = kernel
        for part in name.split("__"):
            found = found[part]
        assert_equal(name, found, value)


saxpy = """__global__ void saxpy(int n, T a, const T* x, T* y) {
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) y[i] = a * x[i] + y[i];
}"""
launch = "    saxpy<<<(n + 255) / 256, 256>>>(n, T(2), x, y);"

case("saxpy, to the last operation and byte")
for n in 1000, 1, 32, 257:
    k = one(saxpy, launch, arguments=(n,))
    check(k, kernel="saxpy", launches=1, line=19, grid=[(n + 255) // 256, 1, 1], block=[256, 1, 1],
          fp32={"add": 0, "fma": n, "div": 0, "rcp": 0, "sqrt": 0}, sass__fp32=2 * n, bytes_read=8 * n, bytes_written=4 * n,
          sectors=3 * ((4 * n + 31) // 32), accesses=3 * ((n + 31) // 32), accessing_lanes=3 * n, functions={},
          bank_conflicts=0, atomics=0, barriers=0, not_counted=[])

case("double, and two instances of one template")
k = one(saxpy, launch, "-DNUMBER=double")
check(k, fp64__fma=1000, fp32__fma=0, bytes_read=16000, bytes_written=8000, sectors=750)
two = counted("template <class U> " + saxpy.replace("T ", "U ").replace("T*", "U*") +
              "\ntemplate <class U> void start(int n, void* x, void* y) { saxpy<<<4, 256>>>(n, U(2), (U*)x, (U*)y); }",
              "    start<float>(n, x, y);\n    start<double>(n / 2, x, y);\n    start<float>(n, x, y);")
assert_equal("instances", sorted((k["instance"], k["line"], k["launches"], k["fp32"]["fma"], k["fp64"]["fma"]) for k in two),
             [(1, 11, 2, 2000, 0), (2, 11, 1, 0, 500)])
assert_equal("signatures", sorted(k["signature"] for k in two),
             ["saxpy(int, double, double*, double*)", "saxpy(int, float, float*, float*)"])
named = counted("template <class U, int N> __global__ void many(U* x) { x[threadIdx.x] += N; }",
                "    many<float, 3><<<1, 32>>>((float*)x);\n    many<double, 4><<<1, 32>>>((double*)x);")
assert_equal("template arguments", sorted(k["signature"] for k in named),
             ["many<double, 4>(double*)", "many<float, 3>(float*)"])

case("launches of one place and configuration are one")
k = counted(saxpy, "    for (int i = 0; i < 5; ++i) saxpy<<<i == 4 ? 2 : 4, 256>>>(n, T(2), x, y);")
assert_equal("launches", [(each["grid"][0], each["launches"], each["fp32"]["fma"]) for each in k], [(2, 1, 512), (4, 4, 4000)])

case("coalescing")
# Each lane of a warp touches a sector of its own.
k = one("__global__ void far(T* x) { x[threadIdx.x * 8] += 1; }", "    far<<<1, 64>>>(x);")
check(k, sectors=128, accesses=4, accessing_lanes=128, bytes_read=256, bytes_written=256, fp32__add=64)
# All lanes read one.
k = one("__global__ void near(const T* x, T* y) { y[threadIdx.x] = x[3]; }", "    near<<<1, 64>>>(x, y);")
check(k, sectors=2 + 8, bytes_read=256)
# A float4 is one access of 16 bytes a lane.
k = one("__global__ void wide(const float4* x, float4* y) { y[threadIdx.x] = x[threadIdx.x]; }",
        "    wide<<<1, 64>>>((float4*)x, (float4*)y);")
check(k, bytes_read=1024, bytes_written=1024, sectors=64, accesses=4)

# Structs take as many accesses as their alignment makes of them.
structs = """struct four { float a, b, c, d; };
struct two { double a, b; };
struct eight { float a[8]; };
template <class S> __global__ void copies(const S* x, S* y) { y[threadIdx.x] = x[threadIdx.x]; }"""
for name, accesses, sectors in ("four", 8, 128), ("two", 4, 64), ("float4", 2, 32), ("double2", 2, 32), ("float3", 6, 72), ("eight", 16, 512):
    k = one(structs, "    copies<<<1, 32>>>((NAME*)x, (NAME*)y);", f"-DNAME={name}")
    check(k, accesses=accesses, sectors=sectors)

case("shared memory")
tile = """__global__ void transpose(const T* in, T* out) {
    __shared__ T tile[32][WIDE];
    tile[threadIdx.y][threadIdx.x] = in[threadIdx.y * 32 + threadIdx.x];
    __syncthreads();
    out[threadIdx.y * 32 + threadIdx.x] = tile[threadIdx.x][threadIdx.y];
}"""
for wide, conflicts in (32, 31 * 32), (33, 0), (34, 32):
    k = one(tile, "    transpose<<<1, dim3(32, 32)>>>(x, y);", f"-DWIDE={wide}", arguments=(1024,))
    check(k, bank_conflicts=conflicts, shared_accesses=64, shared_bytes=8192, barriers=1, bytes_read=4096, bytes_written=4096)
k = one("__global__ void pairs(double* out) { __shared__ double a[32]; a[threadIdx.x] = 1; out[threadIdx.x] = a[threadIdx.x]; }",
        "    pairs<<<1, 32>>>((double*)x);")
check(k, bank_conflicts=0, shared_bytes=512)  # 8 bytes a lane take two turns, and that is no conflict

k = one("__global__ void some(double* out) { __shared__ double a[32]; if (threadIdx.x % 16 < 4) a[threadIdx.x] = 1; out[threadIdx.x] = 2; }",
        "    some<<<1, 32>>>((double*)x);")
check(k, bank_conflicts=0, shared_accesses=1)  # lanes of two turns do not meet
# A GPU adds floats, and all of 8 bytes, in shared memory by a loop of loads and swaps.
sums = "template <class U> __global__ void sums(U* out) { __shared__ U a[32]; a[threadIdx.x] = 0; atomicAdd(&a[threadIdx.x / 4], U(1)); out[threadIdx.x] = a[threadIdx.x]; }"
added = 32 + 24 + 16 + 8
for name, accesses, adds in ("int", 3, (0, 0)), ("float", 10, (added, 0)), ("double", 10, (0, added)), ("unsigned long long", 10, (0, 0)):
    check(one(sums, "    sums<<<1, 32>>>((NAME*)x);", f"-DNAME={name}"), shared_accesses=accesses, atomics=32,
          fp32__add=0, fp64__add=0, sass__fp32=adds[0], sass__fp64=adds[1])

case("divergence")
halves = "__global__ void halves(T* x) { const int i = threadIdx.x; if (i PART) for (int k = 0; k < 1000; ++k) x[i] = x[i] * T(2) + T(1); }"
whole = one(halves, "    halves<<<1, 64>>>(x);", "-DPART=>= 0")
odd = one(halves, "    halves<<<1, 64>>>(x);", "-DPART=% 2")
low = one(halves, "    halves<<<1, 64>>>(x);", "-DPART=< 32")
for k, lanes in (whole, 1), (odd, 0.5), (low, 1):
    found = k["lane_steps"] / k["warp_steps"]
    assert_that(f"active lanes {lanes}", abs(found - lanes) < 0.01, found)
check(odd, fp32__fma=32 * 1000)
check(low, fp32__fma=32 * 1000)

case("operations apart")
k = one("""__global__ void all(T* x, T* y, int* z) {
    const int i = threadIdx.x;
    const T a = x[i], b = y[i];
    y[i] = a / b + sqrtf(a) - T(1) / b;
    x[i] = __fadd_rn(a, b) * __frcp_rn(b);
    z[i] = (int)a % 7;
}""", "    all<<<1, 32>>>(x, y, (int*)z);")
check(k, fp32={"add": 32 * 4, "fma": 0, "div": 32, "rcp": 64, "sqrt": 32}, sass__fp32=32 * (4 + 10 + 2 * 5 + 6))
k = one("""#include <cuda_fp16.h>
__global__ void half_ones(__half* x, __half2* y) {
    const int i = threadIdx.x;
    const __half a = x[i];
    const __half2 b = y[i];
    x[i] = __hadd(a, __hmul(a, a));
    y[i] = __hfma2(b, b, b);
}""", "    half_ones<<<1, 32>>>((__half*)x, (__half2*)y);")
check(k, fp16={"add": 64, "fma": 64, "div": 0, "rcp": 0, "sqrt": 0}, fp32__add=0, fp32__fma=0, bytes_read=32 * 6, bytes_written=32 * 6)

case("functions by name, and their operations on a GPU")
k = one("""__global__ void functions(T* x, T* y) {
    const int i = threadIdx.x;
    const T a = x[i];
    y[i] = expf(a) + __expf(a);
    x[i] = sinf(a) * y[i] + cosf(a);
    y[i] += powf(a, 2.0f) + erfinvf(a / 2) + (T)sin((double)a);
}""", "    functions<<<1, 32>>>(x, y);")
check(k, functions={"__expf": 32, "erfinvf": 32, "expf": 32, "powf": 32, "sin": 32, "sinf+cosf": 32})
assert_that("SASS", abs(k["sass"]["fp32"] - 32 * (1 + 21.05 + 10 + 61 + 28.12 + 1 + 2 + 1 + 4)) < 64, k["sass"])
assert_that("SASS of a double's function", abs(k["sass"]["fp64"] - 32 * 23.23) < 2, k["sass"])

k = one("__global__ void either(const T* x, T* y, int c) { T o = c ? T(1) : x[3]; y[threadIdx.x] = o / x[threadIdx.x]; }",
        "    either<<<1, 32>>>(x, y, n);")
check(k, fp32__div=32, fp32__rcp=0)
k = one("__global__ void all(const T* x, T* y, int n) { T s = 0; for (int i = 0; i < n; ++i) s += T(1) / x[i]; y[threadIdx.x] = s; }",
        "    all<<<1, 32>>>(x, y, 10);")
check(k, fp32__div=0, fp32__rcp=320)

case("-use_fast_math")
exact = one("__global__ void f(T* x) { x[threadIdx.x] = expf(x[threadIdx.x]); }", "    f<<<1, 32>>>(x);")
fast = one("__global__ void f(T* x) { x[threadIdx.x] = expf(x[threadIdx.x]); }", "    f<<<1, 32>>>(x);", "--nvcc-flags=-use_fast_math")
check(fast, fast_math=True, functions={"expf": 32})
assert_that("fewer operations", fast["sass"]["fp32"] < exact["sass"]["fp32"] and "fast_math" not in exact, (fast, exact))

case("loops, calls and host code")
k = one("""__device__ __noinline__ T step(T a) { return a * T(3); }
__host__ __device__ T both(T a) { return a + T(1); }
__global__ void loop(T* x, int n) { T a = x[threadIdx.x]; for (int i = 0; i < n; ++i) a = step(both(a)); x[threadIdx.x] = a; }""",
        "    T host = 0;\n    for (int i = 0; i < 1000; ++i) host = both(host) * T(0.5);\n    loop<<<2, 96>>>(x, (int)host + 9);")
check(k, fp32__add=2 * 96 * 10 * 2, launches=1)

case("atomics, warps and blocks that wait")
k = one("""__global__ void sums(const T* x, T* y, int n) {
    __shared__ T part;
    if (threadIdx.x == 0) part = 0;
    __syncthreads();
    T a = x[threadIdx.x];
    for (int d = 16; d > 0; d /= 2) a += __shfl_down_sync(~0u, a, d);
    if (threadIdx.x % 32 == 0) atomicAdd(&part, a);
    __syncthreads();
    if (threadIdx.x == 0) atomicAdd(y, part);
}""", "    sums<<<3, 128>>>(x, y, n);")
check(k, atomics=3 * (4 + 1), barriers=6, fp32__add=3 * 128 * 5, bytes_read=3 * (128 * 4 + 4), bytes_written=3 * 4)

case("a lane with more accesses than are kept at a time")
k = one("__global__ void many(const T* x, T* y, int n) { T s = 0; for (int i = 0; i < n; ++i) s += x[i]; y[threadIdx.x] = s; }",
        "    many<<<1, 64>>>(x, y, n);", arguments=(100000,))
check(k, fp32__add=64 * 100000, accesses=2 * 100001, sectors=2 * 100000 + 8, bytes_read=64 * 400000)

case("a cooperative launch")
k = one("""#include <cooperative_groups.h>
__global__ void together(T* x) {
    x[blockIdx.x * 64 + threadIdx.x] += 1;
    cooperative_groups::this_grid().sync();
    x[blockIdx.x * 64 + threadIdx.x] += x[threadIdx.x];
}""", "    void* given[] = {&x};\n    cudaLaunchCooperativeKernel((void*)together, dim3(4), dim3(64), given);")
check(k, fp32__add=512, launches=1)

case("what is not counted has a name")
k = one("""__global__ void drawn(cudaTextureObject_t t, T* y) { y[threadIdx.x] = tex1Dfetch<float>(t, threadIdx.x); }""", """
    cudaResourceDesc r{};
    r.resType = cudaResourceTypeLinear;
    r.res.linear.devPtr = x;
    r.res.linear.desc = cudaCreateChannelDesc<float>();
    r.res.linear.sizeInBytes = n * sizeof(float);
    cudaTextureDesc d{};
    cudaTextureObject_t t = 0;
    cudaCreateTextureObject(&t, &r, &d, nullptr);
    drawn<<<1, 32>>>(t, y);""")
check(k, not_counted=["textures"])
k = one("""__global__ void drawn(cudaSurfaceObject_t s) { surf2Dwrite(1.0f, s, threadIdx.x * 4, 0); }""", """
    cudaArray_t array;
    const cudaChannelFormatDesc d = cudaCreateChannelDesc<float>();
    cudaMallocArray(&array, &d, 32, 1, cudaArraySurfaceLoadStore);
    cudaResourceDesc r{};
    r.resType = cudaResourceTypeArray;
    r.res.array.array = array;
    cudaSurfaceObject_t s = 0;
    cudaCreateSurfaceObject(&s, &r);
    drawn<<<1, 32>>>(s);""")
check(k, not_counted=["surfaces"])
k = one("""__global__ void drawn(cudaTextureObject_t t, T* y) { y[threadIdx.x] = tex2DLod<float>(t, threadIdx.x, 0, 0) + tex2Dgather<float4>(t, 0, 0).x; }""", """
    cudaArray_t array;
    const cudaChannelFormatDesc d = cudaCreateChannelDesc<float>();
    cudaMallocArray(&array, &d, 32, 1, cudaArrayTextureGather);
    cudaResourceDesc r{};
    r.resType = cudaResourceTypeArray;
    r.res.array.array = array;
    cudaTextureDesc how{};
    cudaTextureObject_t t = 0;
    cudaCreateTextureObject(&t, &r, &how, nullptr);
    drawn<<<1, 32>>>(t, y);""")
check(k, not_counted=["textures"])
for call in "cg::reduce(tile, x[threadIdx.x], cg::plus<T>())", "cg::inclusive_scan(tile, x[threadIdx.x])":
    k = one("#include <cooperative_groups.h>\n#include <cooperative_groups/reduce.h>\n#include <cooperative_groups/scan.h>\n"
            "namespace cg = cooperative_groups;\n__global__ void together(T* x) { auto tile = cg::tiled_partition<32>(cg::this_thread_block()); "
            f"x[threadIdx.x] = {call}; }}", "    together<<<1, 32>>>(x);")
    check(k, not_counted=["reductions and scans of cooperative groups"])
k = one("__constant__ const T table[4] = {1, 2, 3, 4};\n__global__ void looks(T* x) { x[threadIdx.x] = table[threadIdx.x % 4]; }",
        "    looks<<<1, 32>>>(x);")
check(k, not_counted=["tables that are const"], bytes_read=0)
k = one("""__global__ void chosen(T* y) {
    T w = 0;
    switch (int(y[threadIdx.x])) {
        case 0: w = 1.5f; break;
        case 1: w = 2.5f; break;
        case 2: w = 3.75f; break;
        case 3: w = 7.25f; break;
        case 4: w = 9.5f; break;
    }
    y[threadIdx.x] = w;
}""", "    chosen<<<1, 32>>>(y);")
check(k, not_counted=[])
kernels = counted("#include <thrust/device_vector.h>\n#include <thrust/reduce.h>\n" + saxpy, launch + """
    thrust::device_vector<float> v(100, 2.0f);
    if (thrust::reduce(v.begin(), v.end()) != 200) return 1;""")
assert_equal("Thrust", [(k["kernel"], k["launches"], k["not_counted"]) for k in kernels],
             [("(Thrust)", 0, ["Thrust's algorithms"]), ("saxpy", 1, [])])

kernels = counted("#include <cublas_v2.h>\n" + saxpy, launch.replace("(n + 255) / 256", "4") + """
    cublasHandle_t h;
    cublasCreate(&h);
    float result = 0;
    cublasSdot(h, n, x, 1, y, 1, &result);
    cublasDestroy(h);""")
assert_equal("a library's kernel", [(k["kernel"], k["launches"], k["fp32"]["fma"], k["not_counted"]) for k in kernels],
             [("(CUDA's libraries)", 1, 0, ["kernels of CUDA's libraries"]), ("saxpy", 1, 1000, [])])

case("more configurations than are told apart")
kernels = counted("__global__ void k(T* x) { x[0] += 1; }", "    for (int i = 1; i < 1011; ++i) k<<<i, 1>>>(x);", "--estimate=H100")
others = kernels[0]
assert_equal("others", (others["kernel"], others["launches"], len(kernels)), ("(other launches)", 10, 1001))
check(others, not_counted=["the time of launches beyond 1,000 configurations"], fp32__add=sum(range(1001, 1011)))
assert_that("no time", "estimate" not in others and "estimate" in kernels[1], others)

case("libraries beside kernels")
kernels = counted("#include <cublas_v2.h>\n#include <thread>\n" + saxpy, """
    std::thread beside([&] {
        cublasHandle_t h;
        cublasCreate(&h);
        float result = 0;
        for (int i = 0; i < 300; ++i) cublasSdot(h, n, x, 1, y, 1, &result);
        cublasDestroy(h);
    });
    for (int i = 1; i < 301; ++i) saxpy<<<i, 32>>>(0, T(2), z, z);
    beside.join();""")
assert_equal("launches", (kernels[0]["kernel"], kernels[0]["launches"], len(kernels)), ("(CUDA's libraries)", 300, 301))

case("a program does not hide what it computes")
hidden = saxpy.replace("const int", '\n#line 5 "%s/include/x.h"\n    const int')
for folder in next((cache / "cuset").glob("host-*")), "/x/.work-1":
    (here / "program.cu").write_text(program(hidden % folder, launch))
    done = run("--no-confirm", "--count", "--json", "program.cu")
    assert_that("named", "may name a header" in json.loads(done.stderr.splitlines()[-1])["cost"]["not_counted"], done.stderr)
check(one(saxpy.replace("const int", '\n#line 5 "other.cu"\n    const int'), launch), fp32__fma=1000)

case("the table")
(here / "program.cu").write_text(program(saxpy, launch))
done = run("--no-confirm", "--count", "program.cu")
names, line = done.stderr.decode().splitlines()
row = dict(zip(names.split("\t"), line.split("\t")))
assert_equal("columns", len(names.split("\t")), len(line.split("\t")))
for name, value in {"kernel": "saxpy", "place": "19", "launches": "1", "fp32": "2000", "bytes_read": "8000",
                    "bytes_written": "4000", "coalescing": "1.000"}.items():
    assert_equal(name, row[name], value)

case("several files")
(here / "main.cu").write_text(program("__global__ void other(T* x);\nvoid start(T* x);", "    start(x);\n    other<<<1, 32>>>(x);"))
(here / "b.cu").write_text("__global__ void other(float* x) { x[threadIdx.x] *= 2; }\nvoid start(float* x) { other<<<1, 64>>>(x); }\n")
done = run("--no-confirm", "--count", "main.cu", "b.cu")
places = [line.split("\t")[1] for line in done.stderr.decode().splitlines()[1:]]
assert_equal("places", sorted(places), ["b.cu:2", "main.cu:18"])

case("what depends on arguments alone, each thread computes")
k = one("""__global__ void faded(int n, float4 color, T* y) {
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    const T alpha = color.w / color.x, rest = 1 - alpha;
    y[i] = alpha * color.y + rest * y[i];
}""", "    faded<<<(n + 255) / 256, 256>>>(n, float4{2, 3, 4, 1}, y);")
assert_equal("operations", (k["fp32"]["div"], k["fp32"]["add"] + 2 * k["fp32"]["fma"]), (1000, 4000))

case("stores of warps that go in step")
k = one("""__global__ void stepped(int n, T* x, T* y) {
    volatile T* const v = x;
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    T table[100];
    if (i >= n) return;
    for (int j = 0; j < 100; ++j) table[j] = j;
    v[i] += 2 * y[i];
    y[i] = table[int(y[i])];
}""", "    stepped<<<(n + 255) / 256, 256>>>(n, x, y);")
check(k, bytes_read=3 * 4000, bytes_written=2 * 4000, local_bytes=101 * 4000)
assert_equal("operations", k["fp32"]["add"] + 2 * k["fp32"]["fma"], 2000)

case("a kernel that is launched from two places")
two = counted(saxpy, launch + "\n" + launch)
assert_equal("launches", [(k["line"], k["launches"], k["fp32"]["fma"], k["bytes_read"]) for k in two],
             [(line, 1, 1000, 8000) for line in (two[0]["line"], two[0]["line"] + 1)])

case("an estimate")
done = run("--no-confirm", "--estimate", "rtx 3080", "--json", "program.cu", "--", 1 << 22)
cost = json.loads(done.stderr.splitlines()[-1])["cost"]
kernel = cost["kernels"][0]
assert_equal("GPU", cost["estimate"]["gpu"], "RTX 3080")
assert_equal("bound", kernel["estimate"]["bound"], "memory")
# 12 bytes of 4 Mi elements at nine tenths of 760 GB/s, and what it takes to begin.
assert_that("seconds", abs(kernel["estimate"]["seconds"] - (12 * (1 << 22) / 684e9 + 2e-6)) < 1e-6, kernel["estimate"])
check(kernel, dram_read=8 << 22, dram_written=4 << 22)

case("large arrays of threads lie in memory")
(here / "local.cu").write_text(program("""__host__ __device__ constexpr int second(int n) {
    int all[3] = {n, n + 1, n + 2};
    return all[1];
}
__global__ void k(const T* x, T* y) {
    T table[160], few[4], tile[8][8];
    T slow[80];
    slow[second(threadIdx.x) % 80] = 1;
    tile[int(x[0])][0] = 1;
    for (int i = 0; i < 160 && i >= tile[int(x[0])][0]; ++i) break;
    float4 pair = reinterpret_cast<const float4*>(x)[0];
    for (int i = 0; i < 4; ++i) few[i] = reinterpret_cast<T*>(&pair)[i];
    struct pair { T a[100]; };
    for (int i = 0; i < 160; ++i) table[i] = i * threadIdx.x;
    y[blockIdx.x * blockDim.x + threadIdx.x] = table[int(x[threadIdx.x])] + few[int(x[threadIdx.x])] +
                                               tile[int(x[0])][0] + slow[int(x[1])];
}""", "    k<<<256, 256>>>(x, y);"))
done = run("--no-confirm", "--estimate", "rtx 3080", "--json", "local.cu", "--", 1 << 16)
kernel = json.loads(done.stderr.splitlines()[-1])["cost"]["kernels"][0]
check(kernel, local_bytes=(161 + 2) * 4 << 16, bytes_written=4 << 16)
# They are more than the caches hold for the blocks that run at a time: what is written leaves them, and a sector more of
# each warp, where one word in 80 is written.
written = kernel["dram_written"] / ((160 * 4 << 16) + (4 << 16))
assert_that("what the caches do not keep", 0.95 < written <= 1.06, kernel)

case("blocks that run at a time share what L2 holds")
(here / "channels.cu").write_text(program("""__global__ void k(const T* x, T* y, int n) {
    T sum = 0;
    for (int i = threadIdx.x * 8 + blockIdx.x; i < n; i += 8 * blockDim.x) sum += x[i];
    atomicAdd(y, sum);
}""", "    k<<<8, 256>>>(x, y, n);"))
done = run("--no-confirm", "--estimate", "rtx 3080", "--json", "channels.cu", "--", 1 << 22)
kernel = json.loads(done.stderr.splitlines()[-1])["cost"]["kernels"][0]
check(kernel, bytes_read=(4 << 22) + (4 << 11), most_atomics=1 << 11)  # of floats, each by itself
assert_that("each sector once", (4 << 22) <= kernel["dram_read"] < 1.1 * (4 << 22), kernel)

assert_exit("no such GPU", run("--estimate", "RTX 1", "program.cu"), 2, "no such GPU: RTX 1 (V100, T4")

case("only the first launches")
(here / "long.cu").write_text(program(saxpy, "    for (;;) { saxpy<<<4, 256>>>(n, T(2), x, y); puts(\"again\"); }"))
done = run("--launches", 3, "--json", "long.cu")
assert_equal("exit code", done.returncode, 0)
assert_equal("stdout", done.stdout, b"again\nagain\n")
check(json.loads(done.stderr.splitlines()[-1])["cost"]["kernels"][0], launches=3, fp32__fma=3000)

(here / "streams.cu").write_text(program(saxpy, """    std::ios::sync_with_stdio(false);
    std::cout << "of a stream\\n";
    fputs("of another\\n", stderr);
    saxpy<<<4, 256>>>(n, T(2), x, y);""").replace("#include <cstdio>", "#include <cstdio>\n#include <iostream>"))
done = run("--launches", 1, "streams.cu")
assert_that("all that was printed", done.stdout == b"of a stream\n" and b"of another\n" in done.stderr, done)

case("a program that is wrong is not counted")
(here / "wrong.cu").write_text(program("__global__ void wild(T* x) { x[1 << 28] = 1; }", "    wild<<<1, 1>>>(x);"))
done = run("--count", "wrong.cu")
assert_equal("exit code", done.returncode, 121)
assert_that("the fault", b"illegal_address" in done.stderr, done.stderr.decode())
assert_that("no table", b"cuset-run: not counted: the program did not come to its end" in done.stderr, done.stderr.decode())
(here / "host.cu").write_text("int main() {}\n")
done = run("--count", "host.cu")
assert_equal("no kernel", (done.returncode, done.stderr), (0, b"cuset-run: not counted: no kernel ran\n"))
assert_exit("on a GPU", run("--count", "--backend", "gpu", "program.cu"), 2, "--count needs the host backend")

(here / "missing.cu").write_text('#include "nowhere.h"\nint main() {}\n')
for words in ["--count"], ["--launches", 1]:
    done = run(*words, "missing.cu")
    assert_equal("a header that is missing", done.returncode, 122)
    assert_that("is named", b"nowhere.h" in done.stderr and b"not counted: the program does not compile" in done.stderr, done.stderr)
done = run("--launches", 5, "wrong.cu")
assert_that("the fault", done.returncode == 121 and b"did not come to its end" in done.stderr, done.stderr.decode())
assert_exit("checked", run("--launches", 1, "--check", "program.cu"), 2, "--launches has the only run")
assert_exit("a folder", run("--launches", 1, "--dir", here, "program.cu"), 2, "--dir does not go with it")

case("a program that knows the counters' names is refused")
(here / "knows.cu").write_text("extern unsigned cuset_host_lane;\nint main() { return cuset_host_lane; }\n")
done = run("--count", "knows.cu")
assert_that("refused", done.returncode in (122, 123), done.stderr.decode())

case("streams that work beside the host")
(here / "beside.cu").write_text("""#include <atomic>
#include <cstdio>
__global__ void wait_for(volatile int* flag, float* x) { while (*flag == 0) {} x[threadIdx.x] = x[threadIdx.x] * 2 + 1; }
int main() {
    int* flag;
    float* x;
    cudaHostAlloc(&flag, sizeof(int), cudaHostAllocMapped);
    *flag = 0;
    cudaMalloc(&x, 128);
    wait_for<<<1, 32>>>(flag, x);
    *(volatile int*)flag = 1;
    return cudaDeviceSynchronize();
}
""")
for words in (["--count"], ["--launches", 9]):
    done = run(*words, "--json", "beside.cu")
    kernel = json.loads(done.stderr.splitlines()[-1])["cost"]["kernels"][0]
    assert_equal("exit code", done.returncode, 0)
    check(kernel, fp32__fma=32, launches=1)
