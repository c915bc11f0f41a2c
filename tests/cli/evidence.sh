#!/usr/bin/env bash
# This tests examples/evidence: its tasks are those of its fingerprints whatever the hash seed, no held-out
# program has the first size of a trained one, a few references of each split pass, and are told from wrong
# outputs; and a tiny form of the experiment goes from nothing to results, goes on, and begins anew where an
# option has changed.
source "$(dirname "$0")/../_shell_test.sh"
need make jq zstd
source=$CUSET_SOURCE/examples/evidence
host_runtime

for hash_seed in 1 2; do
    PYTHONHASHSEED=$hash_seed python3 "$source/make-tasks.py" --fingerprints tasks >fingerprints
    cmp fingerprints "$source/fingerprints.tsv" || fail "other tasks than those of fingerprints.tsv"
done
python3 "$source/make-tasks.py" --seed 23 --fingerprints other >others
[ "$(cut -f4 fingerprints others | sort -u | wc -l)" = 10 ] || fail "a seed that changes nothing"

case_is 'The archive holds what the tables are made of, and nothing that lies beside it'
mkdir committed
tar -C committed -xf "$source/results.tar.zst"
[ -z "$(find committed -name '*.text' -o -name '*.svg')" ] || fail "tables in the archive"
[ "$(find committed -name '*.verdicts.jsonl.zst' | wc -l)" = "$(find committed -name '*.answers.jsonl.zst' | wc -l)" ] ||
    fail "answers without verdicts"
[ -e committed/warm/cuset/1.parameters.settings ] || fail "no results in the archive: $(ls committed)"

case_is 'Ids are unique, prompts name the kernel, and no place is left unfilled'
for split in warm train validation parameters families; do
    jq -es 'length > 0 and (map(.id) | unique | length) == length and
            all(.["level1_prompt", "level2_prompt", "level3_prompt", "bench.cu", "gen.py", "compare.py"] | length > 0) and
            all([.["level1_prompt", "level2_prompt", "bench.cu", "gen.py"]] | any(test("@")) | not)' \
        tasks/$split.jsonl >/dev/null || fail "$split is not as it should be"
    jq -r '[.family, (.["bench.cu"] | capture("constexpr int (?<first>[^;,]*)").first)] | join(" ")' \
        tasks/$split.jsonl | sort -u >$split.sizes
    jq -r .family tasks/$split.jsonl | sort -u >$split.families
done
for held_out in validation parameters; do
    [ -z "$(comm -12 train.sizes $held_out.sizes)" ] || fail "sizes of training: $(comm -12 train.sizes $held_out.sizes)"
    cmp train.families $held_out.families || fail "$held_out has other families"
done
[ -z "$(cat warm.families train.families families.families | sort | uniq -d)" ] || fail "families in two roles"
[ "$(cat warm.families train.families families.families | wc -l)" -ge 24 ] || fail "too few families"
[ "$(wc -l <families.families)" -ge 5 ] || fail "too few families are held out"

case_is "The judge's check: the reference passes, and compare.py tells wrong outputs"
for split in warm train parameters families; do sed -n '3p;$p' tasks/$split.jsonl; done >few.jsonl
if [ -x "$CUSET_BIN/cuset-eval" ] && command -v bwrap >/dev/null && command -v g++ >/dev/null; then
    cuset-eval -q --backend host --check --check-tasks --plain --tasks few.jsonl >found || fail "--check-tasks: $(cat found)"
    assert_equal "$(wc -l <found)" "$(wc -l <few.jsonl)"
    jq -es 'all(.weak == [] and (.unsupported // "") == "")' found >/dev/null || fail "weak: $(cat found)"
else
    skip "cuset-eval, bwrap or g++ is absent"
fi

[ -x "$CUSET_BIN/cuset-train" ] || skip "cuset-train is not built"
tiny_model
evidence() {
    CUSET_MODEL=$scratch/model make -s -C "$source" OUT="$scratch/out" RESULTS="$scratch/results" STEPS=2 WARM_STEPS=2 COLD_STEPS=2 \
        ASKED=2 SAMPLES=1 LONGEST=16 TRAIN="--batch 2 --max-tokens 600" LORA="--rank 2 --alpha 4 --dropout 0" \
        MODEL_OPTIONS="--template chatml --device cpu -t 1 -q" "$@"
}
case_is 'what make -n says'
evidence -n small >plan || fail "make -n"
[ "$(grep -c cuset-train plan)" = 3 ] || fail "the small form trains: $(grep cuset-train plan)"
[ "$(evidence -n full | grep -c cuset-train)" = 37 ] || fail "the full form trains: $(evidence -n full | grep -c cuset-train)"
[ ! -e out ] || fail "make -n made something"
[ ! -e results ] || fail "make -n wrote results"

