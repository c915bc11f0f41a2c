#!/usr/bin/env bash
# This runs tiny forms of examples/learn: steps of grpo go from one adapter to the next, go on after a stop and with more
# steps, and begin anew with another rate; what all answers get alike changes nothing; the methods train on equally many answers.
source "$(dirname "$0")/../_shell_test.sh"
need make jq zstd
[ -x "$CUSET_BIN/cuset-train" ] || skip "cuset-train is not built"
need bwrap
tiny_model
host_runtime
export CUSET_MODEL=$scratch/model
evidence=$scratch/evidence start=$scratch/evidence/warm/clipped-sft/1
"$CUSET_SOURCE/examples/evidence/make-tasks.py" "$evidence/tasks" >/dev/null
head -2 "$evidence/tasks/train.jsonl" >few.jsonl
cuset-train -q --template chatml --device cpu -t 1 --objective sft --rank 2 --alpha 4 --dropout 0 --batch 2 --max-tokens 600 \
    --max-steps 1 --prompt-field level1_prompt --response-field bench.cu few.jsonl -o "$start/adapter" 2>err
echo 'a start' >"$start/settings"
touch "$start/done"

printf '%s\t1e-2\n' sft rejection dpo grpo refine >rates.tsv
sed 's/1e-2/1e-3/' rates.tsv >other.tsv
# Answers of a random model are no programs. What sets them apart here is where they end.
grpo='--objective grpo --keep-truncated --clip 1 --schedule constant --warmup 0'
learn() {
    make -s -C "$CUSET_SOURCE/examples/learn" OUT="$scratch/out" RESULTS="$scratch/results" EVIDENCE="$evidence" SEEDS=1 STEPS=2 \
        TASKS_A_STEP=2 GROUP=3 RATES="$scratch/rates.tsv" ASKED=2 SAMPLES=1 HELD_OUT=parameters LONGEST=150 BATCH=2 REWARD='-0.01*tokens + 0.1*truncated' \
        options_grpo="$grpo" MODEL_OPTIONS="--template chatml --device cpu -t 1 -q" EVAL="--backend host --timeout 20" "$@" >log 2>&1
}

case_is 'Two steps of grpo'
learn grpo
jq -es 'length == 2 and map(.step) == [1, 2]' out/grpo/1/steps.jsonl >/dev/null || fail "steps: $(cat out/grpo/1/steps.jsonl)"
# The probabilities of an answer are those of the adapter that drew it only if a step begins with the adapter of the last.
jq -es 'all(.ratio > 0.9999 and .ratio < 1.0001 and .clip_share == 0 and .grad_norm > 0 and .groups == 2)' out/grpo/1/steps.jsonl >/dev/null ||
    fail "not on-policy: $(cat out/grpo/1/steps.jsonl)"
jq -es "(.[0].kl // 0) < 1e-9" out/grpo/1/steps.jsonl >/dev/null || fail "the first step's answers are not the start's"
[ "$(jq -s 'map(.current_steps) | last' out/grpo/1/2/adapter/trainer_log.jsonl)" = 1 ] || fail "not one step of training"
cmp -s out/grpo/1/1/adapter/adapter_model.safetensors "$start/adapter/adapter_model.safetensors" && fail "nothing was learned"
[ "$(jq -rs '[.[].task] | unique | join(" ")' out/grpo/1/2/answers.jsonl)" != "$(jq -rs '[.[].task] | unique | join(" ")' out/grpo/1/1/answers.jsonl)" ] ||
    fail "the same tasks twice"
[ -s results/grpo/1.steps.jsonl ] && [ -s results/grpo/1.parameters.verdicts.jsonl.zst ] || fail "results: $(find results)"

case_is 'With nothing to do nothing is done, and more steps go on'
state() { stat -c '%y %n' out/grpo/1/[12]/done; }
before=$(state)
learn grpo
learn grpo STEPS=3
assert_equal "$(state)" "$before"
[ "$(jq -s length out/grpo/1/steps.jsonl)" = 3 ] || fail "not 3 steps"

case_is 'A step that was stopped ends with the same bytes'
sum() { sha256sum <out/grpo/1/3/adapter/adapter_model.safetensors; }
before=$(sum)
head -2 out/grpo/1/3/kept.jsonl >kept && mv kept out/grpo/1/3/kept.jsonl
rm -r out/grpo/1/3/{answers.jsonl,verdicts.jsonl*,rewarded.jsonl,start.jsonl,learned.jsonl,done,adapter}
learn grpo STEPS=3
assert_equal "$(sum)" "$before"

case_is 'Another rate begins anew; rewards that are all alike leave the start as it is'
learn grpo STEPS=1 RATES="$scratch/other.tsv" REWARD=correct
[ ! -e out/grpo/1/2 ] || fail "steps of another rate are there"
jq -e '.groups_that_differ == 0 and .trained_answers == 0 and .reward == 0' out/grpo/1/steps.jsonl >/dev/null || fail "$(cat out/grpo/1/steps.jsonl)"
cmp out/grpo/1/adapter/adapter_model.safetensors "$start/adapter/adapter_model.safetensors"

case_is 'Equally many answers: 12 of 2 steps, by 2 a step; right ones of the model, and pairs of right and wrong'
learn "$scratch/out/sft/1/done"
[ "$(jq -s 'map(.current_steps) | last' out/sft/1/adapter/trainer_log.jsonl)" = 6 ] || fail "not 6 steps"
learn "$scratch/out/answers/1/tasks.jsonl"
if learn "$scratch/out/answers/1/rejection.jsonl"; then fail "trained on nothing"; fi
grep -q 'no answer is right' log
jq -c '{task: .id, sample: (0, 1, 2), response: .["bench.cu"]} | .response = if .sample == 0 then "```cpp\n" + .response + "```" else
    "```cpp\nint main() { return \(.sample); }\n```" end | .tokens = 9 | .finish = "stop"' out/answers/1/tasks.jsonl >out/answers/1/answers.jsonl
rm -f out/answers/1/verdicts.jsonl*
learn "$scratch/out/rejection/1/done" "$scratch/out/dpo/1/done"
jq -es 'length == 4 and all(.sample == 0)' out/answers/1/rejection.jsonl >/dev/null || fail "pairs: $(jq -c .id out/answers/1/rejection.jsonl)"
jq -es 'length == 4 and all(.chosen != .rejected)' out/answers/1/dpo.jsonl >/dev/null || fail "preferences"
[ "$(jq -s 'map(.current_steps) | last' out/rejection/1/adapter/trainer_log.jsonl)" = 6 ] || fail "not 6 steps"
learn "$scratch/out/refine/1/done"
# The failed answers' next turns with the tasks' references, and as many right first answers as there are.
jq -es 'map(select(.messages)) | length == 8 and all((.messages | map(.role)) == ["system", "user", "assistant", "user", "assistant"] and
    (.messages[2].content | contains("return")) and (.messages[3].content | startswith("The program ")) and (.messages[4].content | contains("__global__")))' \
    out/answers/1/refine.jsonl >/dev/null || fail "second turns: $(cut -c-300 out/answers/1/refine.jsonl)"
jq -es 'map(select(.prompt)) | length == 4' out/answers/1/refine.jsonl >/dev/null || fail "first turns: $(jq -c keys out/answers/1/refine.jsonl)"
[ "$(jq -s 'map(.current_steps) | last' out/dpo/1/adapter/trainer_log.jsonl)" = 3 ] || fail "not 3 steps"
