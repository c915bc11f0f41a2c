#!/usr/bin/env bash
# This runs a tiny form of examples/curate: answers that are right become pairs, a tiny model is trained on them, and a
# table compares it with the start; a stopped round goes on.
source "$(dirname "$0")/../_shell_test.sh"
need make jq
[ -x "$CUSET_BIN/cuset-train" ] || skip "cuset-train is not built"
need bwrap
tiny_model
host_runtime
"$CUSET_SOURCE/examples/evidence/make-tasks.py" tasks >/dev/null
# References as answers: each twice, the second with a comment; and one that is wrong.
head -2 tasks/train.jsonl | jq -c '{task: .id, sample: 0, response: ("```cpp\n" + .["bench.cu"] + "```")},
    {task: .id, sample: 1, response: ("```cpp\n// longer\n" + .["bench.cu"] + "```")},
    {task: .id, sample: 2, response: "```cpp\nint main() {}\n```"}' >answers.jsonl
head -2 tasks/train.jsonl | cuset-tag --prompt-field level1_prompt --response-field bench.cu -o tagged.jsonl
CUSET_MODEL=$scratch/model cuset-train -q --template chatml --device cpu -t 1 --objective sft --rank 2 --alpha 4 --dropout 0 \
    --batch 2 --max-tokens 600 --max-steps 1 --prompt-field level1_prompt --response-field bench.cu tagged.jsonl -o start 2>err ||
    fail "the start: $(cat err)"
round() {
    CUSET_MODEL=$scratch/model make -s -C "$CUSET_SOURCE/examples/curate" OUT="$scratch/out" TASKS="$scratch/tasks" START="$scratch/start" \
        ANSWERS="$scratch/answers.jsonl" TRAINED=2 ASKED=2 HELD_OUT=families HELD_OUT_SAMPLES=1 LONGEST=8 STEPS=2 \
        TRAIN="--objective sft --batch 2 --max-tokens 900" LORA="--rank 2 --alpha 4 --dropout 0" \
        MODEL_OPTIONS="--template chatml --device cpu -t 1 -q" CURATE="--pick shortest" "$@"
}
round >log 2>&1
jq -es 'length == 2 and all(.sample == 0 and (.prompt | length > 0) and .system == "You write CUDA programs.")' out/pairs.jsonl >/dev/null ||
    fail "pairs: $(jq -c 'del(.response)' out/pairs.jsonl)"
[ "$(jq -r '.curate.reason' out/dropped.jsonl | sort | uniq -c | xargs)" = '2 exact_duplicate 2 failed' ] ||
    fail "dropped: $(jq -c .curate out/dropped.jsonl)"
grep -q '^round ' out/families.table.txt || fail "table: $(cat out/families.table.txt)"
[ "$(jq -s 'map(.current_steps) | last' out/round/adapter/trainer_log.jsonl)" = 2 ] || fail "not 2 steps"
before=$(stat -c %y out/round/done)
rm out/families.table.txt
round >log 2>&1
[ "$before" = "$(stat -c %y out/round/done)" ] || fail "trained twice"
# Without a right answer there is nothing to train on.
grep '"sample":2' answers.jsonl >wrong.jsonl
if round OUT="$scratch/none" ANSWERS="$scratch/wrong.jsonl" >log 2>&1; then fail "trained on nothing"; fi
grep -q 'no answer is right' log
