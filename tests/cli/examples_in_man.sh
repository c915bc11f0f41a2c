#!/usr/bin/env bash
# Runs every command of every EXAMPLES section as a person would type it, in a folder with its input
# files. Commands that need a model use a random one if the real one is missing, and are left out,
# by name, if cuset-score is not built.
set -euo pipefail
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cd "$work"
export PATH=$CUSET_BIN:$PATH
export CUSET_MODEL=$CUSET_DEPS/models/SmolLM2-135M-Instruct
if [ ! -e "$CUSET_MODEL/config.json" ]; then
    export CUSET_MODEL=$work/model
    PYTHONPATH=$CUSET_SOURCE/tests/cli python3 -B -c 'import _tiny_model; _tiny_model.write("model")'
fi
# Short records: the real model is slow under the sanitizers.
python3 - "$CUSET_SOURCE/examples/pairs.jsonl" >pairs.jsonl <<'PYTHON'
import json, sys
for line in list(open(sys.argv[1], encoding="utf-8"))[:3]:
    record = json.loads(line)
    code = record["response"]
    start = code.index("__global__")
    record["response"] = code[start:start + 300]
    print(json.dumps(record, ensure_ascii=False))
PYTHON
python3 - <<'PYTHON' | zstd -q -o scored.jsonl.zst
import json
for line in open("pairs.jsonl", encoding="utf-8"):
    record = json.loads(line)
    ends = list(range(5, len(record["response"].encode()), 5))
    record["score"] = {"model": "m", "end": ends, "id": ends, "confidence": [0.5] * len(ends)}
    print(json.dumps(record))
PYTHON
zstd -dc scored.jsonl.zst | sed 's/"confidence": \[0.5/"confidence": [0.7/' | zstd -q -o after.jsonl.zst

python3 - <<'PYTHON'
import json
code = "__global__ void f(float* x) { *x = 1; }\nint main() { f<<<1, 1>>>(nullptr); }\n"
task = {"id": 1, "task_name": "f", "inputs": [], "outputs": [{"name": "y"}], "bench.cu": code,
        "level1_prompt": "Write a kernel.", "gen.py": "", "compare.py": ""}
json.dump(task, open("tasks.jsonl", "w"))
with open("candidates.jsonl", "w") as out:
    for sample, text in enumerate((code, "No.")):
        score = {"model": "m", "end": [len(text)], "id": [0], "confidence": [0.5]}
        print(json.dumps({"task": 1, "sample": sample, "response": text, "score": score}), file=out)
PYTHON
export XDG_CACHE_HOME=$work/cache
can_judge=yes
"$CUSET_BIN/cuset-eval" -q --tasks tasks.jsonl --compile-only --verdicts v.jsonl candidates.jsonl \
    >/dev/null || can_judge=''
[ -z "$can_judge" ] || for copy in other v2; do cp v.jsonl $copy.jsonl; done

count=0 left_out=0 failures=0
for page in "$CUSET_SOURCE"/man/*.1; do
    while IFS= read -r command; do
        if grep -qE 'cuset-(score|train|merge|sample)' <<<"$command" && [ ! -e "$CUSET_BIN/cuset-score" ]; then
            echo "left out, no programs that run models here: $command"
            left_out=$((left_out + 1))
            continue
        fi
        if grep -qE 'cuset-eval|v\.jsonl' <<<"$command" && [ -z "$can_judge" ]; then
            echo "left out, no nvcc or no sandbox here: $command"
            left_out=$((left_out + 1))
            continue
        fi
        count=$((count + 1))
        if ! bash -c "set -euo pipefail; $command" >out 2>err; then
            echo "FAILED: $command"
            cat err
            failures=$((failures + 1))
        elif [ ! -s out ] && ! grep -qE -- ' (-o|--dry-run) ' <<<"$command"; then
            echo "FAILED, printed nothing: $command"
            failures=$((failures + 1))
        fi
    done < <(sed -n '/^\.EX/,/^\.EE/p' "$page" | grep -v '^\.E' | sed 's/\\-/-/g; s/\\e/\\/g; s/\\&//g')
done
echo "$count commands, $left_out left out"
[ $((count + left_out)) -ge 9 ] && [ "$count" -ge 5 ] && [ "$failures" -eq 0 ]
