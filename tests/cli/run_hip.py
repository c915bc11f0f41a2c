"""Programs in HIP with cuset-run and cuset-eval: of one file and of several, what is said of wrong ones, and a task whose
build command calls hipcc. The nvcc here refuses HIP, which it must not be asked about."""

import json
import subprocess

from _host_runtime import fill
from _tool import assert_equal, assert_that, built, environment, json_lines, room, skip

tool, judge = built("cuset-run"), built("cuset-eval")
cache, scratch, here = room / "cache", room / "tmp", room / "here"
for folder in cache, scratch, here, room / "bin":
    folder.mkdir()
fill(cache / "cuset")
room.chmod(0o755)  # the sandbox's user runs what stands there
nvcc = room / "bin/nvcc"
nvcc.write_text("""#!/bin/sh
case $1 in --version) echo "Cuda compilation tools, release 13.0, V13.0.88"; exit ;; esac
if grep -q "hip/\\|of nvcc" "$3"; then
  echo "program.cu(1): error: nvcc was asked" >&2
  exit 1
fi
cp /bin/true "$2"
""")
nvcc.chmod(0o755)
variables = environment(XDG_CACHE_HOME=cache, TMPDIR=scratch)


def write(name, text):
    path = here / name
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text)


def run(*words):
    return subprocess.run([tool, "--no-confirm", f"--nvcc={nvcc}", *words], capture_output=True, text=True, env=variables,
                          cwd=here, check=False)


def ends(name, done, code, out="", err=""):
    assert_that(f"{name}: exit code {code}, {out!r}, {err!r}",
                (done.returncode, out in done.stdout, err in done.stderr) == (code, True, True),
                f"{done.returncode}\n{done.stdout}{done.stderr}")


include = "#include <hip/hip_runtime.h>\n#include <cstdio>\n"
kernel = "__global__ void fill(int* x) { x[threadIdx.x] = N; }\n"
body = """int main() {
    int *x, host[32];
    if (hipMalloc(&x, sizeof host) != hipSuccess) return 4;
    hipLaunchKernelGGL(fill, dim3(1), dim3(32), 0, 0, x);
    hipMemcpy(host, x, sizeof host, hipMemcpyDeviceToHost);
    std::printf("%d\\n", host[31]);
    hipFree(x);
    return host[31] == N ? 0 : 3;
}
"""
write("one.hip", include + "#define N 7\n" + kernel + body)
done = run("one.hip")
if done.returncode == 4:
    skip(done.stderr.strip())
ends("one file", done, 0, "7\n")
write("one.cpp", include + "#define N 8\n" + kernel + body)
ends("a .cpp file with a header of HIP", run("one.cpp"), 0, "8\n")

# hipcc compiles each file for the device, whatever it is called.
write("src/fill.h", "#pragma once\n#include <hip/hip_runtime.h>\n#define N 9\nvoid start(int* x);\n")
write("src/fill.cpp", '#include "fill.h"\n' + kernel + "void start(int* x) { fill<<<1, 32>>>(x); }\n")
write("src/main.cpp", '#include "fill.h"\n#include <cstdio>\n' + body.replace(
    "hipLaunchKernelGGL(fill, dim3(1), dim3(32), 0, 0, x)", "start(x)"))
ends("several files", run("src/main.cpp", "src/fill.cpp"), 0, "9\n")

write("no_header.hip", kernel.replace("N", "1") + "int main() { return hipDeviceSynchronize(); }\n")
ends("no header", run("no_header.hip"), 122, err="no_header.hip:1: syntax_error: error: no header of HIP is included")
write("cuda.hip", include + "int main() {\n  int* x;\n  cudaMalloc(&x, 4);\n}\n")
done = run("cuda.hip")
ends("a call of CUDA's", done, 122, err="cuda.hip:5:")
assert_that("its name stands as in the program", "‘cudaMalloc’ was not declared" in done.stderr, done.stderr)
found = json.loads(run("--json", "cuda.hip").stderr.splitlines()[-1])
assert_equal("diagnostic", (found["line"], found["diagnostic"]), (5, "error: cudaMalloc is no name of HIP"))
write("module.hip", include + "int main() {\n  hipModule_t m;\n  return hipModuleLoad(&m, \"x\");\n}\n")
found = json.loads(run("--json", "module.hip").stderr.splitlines()[-1])
assert_equal("what is not modelled", (found["failure"], found["diagnostic"]), ("unsupported", "hipModule_t"))
write("bounds.hip", include + "#define N 7\n" + kernel.replace("threadIdx.x]", "threadIdx.x + 100]") + body)
ends("out of bounds", run("--check", "bounds.hip"), 121, err="bounds.hip:4: out_of_bounds: kernel fill")
# Plain C++ beside HIP's files, a name from the command line, and a program for the platform that it is compiled for.
write("plain/half.cpp", "#include <vector>\nint half(int x) { return std::vector<int>{x / 2}[0]; }\n")
write("plain/main.hip", include + "int half(int);\n#define N HIP_BLOCK\n" + kernel + body.replace("N ? 0", "2 * half(N) ? 0"))
ends("plain C++ in a HIP program", run("-DHIP_BLOCK=6", "plain/main.hip", "plain/half.cpp"), 0, "6\n")
write("lacks.hip", "int main() { int x[2] = {threadIdx.x}; return x[1]; }\n")
ends("what plain C++ has not", run("lacks.hip"), 122, err="no header of HIP is included")

