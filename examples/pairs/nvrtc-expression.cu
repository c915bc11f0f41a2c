// Evaluate a formula given on the command line for x = 0, 0.1, 0.2, ...:
// the formula becomes a kernel at run time through NVRTC.
// Build: nvcc -std=c++17 nvrtc-expression.cu -lnvrtc -lcuda
#include <cuda.h>
#include <nvrtc.h>

#include <cstdio>
#include <cstdlib>
#include <string>
#include <vector>

// @ stands for the formula. This __global__ text is only a string here; the
// host compiler never sees it as a kernel.
static const char* kSource = R"cuda(
extern "C" __global__ void eval(double* out, int n, double step) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) {
    const double x = i * step;
    out[i] = @;
  }
}
)cuda";

static void check(CUresult r, const char* what) {
  if (r == CUDA_SUCCESS) return;
  const char* text = nullptr;
  cuGetErrorString(r, &text);
  std::fprintf(stderr, "%s: %s\n", what, text ? text : "unknown error");
  std::exit(1);
}

static void check(nvrtcResult r, const char* what) {
  if (r == NVRTC_SUCCESS) return;
  std::fprintf(stderr, "%s: %s\n", what, nvrtcGetErrorString(r));
  std::exit(1);
}

static std::vector<char> compile(const std::string& source, const std::string& arch) {
  nvrtcProgram program;
  check(nvrtcCreateProgram(&program, source.c_str(), "eval.cu", 0, nullptr, nullptr), "create");
  const char* options[] = {arch.c_str()};
  const nvrtcResult result = nvrtcCompileProgram(program, 1, options);
  if (result != NVRTC_SUCCESS) {
    size_t size = 0;
    check(nvrtcGetProgramLogSize(program, &size), "log size");
    std::string log(size, '\0');
    check(nvrtcGetProgramLog(program, &log[0]), "log");
    std::fprintf(stderr, "%s\n", log.c_str());
    std::exit(1);
  }
  size_t size = 0;
  check(nvrtcGetPTXSize(program, &size), "PTX size");
  std::vector<char> ptx(size);
  check(nvrtcGetPTX(program, ptx.data()), "PTX");
  check(nvrtcDestroyProgram(&program), "destroy");
  return ptx;
}

int main(int argc, char** argv) {
  std::string source = kSource;
  source.replace(source.find('@'), 1, argc > 1 ? argv[1] : "sin(x) * exp(-x)");

  CUdevice device;
  CUcontext context;
  int major = 0, minor = 0;
  check(cuInit(0), "cuInit");
  check(cuDeviceGet(&device, 0), "cuDeviceGet");
  check(cuDeviceGetAttribute(&major, CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MAJOR, device), "major");
  check(cuDeviceGetAttribute(&minor, CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MINOR, device), "minor");
  check(cuDevicePrimaryCtxRetain(&context, device), "context");
  check(cuCtxSetCurrent(context), "set context");

  const std::vector<char> ptx = compile(
      source, "--gpu-architecture=compute_" + std::to_string(major) + std::to_string(minor));
  CUmodule module;
  CUfunction eval;
  check(cuModuleLoadData(&module, ptx.data()), "load");
  check(cuModuleGetFunction(&eval, module, "eval"), "find eval");

  int n = 21;
  double step = 0.1;
  CUdeviceptr out;
  check(cuMemAlloc(&out, n * sizeof(double)), "allocate");
  void* args[] = {&out, &n, &step};
  check(cuLaunchKernel(eval, (n + 63) / 64, 1, 1, 64, 1, 1, 0, nullptr, args, nullptr), "launch");
  std::vector<double> values(n);
  check(cuMemcpyDtoH(values.data(), out, n * sizeof(double)), "copy back");

  for (int i = 0; i < n; ++i) std::printf("%4.1f %.9g\n", i * step, values[i]);
  check(cuMemFree(out), "free");
  check(cuModuleUnload(module), "unload");
  check(cuDevicePrimaryCtxRelease(device), "release");
  return 0;
}
