#!/usr/bin/env bash
# Where the host backend finds CUDA's own headers on a machine without a toolkit: in the folder that is named, in its
# installation, or in the packages of its Python environment. Where it finds none, one line says what to do.
source "$(dirname "$0")/../_shell_test.sh"
need bwrap

mkdir -p prefix/bin compiler
cp "$CUSET_BIN/cuset-eval" prefix/bin/
cat >compiler/g++ <<'END'
#!/bin/sh
case $1 in -dumpfullversion | --version) echo 12.2.0 ;; *) echo "$@" >"${0%/*}/command"; exit 1 ;; esac
END
chmod +x compiler/g++
echo '{"id":1,"task_name":"t","inputs":[],"outputs":[],"bench.cu":"int main() {}","gen.py":"","compare.py":""}' >task.jsonl
echo '{"task":1,"sample":0,"response":"int main() {}"}' >answer.jsonl
# judge [OPTION-OF-BWRAP...]: the folder that has the headers and was given to g++, or the message if none was found.
judge() {
    rm -f compiler/command
    expect 4 bwrap --dev-bind / / --tmpfs /usr/local --setenv XDG_CACHE_HOME "$scratch/cache" \
        --setenv PATH "$scratch/compiler:$PATH" --unsetenv CUSET_CUDA_INCLUDE "$@" prefix/bin/cuset-eval -q --backend=host --nvcc=none \
        --unsafe-no-sandbox --tasks task.jsonl answer.jsonl
    found=$(cat err)
    if [ -e compiler/command ]; then found=$(grep -oE -m 1 -e '-isystem [^ ]+' compiler/command | head -n 1); fi
}
# headers FOLDER: those of set-up, as links, since copies take a while.
headers() { mkdir -p "$1" && ln -s "$CUSET_DEPS"/cuda/include/* "$1"; }

case_is 'Nowhere'
judge
assert_equal "$found" "cuset-eval: CUDA's headers are missing, which the host backend compiles programs with: install the CUDA toolkit, or run pip install nvidia-cuda-runtime nvidia-cuda-crt nvidia-cuda-cccl, and set CUSET_CUDA_INCLUDE to its folder nvidia/cu13/include"

case_is 'In the packages of the environment'
packages=prefix/lib/python3.11/site-packages/nvidia/cu13/include
headers $packages
judge
assert_equal "$found" "-isystem $scratch/$packages"

case_is "Some of the packages alone, such as torch's requirement, are not enough"
for part in crt cccl; do
    mv $packages/$part aside
    judge
    case $found in *"CUDA's headers are missing"*) ;; *) fail "without $part: $found" ;; esac
    mv aside $packages/$part
done
mv $packages/crt aside

case_is 'In the installation'
headers prefix/share/cuset/cuda/include
judge
assert_equal "$found" "-isystem $scratch/prefix/share/cuset/cuda/include"

case_is 'In the folder that is named, or nowhere'
headers named
judge --setenv CUSET_CUDA_INCLUDE "$scratch/named"
assert_equal "$found" "-isystem $scratch/named"
judge --setenv CUSET_CUDA_INCLUDE /nowhere
assert_equal "$found" "cuset-eval: CUSET_CUDA_INCLUDE=/nowhere: it lacks cuda_runtime.h, crt/host_defines.h or cuda/std/version"
