#!/usr/bin/env bash
# The kit for a machine with a GPU (kit.sh) can be made, and what a CPU can do of it goes well. The long
# form alone: it builds the preset cuda, for which set-up fetches 2 GB.
[ -n "${CUSET_LONG:-}" ] || {
    echo 'skipped: only the long form packs the kit'
    exit 77
}
[ -z "${CUSET_SANITIZERS:-}" ] || {
    echo 'skipped: a sanitizer build makes no kit'
    exit 77
}
command -v nvcc >/dev/null || [ -x /usr/local/cuda/bin/nvcc ] || {
    echo 'skipped: there is no nvcc'
    exit 77
}
set -e
CUSET_KIT=$(mktemp -d)/gpu-kit
export CUSET_KIT
trap 'rm -rf "${CUSET_KIT%/*}"' EXIT
"$CUSET_SOURCE/tests/gpu/kit.sh" pack
"$CUSET_SOURCE/tests/gpu/kit.sh" rehearse
