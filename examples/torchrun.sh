#!/usr/bin/env bash
# Fine-tunes on the GPUs (or, without one, the cores) of this machine, one process each.
#
# usage: examples/torchrun.sh PROCESSES OUT PAIRS [cuset-train's options]
#   CUSET_MODEL=... examples/torchrun.sh 8 adapter tagged.jsonl.zst --batch 1 --accumulate 4
#
# torchrun comes with PyTorch. The pairs must be a file, tagged before: all processes read it.
set -euo pipefail
if [ $# -lt 3 ]; then
    sed -n '2,/^set -/{/^#/s/^# \{0,1\}//p}' "$0" >&2
    exit 2
fi
processes=$1 out=$2 pairs=$3
shift 3
# --resume: where torchrun starts the processes again, they go on from the last checkpoint.
exec torchrun --no-python --standalone --nproc-per-node "$processes" \
    cuset-train -o "$out" --resume "$@" "$pairs"
