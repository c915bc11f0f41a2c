#!/bin/sh
# The pairs in examples/pairs.jsonl are made from examples/pairs and whole, and their code
# compiles.
#
# usage: examples_compile.sh [SOURCE_ROOT]
#
# Exit status: 0 pass, 1 fail, 77 when nvcc is absent (all else has passed).
#
# The code is taken out of the records, not out of the files they come from.
# A HIP response is compiled by nvcc against a stub of hip/hip_runtime.h that
# maps the few names in use to CUDA's: a check of the syntax and the types, not
# of a HIP tool chain. The CUDA source in a Python response is compiled against
# the headers of the torch package in CUSET_TORCH_DIR (the folder that holds
# include/) if that is set, and against stubs of the few names in use if not.

set -u
root=${1:-$(cd "$(dirname "$0")/../.." && pwd)}
pairs=$root/examples/pairs.jsonl

tmp=$(mktemp -d) || exit 1
trap 'rm -rf "$tmp"' EXIT
trap 'exit 1' HUP INT TERM

fail() {
  echo "FAIL: $*" >&2
  exit 1
}

# (a) The committed file is what its sources make.
python3 "$root/examples/make-pairs.py" "$tmp/pairs.jsonl" || fail "make-pairs.py failed"
cmp -s "$tmp/pairs.jsonl" "$pairs" || {
  diff "$pairs" "$tmp/pairs.jsonl" | cut -c 1-200 >&2
  fail "examples/pairs.jsonl differs from what make-pairs.py makes"
}

# (b) The records, and their code as files: NAME.cu, one to compile each.
mkdir "$tmp/code" || exit 1
python3 - "$pairs" "$tmp/code" <<'EOF' || fail "examples/pairs.jsonl is not as it should be"
import ast, json, re, sys

pairs, folder = sys.argv[1:]
ids, bad = set(), []
kinds = {"plain": 0, "markdown": 0, "python": 0, "hip": 0}

for line in open(pairs, encoding="utf-8"):
    r = json.loads(line)
    if set(r) != {"id", "prompt", "response"} or not all(isinstance(v, str) and v.strip() for v in r.values()):
        bad.append("a record has other fields than id, prompt and response: " + line[:60])
        continue
    id_, text = r["id"], r["response"]
    if not re.fullmatch(r"[a-z0-9]+(-[a-z0-9]+)*", id_):
        bad.append(id_ + ": not a kebab-case id")
    if id_ in ids:
        bad.append(id_ + ": there twice")
    ids.add(id_)
    count = len(text.splitlines())
    if not 40 <= count <= 200:
        bad.append(f"{id_}: {count} lines, not 40 to 200")

    fences = re.findall(r"^```(?:cuda|cpp|c\+\+)\n(.*?)^```$", text, re.M | re.S)
    if fences:
        kind, sources = "markdown", fences
    elif re.search(r"^import ", text, re.M):
        kind = "python"
        sources = [n.value for n in ast.walk(ast.parse(text))
                   if isinstance(n, ast.Constant) and isinstance(n.value, str) and "__global__" in n.value]
    else:
        kind, sources = "hip" if "hip/hip_runtime.h" in text else "plain", [text]
    kinds[kind] += 1
    if not any("__global__" in s for s in sources):
        bad.append(id_ + ": no kernel in it")
    for n, source in enumerate(sources, 1):
        with open(f"{folder}/{id_}.{n}.cu", "w", encoding="utf-8") as f:
            f.write(source)

if len(ids) < 24:
    bad.append(f"{len(ids)} records, at least 24 are wanted")
for kind, count in kinds.items():
    if not count:
        bad.append("no response of the kind " + kind)
for b in bad:
    print(b, file=sys.stderr)
print(len(ids), "records:", ", ".join(f"{c} {k}" for k, c in kinds.items()))
sys.exit(bool(bad))
EOF

# (c) All of it compiles.
command -v nvcc >/dev/null 2>&1 || {
  echo "skipped: nvcc is absent"
  exit 77
}

