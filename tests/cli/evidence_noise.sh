#!/usr/bin/env bash
# This tests the noise of examples/evidence: the same seed makes the same bytes, kernels and tasks stay as they are, each
# kind of noise alone changes a program that still passes, mistakes compile and fail, a rare family is rare, and the
# plan of `make noise` has every run. CUSET_NOISE_SEED chooses the programs that are judged again.
source "$(dirname "$0")/../_shell_test.sh"
need make jq zstd
source=$CUSET_SOURCE/examples/evidence
seed=${CUSET_NOISE_SEED:-$((RANDOM % 10000))}
echo "CUSET_NOISE_SEED=$seed"
"$source/make-tasks.py" --parameters 8 tasks
train=tasks/train.jsonl
noise() { "$source/make-noise.py" "$@" $train; }

case_is 'Twice as many held-out tasks begin with those that there were'
"$source/make-tasks.py" --fingerprints plain >fingerprints
cmp fingerprints "$source/fingerprints.tsv"
assert_equal "$(wc -l <tasks/parameters.jsonl)" 96
head -48 tasks/parameters.jsonl | cmp - plain/parameters.jsonl
for split in warm train validation families; do cmp tasks/$split.jsonl plain/$split.jsonl; done

case_is 'The same seed makes the same bytes, another one others'
for hash_seed in 1 2; do PYTHONHASHSEED=$hash_seed noise --noise all --programs 48 --wrong-share 0.1 --seed 1 >seed.$hash_seed; done
cmp seed.1 seed.2
noise --noise all --programs 48 --wrong-share 0.1 --seed 2 >seed.3
! cmp -s seed.1 seed.3 || fail "a seed that changes nothing"

case_is 'Noise stands outside of kernels, tasks stay, and programs are bounded'
noise --noise all --programs 96 --seed "$seed" >noisy.jsonl
head -96 $train >clean.jsonl
jq -n --slurpfile clean clean.jsonl --slurpfile noisy noisy.jsonl -e '[range($clean | length) |
    ($clean[.]["bench.cu"] | split("\nint main() {")[0] | split("\n\n")[2:] | join("\n\n")) as $kernels |
    ($kernels | test("__global__")) and ($noisy[.]["bench.cu"] | contains($kernels))] | all' >/dev/null || fail "other kernels"
jq -c 'del(.["bench.cu"])' clean.jsonl >clean.rest
jq -c 'del(.["bench.cu"], .noise)' noisy.jsonl | cmp - clean.rest || fail "other tasks"
jq -n --slurpfile clean clean.jsonl --slurpfile noisy noisy.jsonl -e '[range($clean | length) |
    ($noisy[.]["bench.cu"] | utf8bytelength) <= 1.6 * ($clean[.]["bench.cu"] | utf8bytelength)] | all' >/dev/null ||
    fail "programs that are too long"
jq -es 'length == 96 and all(.noise | length > 0) and (map(.noise[]) | unique | length) == 7' noisy.jsonl >/dev/null ||
    fail "kinds: $(jq -c .noise noisy.jsonl | sort | uniq -c)"
assert_equal "$(noise --noise comments --programs 48 --noise-share 0.25 | jq -r 'select(.noise).id' | wc -l)" 12
expect 2 noise --noise comment
grep -q 'no kind of noise: comment' err

case_is 'Shares of wrong programs are exact and one within the other, and a rare family gives its place to others'
noise --programs 144 --wrong-share 0.05 >wrong5.jsonl
noise --programs 144 --wrong-share 0.15 >wrong15.jsonl
wrong() { jq -r 'select(.wrong) | .id' "$1" | sort; }
assert_equal "$(wrong wrong5.jsonl | wc -l) $(wrong wrong15.jsonl | wc -l)" "7 22"
[ -z "$(comm -23 <(wrong wrong5.jsonl) <(wrong wrong15.jsonl))" ] || fail "the smaller share has others"
noise --programs 144 --rare five_points >rare.jsonl
jq -es 'length == 144 and (map(select(.family == "five_points")) | length) == 1 and
        (group_by(.family) | map(length) | sort) == [1, 13, 13, 13, 13, 13, 13, 13, 13, 13, 13, 13]' rare.jsonl >/dev/null ||
    fail "families: $(jq -r .family rare.jsonl | sort | uniq -c)"