# A CUDA program stays one, whatever stands beside it and in branches that nvcc does not read.
write("both/gpu.h", "#pragma once\n#ifdef USE_HIP\n#include \"gpu_hip.h\"\n#else\n#include \"gpu_cuda.h\"\n#endif\n")
write("both/gpu_hip.h", "#pragma once\n#include <hip/hip_runtime.h>\n#define gpuSync hipDeviceSynchronize\n")
write("both/gpu_cuda.h", "#pragma once\n#include <cuda_runtime.h>\n#define gpuSync cudaDeviceSynchronize\n")
write("both/main.hip", include + "int main() { return 3; }\n")
write("both/main.cu", "#include \"gpu.h\"\n#include <cstdio>\n__global__ void k() {}\nint main() {\n  k<<<1, 1>>>();\n"
      "#ifdef __CUDACC__\n  std::puts(\"CUDA\");\n#endif\n  return cudaDeviceSynchronize();\n}\n")
done = subprocess.run([tool, "--nvcc=none", "both/main.cu"], capture_output=True, text=True, env=variables, cwd=here, check=False)
ends("a CUDA program with a twin in HIP", done, 0, "CUDA\n")

# Whether a program means to meet the error of a fault is read in its own language, whatever its files include.
after_fault = ("#include <cstdio>\n__global__ void k(int* p) { *p = 1; }\nint main() { k<<<1, 1>>>((int*)nullptr);\n"
               "  return cudaDeviceSynchronize() == cudaErrorIllegalAddress ? 0 : 1; }\n")
write("fault/hip/own.h", "#pragma once\n")
write("fault/common.h", "#pragma once\n#include <hip/hip_runtime.h>\n")
write("fault/main.cu", '#include "hip/own.h"\n' + after_fault)
write("fault/main.hip", '#include "common.h"\n' + after_fault.replace("cuda", "hip"))
for name in "main.cu", "main.hip":
    done = subprocess.run([tool, "--nvcc=none", "fault/" + name], capture_output=True, text=True, env=variables, cwd=here, check=False)
    ends(f"after a fault in {name}", done, 0)
# The runtime has no name of HIP for a program in CUDA.
write("links.cu", "const char* hipGetErrorName(cudaError_t);\nint main() { return hipGetErrorName(cudaSuccess) == nullptr; }\n")
done = subprocess.run([tool, "--nvcc=none", "links.cu"], capture_output=True, text=True, env=variables, cwd=here, check=False)
ends("a name that CUDA lacks", done, 122, err="hipGetErrorName")

write("plain.cu", "// of nvcc\nint main() { return 0; }\n")
ends("CUDA's programs are nvcc's", run("plain.cu"), 122, err="nvcc was asked")

def task_of(name, command):
    return {"task_id": name, "prompt": "Write start() in solution.hip.", "group": "hip",
            "context_files": [{"path": "fill.h", "content": (here / "src/fill.h").read_text()}],
            "test_files": [{"path": "test/main.cpp", "content": (here / "src/main.cpp").read_text()}],
            "build_command": command, "test_command": "./test.out", "timeout_seconds": 30}


flags = "-I . -o test.out solution.hip test/*.cpp"
tasks = [task_of("HIP/one", "hipcc -O3 --offload-arch=gfx90a " + flags),
         task_of("HIP/cuda", "nvcc " + flags.replace("solution.hip", "solution.cu test.cu").replace(" test/*.cpp", ""))]