mkdir -p "$tmp/stub/hip" || exit 1
cat >"$tmp/stub/hip/hip_runtime.h" <<'EOF'
#pragma once
#include <cuda_runtime.h>
#define hipError_t cudaError_t
#define hipSuccess cudaSuccess
#define hipGetErrorString cudaGetErrorString
#define hipGetLastError cudaGetLastError
#define hipMalloc cudaMalloc
#define hipFree cudaFree
#define hipMemcpy cudaMemcpy
#define hipMemcpyHostToDevice cudaMemcpyHostToDevice
#define hipMemcpyDeviceToHost cudaMemcpyDeviceToHost
#define hipLaunchKernelGGL(kernel, grid, block, bytes, stream, ...) \
  kernel<<<(grid), (block), (bytes), (stream)>>>(__VA_ARGS__)
EOF

if [ -n "${CUSET_TORCH_DIR:-}" ]; then
  python_include=$(python3 -c 'import sysconfig; print(sysconfig.get_paths()["include"])')
  torch=$(cd "$CUSET_TORCH_DIR" && pwd) || fail "CUSET_TORCH_DIR is not a folder"
  set -- -I"$torch/include" -I"$torch/include/torch/csrc/api/include" \
    -I"$python_include"
else
  set --
  mkdir -p "$tmp/stub/torch" "$tmp/stub/ATen/cuda" "$tmp/stub/c10/cuda" || exit 1
  cat >"$tmp/stub/torch/extension.h" <<'EOF'
#pragma once
#include <cstdint>
namespace torch {
enum ScalarType { kFloat };
struct Tensor {
  bool is_cuda() const;
  bool is_contiguous() const;
  ScalarType scalar_type() const;
  int64_t dim() const;
  int64_t size(int64_t) const;
  int64_t numel() const;
  template <typename T> T* data_ptr() const;
};
Tensor empty_like(const Tensor&);
}  // namespace torch
#define TORCH_CHECK(condition, message) \
  do { if (!(condition)) throw message; } while (0)
EOF
  cat >"$tmp/stub/ATen/cuda/CUDAContext.h" <<'EOF'
#pragma once
#include <cuda_runtime.h>
namespace at { namespace cuda { cudaStream_t getCurrentCUDAStream(); } }
EOF
  cat >"$tmp/stub/c10/cuda/CUDAException.h" <<'EOF'
#pragma once
#include <cuda_runtime.h>
#define C10_CUDA_KERNEL_LAUNCH_CHECK() \
  do { if (cudaGetLastError() != cudaSuccess) throw "launch"; } while (0)
EOF
fi

# Two at a time; each leaves its messages in NAME.cu.log if it fails.
cat >"$tmp/compile" <<'EOF'
#!/bin/sh
source=$1
shift
# With the real torch headers each pass over the source takes half a minute;
# -ptx makes one, which reads the host code as well.
mode=-c
[ -n "${CUSET_TORCH_DIR:-}" ] && grep -q torch/extension.h "$source" && mode=-ptx
nvcc -std=c++17 -arch=sm_80 "$mode" -o /dev/null "$@" "$source" >"$source.log" 2>&1 && rm "$source.log"
exit 0
EOF
# The slow ones start first.
cd "$tmp/code" || exit 1
{
  grep -l 'torch/extension.h' -- *.cu
  grep -L 'torch/extension.h' -- *.cu
} | xargs -P 2 -I '{}' sh "$tmp/compile" '{}' -I"$tmp/stub" "$@"

count=$(find . -name '*.cu' | wc -l)
failed=$(find . -name '*.cu.log' | wc -l)
for log in *.log; do
  [ -e "$log" ] || continue
  echo "== $(basename "$log" .cu.log)" >&2
  head -n 20 "$log" >&2
done
[ "$failed" -eq 0 ] || fail "$failed of $count sources do not compile"
echo "$count sources compile"
exit 0
