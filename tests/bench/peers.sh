#!/usr/bin/env bash
# Measures cuset beside its peers on this machine's processor, and prints the table of the targets
# in Markdown. What a row needs and does not find makes it "not measured", with the reason.
#
# usage: tests/bench/peers.sh [--tasks FILE] [--pairs FILE] [--adapter DIR] [--ask ASK] [WHAT...]
#   WHAT           score, train, sample or draft; without any, all of them (some 20 minutes)
#   --tasks FILE   tasks for the row of guessed tokens (examples/tasks.jsonl)
#   --pairs FILE   pairs or CUDABench tasks to score (examples/pairs.jsonl)
#   --adapter DIR  for the row of guessed tokens, an adapter trained on programs like the tasks'
#   --ask ASK      what that adapter was trained with (auto)
#
# The table has the rows measured now and those of earlier calls with the same build folder, so that
# a machine can be kept quiet for a few minutes at a time. CUSET_KERNELS, CUSET_PRODUCTS and, for
# the peers, ONEDNN_MAX_CPU_ISA, MKL_ENABLE_INSTRUCTIONS and ATEN_CPU_CAPABILITY force another
# instruction set; each such choice has a table of its own. A peer that is kept from bfloat16
# instructions computes in float, its best form there.
#
# Peers: transformers and peft (setup/setup.sh --oracles), llama.cpp (setup/setup.sh --peers, for a forced
# instruction set with the same CUSET_KERNELS),
# LLaMA-Factory (tests/oracle/llamafactory_losses.py --install).
# Environment: CUSET_BUILD (build/release), CUSET_DEPS (.deps).
set -euo pipefail

bench=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
root=$(cd "$bench/../.." && pwd)
export CUSET_BUILD=${CUSET_BUILD:-$root/build/release} CUSET_DEPS=${CUSET_DEPS:-$root/.deps}
unset OMP_WAIT_POLICY # peers get the waiting that they have by themselves
tasks=$root/examples/tasks.jsonl pairs=$root/examples/pairs.jsonl adapter=()
wanted=()
while [ $# -gt 0 ]; do
    case $1 in
        --tasks) tasks=$2 && shift ;;
        --pairs) pairs=$2 && shift ;;
        --adapter) adapter+=(--adapter "$2") && shift ;;
        --ask) adapter+=(--ask "$2") && shift ;;
        score | train | sample | draft) wanted+=("$1") ;;
        -h | --help)
            sed -n '2,/^set -/{/^#/s/^# \{0,1\}//p}' "${BASH_SOURCE[0]}"
            exit 0
            ;;
        *)
            echo "peers.sh: no $1" >&2
            exit 2
            ;;
    esac
    shift
done
[ ${#wanted[@]} -gt 0 ] || wanted=(score train sample draft)

python=$CUSET_DEPS/oracle/bin/python3
forced=${CUSET_KERNELS:-}${CUSET_PRODUCTS:+,$CUSET_PRODUCTS}
forced+=${ONEDNN_MAX_CPU_ISA:+,$ONEDNN_MAX_CPU_ISA}
forced+=${MKL_ENABLE_INSTRUCTIONS:+,$MKL_ENABLE_INSTRUCTIONS}
forced+=${ATEN_CPU_CAPABILITY:+,$ATEN_CPU_CAPABILITY}
peer_type=()
case ${ONEDNN_MAX_CPU_ISA:-ALL} in
    ALL | DEFAULT | *BF16* | *FP16* | *AMX*) ;;
    *) peer_type=(--peer-dtype f32) ;;
esac
results=$CUSET_BUILD/bench/peers${forced:+-$forced}
mkdir -p "$results"

# measure WHAT PROGRAM OPTIONS...: its JSON, or a line that says why there is none.
measure() {
    local what=$1 program=$2
    shift 2
    rm -f "$results/$what.json" "$results/$what.why"
    if [ ! -x "$python" ]; then
        echo "no transformers (setup/setup.sh --oracles)" >"$results/$what.why"
        return
    fi
    echo "peers.sh: $what" >&2
    if ! "$python" "$bench/$program" --json "$results/$what.json" "$@" >&2 \
        2>"$results/$what.log"; then
        tail -n 3 "$results/$what.log" >&2
        tail -n 1 "$results/$what.log" >"$results/$what.why"
    fi
}

for what in "${wanted[@]}"; do
    case $what in
        score) measure score score_throughput.py --pairs "$pairs" --count 6 --repeat 2 "${peer_type[@]}" ;;
        train) measure train train_throughput.py --steps 2 --only '^cuset$|off' "${peer_type[@]}" ;;
        sample) measure sample sample_throughput.py --repeat 2 --new 64 --peers '^llama' ;;
        draft) measure draft draft_throughput.py --count 16 --tasks "$tasks" "${adapter[@]}" ;;
    esac
done
"$CUSET_DEPS/tools/bin/python3" "$bench/peers_table.py" "$results" "${forced:-}"
