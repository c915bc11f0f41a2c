#!/usr/bin/env bash
# This runs the CUDA kernels on a GPU, in one go: the suite at all sizes (each kernel ten times for
# its bits), the tools of compute-sanitizer over the small cases, and timings beside torch's. What
# is not installed is said and skipped. Needs no toolkit where it runs: the programs are built with
# the runtime in them (but for those of the preset cuda, which want LibTorch's lib folder in
# LD_LIBRARY_PATH).
#
#   CUSET_BUILD=build/no-torch [CUSET_PYTHON=python3] tests/gpu/kernels.sh [ARGUMENT-OF-_kernel_times.py...]
set -uo pipefail
here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
suite=$CUSET_BUILD/tests/kernel_suite
python=${CUSET_PYTHON:-python3}
if ! command -v nvidia-smi >/dev/null || ! nvidia-smi -L; then
    echo 'there is no GPU here'
    exit 77
fi
if [ ! -x "$suite" ]; then
    echo "there is no $suite: it was built without nvcc"
    exit 77
fi

failed=0
step() { # NAME COMMAND...
    local name=$1
    shift
    echo "== $name"
    if "$@"; then
        echo "== $name: ok"
    else
        echo "== $name: FAILED ($?)"
        failed=1
    fi
}

step 'suite' "$suite" full
if command -v compute-sanitizer >/dev/null; then
    for tool in memcheck racecheck synccheck; do
        step "$tool" timeout 150 compute-sanitizer --tool "$tool" --error-exitcode 9 --print-limit 5 "$suite" tiny
    done
else
    echo '== compute-sanitizer is not installed: skipped'
fi
if "$python" -c 'import torch; raise SystemExit(not torch.cuda.is_available())' 2>/dev/null; then
    step 'timings' "$python" "$here/_kernel_times.py" "$@"
else
    echo "== $python has no torch with CUDA: timings skipped"
fi
exit $failed
