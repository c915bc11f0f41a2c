#!/usr/bin/env bash
# This runs examples/paper with a random model of a few kilobytes, two steps and one process: adapters, answers in
# shards, verdicts by the benchmark's rule, and a second call that makes nothing. Its paths count from where make is called.
source "$(dirname "$0")/../_shell_test.sh"
need make jq bwrap g++
[ -x "$CUSET_BIN/cuset-train" ] || skip "cuset-train is not built"
tiny_model
host_runtime
head -4 "$CUSET_SOURCE/examples/pairs.jsonl" >pairs.jsonl
sed -n '1p;3p' "$CUSET_SOURCE/examples/tasks.jsonl" >tasks.jsonl
paper() {
    make -s -C "$CUSET_SOURCE/examples/paper" MODELS=model PAIRS=pairs.jsonl TASKS=tasks.jsonl \
        OUT=out GPUS=2 LAUNCH= CONDITIONS="sft cuset" SAMPLES=2 SAMPLE="--max-new-tokens 4 --batch 4" \
        TRAIN="--rank 2 --max-steps 2 --max-tokens 600" EVAL="--protocol cudabench --backend host" \
        MODEL_OPTIONS="--device cpu -q" "$@"
}
! make -s -C "$CUSET_SOURCE/examples/paper" 2>err || fail "it runs without models"
grep -q "MODELS is not given" err
paper trained >log 2>&1
paper sampled >log 2>&1
goals=()
for condition in base sft cuset; do goals+=("$scratch/out/model/$condition/42/verdicts.jsonl"); done
paper "${goals[@]}" >log 2>&1
for condition in base sft cuset; do
    run=out/model/$condition/42
    jq -es 'length == 4 and (map([.task, .sample]) | unique | length) == 4 and all(.protocol == "cudabench-2026")' \
        $run/verdicts.jsonl >/dev/null || fail "$condition: $(cat $run/verdicts.jsonl)"
done
for condition in sft cuset; do
    [ "$(jq -s 'map(.current_steps) | last' out/*/$condition/42/adapter/trainer_log.jsonl)" = 2 ] || fail "not 2 steps"
    [ "$(jq -r .settings.objective out/*/$condition/42/adapter/run.json)" = $condition ] || fail "$condition is another objective"
done
made() { stat -c '%y %n' out/*/*/42/done out/*/*/42/*.jsonl; }
before=$(made)
paper "${goals[@]}" >log 2>&1
[ "$before" = "$(made)" ] || fail "made again: $(made)"
paper >log 2>&1
grep -q '^| cuset ' out/model.md || fail "no table: $(cat out/*.md)"