case_is 'what make -n noise says'
planned() { CUSET_MODEL=$scratch/model make -s -C "$source" OUT="$scratch/out" RESULTS="$scratch/results" -n "$@"; }
planned noise >plan 2>err
assert_equal "$(grep -c cuset-train plan)" 121
assert_equal "$(grep cuset-train plan | grep -c -- '--clip 0.001 .*--max-steps 72 ')" 120
assert_equal "$(planned noise NOISE_SEEDS=1 | grep -c cuset-sample)" 40
[ ! -e out ] || fail "make -n made something"
[ ! -e results ] || fail "make -n wrote results"

case_is 'the tables of noise, of verdicts that are there'
mkdir kept
tar -C kept -xf "$source/results.tar.zst"
for run in clean/sft=sft clean/no-reweight=cuset-no-reweight noisy/sft=cuset-no-reweight noisy/no-reweight=sft; do
    mkdir -p "results/noise/${run%=*}"
    for seed_ in 1 2 3; do
        for kind in verdicts checked; do
            cp "kept/warm/${run#*=}/$seed_.parameters.$kind.jsonl.zst" "results/noise/${run%=*}/$seed_.wide.$kind.jsonl.zst"
        done
    done
done
planned noise-tables >plan
grep -q noise-tables.py plan
"$source/noise-tables.py" --results results/noise --out out --sets clean noisy rare --conditions sft mean1 no-reweight \
    --rare five_points >log
grep -q '^no-reweight .*-0.0851' results/noise/clean.text || fail "no difference: $(cat results/noise/clean.text)"
# In the set that has SFT's verdicts in the other's place the difference is the negative one: -2 * -0.0851 more.
awk -F'\t' '$1 == "noisy" && $2 == "no-reweight" { exit !($3 == 3 && $4 == "0.170" && $5 < $4 && $4 < $6) }' \
    results/noise/changes.tsv || fail "changes: $(cat results/noise/changes.tsv)"

case_is 'Programs with each kind of noise pass, and mistakes compile and fail'
for tool in bwrap g++; do command -v $tool >/dev/null || skip "$tool is absent"; done
[ -x "$CUSET_BIN/cuset-eval" ] || skip "cuset-eval is not built"
host_runtime
# One program with each kind, of a family that the seed chooses, one with all; and six mistakes.
for kind in comments arguments macros timing prints formatting names all; do
    noise --noise $kind --programs 12 --seed "$seed" | jq -c --arg kind $kind '.id += " " + $kind' | sed -n "$((1 + seed % 12))p"
    seed=$((seed + 5))
done >judged.jsonl
jq -es --slurpfile train $train '($train | map({key: .id, value: .["bench.cu"]}) | from_entries) as $clean |
    all(.["bench.cu"] != $clean[.id | split(" ")[0]])' judged.jsonl >/dev/null || fail "noise that changes nothing"
noise --programs 12 --wrong-share 1 --seed "$seed" | jq -c '.id += " wrong"' | sed -n "$((1 + seed % 2))~2p" >>judged.jsonl
jq -c '{task: .id, sample: 0, response: ("```cpp\n" + .["bench.cu"] + "```")}' judged.jsonl >references.jsonl
cuset-eval -q -t 2 --backend host --nvcc none --check --tasks judged.jsonl --verdicts verdicts references.jsonl -o log
jq -es 'map(select(.task | endswith(" wrong") | not)) | length == 8 and all(.failure == null)' verdicts >/dev/null ||
    fail "noise that fails: $(jq -c 'select(.failure) | [.task, .failure, .diagnostic]' verdicts)"
jq -es 'map(select(.task | endswith(" wrong"))) | length == 6 and (map(select(.failure)) | length) >= 5 and
        all(.failure != "syntax_error")' verdicts >/dev/null ||
    fail "mistakes that pass: $(jq -c 'select(.task | endswith(" wrong")) | [.task, .failure]' verdicts)"