case_is 'from nothing to results'
evidence small-results >log 2>&1
[ "$(find results -name '*.tsv' | wc -l)" = 8 ] || fail "results: $(find results -type f)"
[ "$(jq -s 'map(.current_steps) | last' out/warm/cuset/1/adapter/trainer_log.jsonl)" = 2 ] || fail "not 2 steps"
jq -e '.settings.init_adapter // .settings["init-adapter"] // "none" | test("warm/start")' out/warm/cuset/1/adapter/run.json >/dev/null ||
    fail "the warm run did not begin with the start's adapter: $(cat out/warm/cuset/1/adapter/run.json)"
cuset-report --tasks out/warm/sft/1/families.jsonl --json results/warm/sft/1.families.verdicts.jsonl.zst >report.json ||
    fail "the kept verdicts are no verdicts"
jq -rs 'length' out/warm/sft/1/families.jsonl | grep -qx 2 || fail "not 2 tasks"
awk -F'\t' '$1 != "sft" || $2 != 1 || NF != 4 { exit 1 } END { exit NR != 3 }' results/warm/sft/1.families.tsv ||
    fail "figures: $(cat results/warm/sft/1.families.tsv)"

case_is 'The kept answers suffice to judge them again, with the same verdicts'
kept() { for file in results/*/*/*.verdicts.jsonl.zst results/*/*/*.checked.jsonl.zst; do zstd -dc "$file" | sort; done; }
kept >before
find results -name '*.verdicts.jsonl.zst' -delete
evidence judge-again OUT="$scratch/other" TASKS="$scratch/out/tasks" >log 2>&1
kept >after
cmp before after || fail "judged again, the verdicts are other ones"
[ "$(find results -name '*.answers.jsonl.zst' | wc -l)" = 8 ] || fail "answers: $(find results -type f)"

case_is 'With the results there, packed or not, nothing runs, even where all else is gone; without one, what is there is used'
mv out/tasks made
rm -rf out
evidence pack >log 2>&1 || fail "$(tail -5 log)"
mv results.tar.zst first.tar.zst
evidence pack >log 2>&1 && cmp first.tar.zst results.tar.zst || fail "packed again, the archive is another one: $(cat log)"
mv results packed
[ -z "$(evidence -n small-results)" ] || fail "made again: $(evidence -n small-results)"
diff -r packed results || fail "unpacked, the results are other ones"
# What has been written since stays.
echo mine >results/warm/cuset/1.families.tsv
touch results.tar.zst
evidence -n small-results >/dev/null
grep -q mine results/warm/cuset/1.families.tsv || fail "unpacking undid what was written"
rm -r results
evidence -n small-results >/dev/null
rm results.tar.zst
[ -z "$(evidence -n small-results)" ] || fail "made again: $(evidence -n small-results)"
mkdir out
mv made out/tasks
rm results/warm/cuset/1.families.tsv results/warm/cuset/1.families.settings
evidence small-results >log 2>&1
before=$(stat -c %y.%n out/warm/*/1/done)
rm results/warm/cuset/1.families.settings
evidence small-results >log 2>&1
[ "$before" = "$(stat -c %y.%n out/warm/*/1/done)" ] || fail "trained twice"
case_is 'another option makes the run again'
evidence "$scratch/results/warm/sft/1.families.tsv" STEPS=3 >log 2>&1
[ "$(jq -s 'map(.current_steps) | last' out/warm/sft/1/adapter/trainer_log.jsonl)" = 3 ] || fail "not made again"
grep -q 'max-steps 3' results/warm/sft/1.families.settings || fail "settings: $(cat results/warm/sft/1.families.settings)"

evidence tables >log 2>&1
grep -q "^| cuset " results/warm.parameters.markdown || fail "no table: $(cat results/warm.parameters.markdown)"
