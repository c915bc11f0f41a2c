#!/usr/bin/env bash
# This runs a small form of examples/sweep: every run is made once, a stopped sweep continues, and
# the table has one line for each run.
source "$(dirname "$0")/../_shell_test.sh"
need make
[ -x "$CUSET_BIN/cuset-train" ] || skip "cuset-train is not built"
tiny_model
head -6 "$CUSET_SOURCE/examples/pairs.jsonl" >pairs.jsonl
sweep() {
    CUSET_MODEL=$scratch/model make -s -C "$CUSET_SOURCE/examples/sweep" PAIRS="$scratch/pairs.jsonl" \
        OUT="$scratch/out" PARTS="all noweight" OBJECTIVES="cuset sft" TAUS=0.001 SEEDS="1 2" \
        OPTIONS="--template chatml --device cpu --epochs 1 --max-tokens 1024 --eval-size 2 -t 1 -q" "$@"
}
sweep >table 2>err
[ "$(ls out | grep -c seed)" = 6 ] || fail "runs: $(ls out)"
[ "$(wc -l <out/table.tsv)" = 7 ] || fail "table: $(cat out/table.tsv)"
[ "$(cut -f6 out/table.tsv | sort -u | xargs)" = "4 steps" ] || fail "steps: $(cat out/table.tsv)"
awk -F'\t' 'NR > 1 && !($3 > 0 && $3 < $2) { exit 1 }' out/table.tsv || fail "held-out loss: $(cat out/table.tsv)"
[ "$(wc -l <table)" = 7 ] || fail "printed: $(cat table)"

case_is 'Relative paths count from where make is called'
(cd "$scratch" && CUSET_MODEL=model make -s -C "$CUSET_SOURCE/examples/sweep" PAIRS=pairs.jsonl OUT=relative OBJECTIVES=sft \
    SEEDS=1 OPTIONS="--template chatml --device cpu --max-steps 1 --max-tokens 1024 -t 1 -q") >table 2>err ||
    fail "relative paths: $(cat err)"
[ -s "$scratch/relative/table.tsv" ] || fail "relative OUT: $(ls "$scratch")"
code=0
make -s -C "$CUSET_SOURCE/examples/sweep" PAIRS='a b.jsonl' >table 2>err || code=$?
[ $code = 2 ] && grep -q 'no path with blanks, as PAIRS has' err || fail "blanks: $code $(cat err)"

case_is 'A folder belongs to one set of pairs, options and model'
tail -6 "$CUSET_SOURCE/examples/pairs.jsonl" >others.jsonl
code=0
sweep PAIRS="$scratch/others.jsonl" >table 2>err || code=$?
[ $code = 2 ] && grep -q 'runs of other settings.*/pairs.jsonl.*give another OUT' err || fail "other pairs: $code $(cat err)"
code=0
sweep OPTIONS="--epochs 2" >table 2>err || code=$?
[ $code = 2 ] && grep -q 'runs of other settings.*--epochs 1 .*give another OUT' err || fail "other options: $code $(cat err)"

case_is 'A run without held-out pairs has cells all the same'
sweep OUT="$scratch/alone" OBJECTIVES=sft SEEDS=1 \
    OPTIONS="--template chatml --device cpu --max-steps 1 --max-tokens 1024 -t 1 -q" >table 2>err
[ "$(tail -1 table | awk '{ print NF, $2, $5, $6 }')" = "7 - - 1" ] || fail "cells: $(cat table)"

case_is 'Started again it makes nothing, or only the one run that is not finished'
touch -d '1 hour ago' pairs.jsonl
before=$(stat -c %y.%n out/*/adapter_model.safetensors)
sweep >/dev/null
[ "$before" = "$(stat -c %y.%n out/*/adapter_model.safetensors)" ] || fail "made twice"
run=out/sft-seed2
cp "$run/adapter_model.safetensors" whole
rm -r "$run"/checkpoint-*
rm "$run/done" "$run/adapter_model.safetensors" "$run/run.json" "$run/trainer_log.jsonl" "$run/adapter_config.json"
sweep >/dev/null 2>err
cmp whole "$run/adapter_model.safetensors" || fail "the run that went on has other bytes"
