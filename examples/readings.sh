#!/usr/bin/env bash
# What a model's confidences show under each reading of CuSeT's figures 1 and 2.
#
#   examples/readings.sh [OPTION of cuset-score ...] FILE.jsonl
#
#   examples/readings.sh examples/pairs.jsonl
#   examples/readings.sh --prompt-field level1_prompt CUDABench-Set.jsonl
#
# The scores stay in OUT (build/readings) and are used again: delete them to score with another model
# or other options. CUSET_MODEL names the model, and STATS holds options for cuset-stats, such as
# "--markdown" or "--size 256".
set -euo pipefail
if [ $# -eq 0 ] || [ ! -r "${!#}" ]; then
    echo "readings.sh: the last argument is a file of pairs" >&2
    exit 2
fi
file=${!#}
out=${OUT:-$(dirname "$0")/../build/readings}
name=$(basename "$file" .jsonl)
scored=$out/$name.zst
mkdir -p "$out"
[ "$scored" -nt "$file" ] || cuset-score "${@:1:$#-1}" -o "$scored" "$file"
# shellcheck disable=SC2086  # STATS is a list of options
cuset-tag --roles "$scored" | cuset-stats --paper --label "$name" ${STATS:-}
