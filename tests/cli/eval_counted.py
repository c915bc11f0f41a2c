"""CUPTI's callbacks count launches on a GPU. Here driver and CUPTI are stubs that do nothing else,
since the counting library is the same for both. With the real toolkit it must at least compile."""

import pathlib
import subprocess

from _eval import assert_that, need_sandbox, prelude, room, run, task, verdicts, write, write_candidates, write_tasks

need_sandbox()
kit = room / "kit"
write(kit / "bin/nvcc", f"""#!/bin/bash
case $1 in --version) echo "Cuda compilation tools, release 0.1, V0.1.3"; exit ;; esac
output=$2 source=$3
shift 3
for word; do case $word in
    -Xcompiler) ;;
    -Xlinker) linker=yes ;;
    *) if [ "$linker" ]; then words+=("-Wl,$word"); else words+=("$word"); fi; linker= ;;
esac; done
sed -e 's/__global__//' -e 's/\\([a-z]*\\)<<<1, 1>>>(/launch(\\1, /' "$source" |
    g++ -O1 -x c++ -include {kit}/include/driver.h -o "$output" - -x none "${{words[@]}}" -ldl
""").chmod(0o755)
# The driver's treatment of CUDA_INJECTION64_PATH, and the place where CUPTI sees a launch.
write(kit / "include/driver.h", """
#pragma once
#include <cstdlib>
#include <cstring>
#include <dlfcn.h>
enum { cudaMemcpyDeviceToHost };
static void start_driver() {
    static void* library = nullptr;
    const char* path = getenv("CUDA_INJECTION64_PATH");
    if (library || !path || !(library = dlopen(path, RTLD_NOW | RTLD_GLOBAL))) return;
    reinterpret_cast<int (*)()>(dlsym(library, "InitializeInjection"))();
}
static int cudaMalloc(int** p, size_t bytes) {
    start_driver();
    *p = static_cast<int*>(malloc(bytes));
    return 0;
}
static int cudaMemcpy(void* to, const void* from, size_t bytes, int) { memcpy(to, from, bytes); return 0; }
static void call(int error) {
    if (void* seen = dlsym(RTLD_DEFAULT, "cupti_sees")) reinterpret_cast<void (*)(int)>(seen)(error);
}
template <class K> void launch(K k, int* x) {
    start_driver();
    k(x);
    call(0);
}
""")
cupti = write(kit / "extras/CUPTI/include/cupti.h", """
#pragma once
#define CUPTIAPI
typedef int CUresult;
enum { CUDA_SUCCESS = 0 };
enum CUptiResult { CUPTI_SUCCESS };
enum CUpti_CallbackDomain { CUPTI_CB_DOMAIN_DRIVER_API };
enum CUpti_ApiCallbackSite { CUPTI_API_ENTER, CUPTI_API_EXIT };
typedef unsigned CUpti_CallbackId;
typedef void* CUpti_SubscriberHandle;
struct CUpti_CallbackData { CUpti_ApiCallbackSite callbackSite; const void* functionReturnValue; };
typedef void (*CUpti_CallbackFunc)(void*, CUpti_CallbackDomain, CUpti_CallbackId, const void*);
extern "C" CUptiResult cuptiSubscribe(CUpti_SubscriberHandle*, CUpti_CallbackFunc, void*);
extern "C" CUptiResult cuptiEnableCallback(unsigned, CUpti_SubscriberHandle, CUpti_CallbackDomain,
                                           CUpti_CallbackId);
""" + "".join(f"const CUpti_CallbackId CUPTI_DRIVER_TRACE_CBID_{name} = {i};\n" for i, name in enumerate(
    ["cuLaunch", "cuLaunchGrid", "cuLaunchGridAsync", "cuLaunchKernel", "cuLaunchKernel_ptsz",
     "cuLaunchKernelEx", "cuLaunchKernelEx_ptsz", "cuLaunchCooperativeKernel",
     "cuLaunchCooperativeKernel_ptsz", "cuLaunchCooperativeKernelMultiDevice", "cuGraphLaunch",
     "cuGraphLaunch_ptsz"])))
