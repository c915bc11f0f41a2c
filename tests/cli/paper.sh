#!/usr/bin/env bash
# This runs examples/paper with SmolLM2 in the models' place, two steps and one process: adapters, answers in
# shards, verdicts by the benchmark's rule, and a second call that makes nothing.
source "$(dirname "$0")/../faults/_common.sh"
for tool in make jq bwrap g++; do command -v $tool >/dev/null || skip "$tool is absent"; done
[ -x "$CUSET_BIN/cuset-train" ] || skip "cuset-train is not built"
model=${CUSET_DEPS:-$CUSET_SOURCE/.deps}/models/SmolLM2-135M-Instruct
[ -e "$model/config.json" ] || skip "$model is absent"
head -4 "$CUSET_SOURCE/examples/pairs.jsonl" >pairs.jsonl
sed -n '1p;3p' "$CUSET_SOURCE/examples/tasks.jsonl" >tasks.jsonl
paper() {
    make -s -C "$CUSET_SOURCE/examples/paper" MODELS="$model" PAIRS="$scratch/pairs.jsonl" TASKS="$scratch/tasks.jsonl" \
        OUT="$scratch/out" GPUS=2 LAUNCH= CONDITIONS="sft cuset" SAMPLES=2 SAMPLE="--max-new-tokens 4 --batch 4" \
        TRAIN="--rank 2 --max-steps 2 --max-tokens 64" EVAL="--protocol cudabench --backend host" \
        MODEL_OPTIONS="--device cpu -q" "$@"
}
! make -s -C "$CUSET_SOURCE/examples/paper" 2>err || fail "it runs without models"
grep -q "MODELS is not given" err || fail "$(cat err)"
paper trained >log 2>&1 || fail "$(tail -3 log)"
paper sampled >log 2>&1 || fail "$(tail -3 log)"
goals=()
for condition in base sft cuset; do goals+=("$scratch/out/SmolLM2-135M-Instruct/$condition/42/verdicts.jsonl"); done
paper "${goals[@]}" >log 2>&1 || fail "$(tail -3 log)"
for condition in base sft cuset; do
    run=out/SmolLM2-135M-Instruct/$condition/42
    jq -es 'length == 4 and (map([.task, .sample]) | unique | length) == 4 and all(.protocol == "cudabench")' \
        $run/verdicts.jsonl >/dev/null || fail "$condition: $(cat $run/verdicts.jsonl)"
done
for condition in sft cuset; do
    [ "$(jq -s 'map(.current_steps) | last' out/*/$condition/42/adapter/trainer_log.jsonl)" = 2 ] || fail "not 2 steps"
    [ "$(jq -r .settings.objective out/*/$condition/42/adapter/run.json)" = $condition ] || fail "$condition is another objective"
done
made() { stat -c '%Y %n' out/*/*/42/done out/*/*/42/*.jsonl; }
before=$(made)
sleep 1
paper "${goals[@]}" >log 2>&1 || fail "$(tail -3 log)"
[ "$before" = "$(made)" ] || fail "made again: $(made)"
if cuset-eval --help | grep -q -- '--table'; then
    paper >log 2>&1 || fail "$(tail -3 log)"
    grep -q '^| cuset ' out/SmolLM2-135M-Instruct.md || fail "no table: $(cat out/*.md)"
fi