right = (here / "src/fill.cpp").read_text()
answers = {"right": right, "wrong": right.replace("= N", "= 1"),
           "left over": right.replace("void start(int* x) {", "void start(int* x) { cudaDeviceSynchronize();"),
           "of 64 lanes": right.replace("= N", "= __shfl(N, 0)")}
lines = [{"task": "HIP/one", "sample": i, "response": f"```hip solution.hip\n{text}```"} for i, text in enumerate(answers.values())]
# What is written for nvcc is in CUDA: HIP's headers are not there.
lines.append({"task": "HIP/cuda", "sample": 4, "response": f"```cuda solution.cu\n{right}```\n```cuda test.cu\nint main() {{}}\n```"})
# So is a program of one file, whose task asks for CUDA.
plain = {"id": "HIP/plain", "task_name": "plain", "inputs": [], "outputs": [], "gen.py": "pass", "compare.py": "print('T')",
         "bench.cu": "int main() {}"}
lines.append({"task": "HIP/plain", "sample": 5, "response": f"```cpp\n{include}#define N 1\n{kernel}int main() {{ fill<<<1, 1>>>(nullptr); }}\n```"})
# A task may ask for HIP: bench.cu and answers are in it, and a program in CUDA is wrong.
one_file = include + "#define N 1\n" + kernel + body.replace(
    'std::printf("%d\\n", host[31]);', 'std::FILE* out = std::fopen("data/y.bin", "wb"); std::fputc(host[31], out); std::fclose(out);')
wants_hip = {**plain, "id": "HIP/lang", "lang": "hip", "bench.cu": one_file, "outputs": [{"name": "y"}],
             "gen.py": "import os\nos.makedirs('data', exist_ok=True)\nopen('data/y_ref.bin', 'wb').write(b'\\1')\n",
             "compare.py": "print('T' if open('data/y.bin', 'rb').read() == open('data/y_ref.bin', 'rb').read() else 'F')\n"}
harness = {"id": "HIP/harness", "lang": "hip", "prompt": "p", "nvcc_flags": "-O3 --offload-arch=gfx1100",
           "harness": '#include "solution.cu"\n' + body}
for task in "HIP/lang", "HIP/harness":
    for text in (one_file if task == "HIP/lang" else include + "#define N 1\n" + kernel, one_file.replace("hip/hip", "cuda").replace("hip", "cuda")):
        lines.append({"task": task, "sample": len(lines), "response": f"```cpp\n{text}```"})
(room / "tasks.jsonl").write_bytes(json_lines([*tasks, plain, wants_hip, harness]))
(room / "answers.jsonl").write_bytes(json_lines(lines))
done = subprocess.run([judge, "-q", "--backend=host", "--nvcc=none", "--no-confirm", "--tasks", room / "tasks.jsonl",
                       "--verdicts", room / "verdicts.jsonl", room / "answers.jsonl"], capture_output=True, text=True, env=variables, check=False)
lines = [json.loads(line) for line in (room / "verdicts.jsonl").read_text().splitlines()] if done.returncode == 0 else []
found = {v["sample"]: (v["failure"], v["diagnostic"]) for v in lines if "sample" in v}
assert_equal("verdicts", [found.get(i, (done.stderr, ""))[0] for i in range(10)],
             [None, "wrong_exit", "syntax_error", "unsupported", "unsupported", "unsupported", None, "syntax_error", None, "syntax_error"])
assert_that("with names and lines of HIP", found[2][1] == "solution.hip(3): error: cudaDeviceSynchronize is no name of HIP", found[2][1])
assert_equal("of 64 lanes", found[3][1], "warps of 64 lanes")
assert_equal("for nvcc", [found[i][1] for i in (4, 5)], ["<hip/hip_runtime.h>"] * 2)

for task, message in (({**wants_hip, "lang": "sycl"}, '"lang" is neither "cuda" nor "hip"'),
                      ({**wants_hip, "answer": "cost.flops"}, '"lang" is "hip", and counts are asked of programs in CUDA')):
    (room / "tasks.jsonl").write_bytes(json_lines([task]))
    done = subprocess.run([judge, "-q", "--backend=host", "--tasks", room / "tasks.jsonl", room / "answers.jsonl"],
                          capture_output=True, text=True, env=variables, check=False)
    assert_that(f"{message} is an error", done.returncode == 1 and message in done.stderr, done.stderr)