stub = write(kit / "stub.cpp", """
#include <cupti.h>
static CUpti_CallbackFunc heard;
extern "C" CUptiResult cuptiSubscribe(CUpti_SubscriberHandle*, CUpti_CallbackFunc f, void*) {
    heard = f;
    return CUPTI_SUCCESS;
}
extern "C" CUptiResult cuptiEnableCallback(unsigned, CUpti_SubscriberHandle, CUpti_CallbackDomain,
                                           CUpti_CallbackId) { return CUPTI_SUCCESS; }
extern "C" void cupti_sees(int error) {
    for (CUpti_ApiCallbackSite site : {CUPTI_API_ENTER, CUPTI_API_EXIT}) {
        CUpti_CallbackData data{site, &error};
        heard(nullptr, CUPTI_CB_DOMAIN_DRIVER_API, CUPTI_DRIVER_TRACE_CBID_cuLaunchKernel, &data);
    }
}
""")
library = kit / "extras/CUPTI/lib64/libcupti.so"
library.parent.mkdir(parents=True)
subprocess.run(["g++", "-shared", "-fPIC", "-I", cupti.parent, "-include", "initializer_list", stub,
                "-o", library], check=True)

right = "load(); twice(); store();"
one = "static void one(int* x) { *x = 1; }\n"


def candidate(sample, body):
    return {"task": 1, "sample": sample,
            "response": f"```cuda\n{prelude}{one}int main() {{ {body} }}\n```\n"}


cases = [
    ("launches", "int* p; cudaMalloc(&p, 4); for (int i = 0; i < 3; ++i) one<<<1, 1>>>(p); " + right,
     None),
    ("the driver alone, and a launch that is never reached", "int* p; cudaMalloc(&p, 4); " + right,
     "no_kernel_launch"),
    ("no driver", right, "no_kernel_launch"),
    ("launches that the driver refuses", "int* p; cudaMalloc(&p, 4); call(1); call(9); " + right,
     "no_kernel_launch"),
    ("launches, and wrong", "int* p; cudaMalloc(&p, 4); one<<<1, 1>>>(p); load(); store();",
     "wrong_output"),
]
tasks = write_tasks(room / "tasks.jsonl", task(1))
candidates = write_candidates(room / "c.jsonl",
                              *(candidate(i, body) for i, (_, body, _) in enumerate(cases)))


def judged(name, *flags):
    done = run("--nvcc", kit / "bin/nvcc", "--launcher=env", "--tasks", tasks, "--verdicts",
               room / name, *flags, candidates)
    assert_that(name, done.returncode == 0, done.stderr.decode())
    return verdicts(room / name), done.stdout.decode()


found, report = judged("counted.jsonl")
for i, (name, _, kind) in enumerate(cases):
    assert_that(name, found[1, i]["failure"] == kind, found[1, i])
assert_that("said so", "launches counted by CUPTI" in report, report)
assert_that("why", found[1, 1]["diagnostic"] == "the results are right, but no kernel ran", found[1, 1])
accepted, _ = judged("accepted.jsonl", "--accept-no-launch")
assert_that("accepted", [accepted[1, i]["failure"] for i in range(4)] == [None] * 4, accepted)

# Without CUPTI the source is searched; each of these contains a launch.
library.unlink()
write(kit / "bin/nvcc", (kit / "bin/nvcc").read_text().replace("V0.1.3", "V0.1.4"))
looked_at, report = judged("source.jsonl")
assert_that("said so too", "launches read from the source" in report, report)
assert_that("by the source", [looked_at[1, i]["failure"] for i in range(4)] == [None] * 4, looked_at)

real = pathlib.Path("/usr/local/cuda/bin/nvcc")
if real.exists():
    counter = pathlib.Path(__file__).parent.parent.parent / "lib/judge/programs/launch_counter.cu"
    root = real.resolve().parent.parent
    done = subprocess.run([real, "-o", room / "counter.so", counter, "-std=c++17", "-shared",
                           "-Xcompiler", "-fPIC", "-DCUSET_CHANNEL=7", "-I", root / "extras/CUPTI/include",
                           "-L", root / "extras/CUPTI/lib64", "-L", root / "lib64", "-lcupti"],
                          capture_output=True)
    assert_that("with the real CUPTI", done.returncode == 0, done.stderr.decode())
