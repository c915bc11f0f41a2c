#!/usr/bin/env bash
# Runs every command of the EXAMPLES of every page in man/ as a person would type it, in a folder with its
# input files. Commands that need a model use a random one of a few kilobytes, and are left out, by name, if
# cuset-score is not built. An example that holds text is saved as the file that the line before it
# names; records, which stand in cuset-tasks(5) alone, are run by cli/eval_files. No page shows an example
# in another form, which this test would not see.
source "$(dirname "$0")/../_shell_test.sh"
tiny_model
export CUSET_MODEL=$scratch/model
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
cuset-tag scored.jsonl.zst -o tagged.zst && mv tagged.zst scored.jsonl.zst
zstd -dc scored.jsonl.zst | sed 's/"confidence": \[0.5/"confidence": [0.7/' | zstd -q -o after.jsonl.zst

python3 - <<'PYTHON'
import json
code = "__global__ void f(float* x) { *x = 1; }\nint main() { f<<<1, 1>>>(nullptr); }\n"
task = {"id": 1, "task_name": "f", "inputs": [], "outputs": [{"name": "y"}], "bench.cu": code,
        "level1_prompt": "Write a kernel.", "gen.py": "", "compare.py": ""}
json.dump(task, open("tasks.jsonl", "w"))
task["outputs"] = [{"name": "y", "dtype": "float32", "shape": [4]}]
json.dump(task, open("typed_tasks.jsonl", "w"))
with open("candidates.jsonl", "w") as out:
    for sample, text in enumerate((code, "No.", code.replace("= 1;", "= ;"))):
        score = {"model": "m", "end": [len(text)], "id": [0], "confidence": [0.5]}
        print(json.dumps({"task": 1, "sample": sample, "response": text, "score": score}), file=out)
PYTHON
host_runtime
can_judge=yes
"$CUSET_BIN/cuset-eval" -q --tasks tasks.jsonl --compile-only --verdicts v.jsonl candidates.jsonl \
    >/dev/null || can_judge=''
[ -z "$can_judge" ] || for copy in other v2; do cp v.jsonl $copy.jsonl; done
[ -z "$can_judge" ] || grep -v '"failure":null' v.jsonl >turn2.jsonl
# Verdicts with times.
spread='{"median":100,"lower_quartile":99,"upper_quartile":101}'
[ -z "$can_judge" ] || sed '/"failure":null/s/}$/,"time":{"runs":5,"speedup":1.5,"device_us":'"$spread"',"reference_us":'"$spread"',"kernels_us":100,"memory_us":0,"transfers_us":9,"process_ms":'"$spread"',"reference_process_ms":'"$spread"',"sm_clock_mhz":{"before":1980,"after":1980}}}/' \
    v.jsonl >timed.jsonl
# Verdicts with profiles.
[ -z "$can_judge" ] || sed '/"failure":null/s/}$/,"profile":{"score":0.5,"bandwidth_utilization":0.5,"compute_efficiency":0.1,"kernel":"f","kernels":1,"launches":1,"flops_per_second":1e12,"bytes_per_second":1e11,"peak_flops_per_second":1e13,"peak_bytes_per_second":2e11}}/' \
    v.jsonl >profiled.jsonl
# Verdicts on a question about counts.
echo '{"id":"q","answer":"cost.flops","bench.cu":"int main() {}"}' >question.jsonl
echo '{"task":"q","sample":0,"response":"0"}' >number.jsonl
[ -z "$can_judge" ] || "$CUSET_BIN/cuset-eval" -q --tasks question.jsonl --compile-only --verdicts counts-v.jsonl \
    number.jsonl >/dev/null
mkdir inputs out data
# What the examples of cuset-run name: right programs, which print something.
cat >histogram.cu <<'CUDA'
#include <cstdio>
__global__ void count(int* bins) { atomicAdd(&bins[threadIdx.x % 4], 1); }
int main() {
    int *bins, found[4];
    cudaMalloc(&bins, sizeof found);
    cudaMemset(bins, 0, sizeof found);
    count<<<1, 64>>>(bins);
    cudaMemcpy(found, bins, sizeof found, cudaMemcpyDeviceToHost);
    cudaFree(bins);
    printf("%d\n", found[0]);
}
CUDA
echo 'int read_data(); int main() { return read_data(); }' >main.cu
echo '#include <cstdio>
int read_data() { FILE* f = fopen("data/x", "r"); puts("read"); return f ? fclose(f) : 1; }' >kernels.cu
echo x >data/x
cp ./*.jsonl ./*.zst inputs

# The benchmark whose words examples/cudabench-ask.py takes, and the files that the example of an ask names.
mkdir -p CUDABench/Generate
cat >CUDABench/Generate/prompt.py <<'PYTHON'
SYSTEM_PROMPT = "Write CUDA."
PROMPT = "{task_name}: {task_description}\n{input_spec}\n{output_spec}\n"
PYTHON
mkdir -p compute-eval/compute_eval
cat >compute-eval/compute_eval/prompts.py <<'PYTHON'
SYSTEM_PROMPT = "Write files."
_USER_PROMPT = "{prompt}\n{build_command}\n{context_files_block}{reference_docs_block}"
_CONTEXT_FILES_BLOCK_TEMPLATE = "{path}\n```{fence}\n{content}\n```\n"
PYTHON
echo '{"task_id":"CUDA/1","prompt":"Sum.","build_command":"nvcc a.cu","test_command":"./a","context_files":[]}' >problems.jsonl
ln -s "$CUSET_SOURCE/examples" examples
echo 'Answer in one fenced block.' >rules.txt

# plain: roff's text as it is shown.
plain() { sed 's/\\-/-/g; s/\\(aq/'"'"'/g; s/\\e/\\/g; s/\\&//g'; }

count=0 left_out=0
# try COMMAND
try() {
    if grep -qE 'cuset[- ](score|train|merge|sample)' <<<"$1" && [ ! -e "$CUSET_BIN/cuset-score" ]; then
        echo "left out, no programs that run models here: $1"
        left_out=$((left_out + 1))
    elif grep -qE 'cuset[- ](eval|run)|v\.jsonl' <<<"$1" && [ -z "$can_judge" ]; then
        echo "left out, no nvcc or no sandbox here: $1"
        left_out=$((left_out + 1))
    else
        count=$((count + 1))
        bash -c "set -euo pipefail; $1" >printed 2>err || fail "$1"
        [ -s printed ] || grep -qE -- ' (-o|--dry-run) | >' <<<"$1" || fail "printed nothing: $1"
    fi
}
for page in "$CUSET_SOURCE"/man/*; do
    name=$(basename "$page")
    case_is "$name"
    # Every page finds the same files.
    cp inputs/* .
    if [ "$name" = cuset-ask.5 ]; then cp typed_tasks.jsonl tasks.jsonl; fi
    # Each example is one file: block1, block2, ...; its first line is the page's line before the example.
    rm -f block*
    awk '/^\.EX/ { file = "block" ++n; print before >file; next } /^\.EE/ { file = ""; next }
        file { print >file; next } !/^\./ { before = $0 }' "$page"
    ! grep -qE '^\.(nf|RS)' <(sed -n '/^\.SH EXAMPLES/,/^\.SH [^E]/p' "$page") ||
        fail "$name has an example that no .EX marks"
    for block in $(compgen -G 'block*' | sort -V); do
        before=$(head -n 1 "$block")
        tail -n +2 "$block" | plain >body
        saved=$(grep -oE '[a-z]+\.ask:$' <<<"$before" || true)
        if [ -n "$saved" ]; then
            cp body "${saved%:}"
        elif [ "$name" = cuset-tasks.5 ]; then
            ! grep -qv '^{"' body || fail "$name has examples of commands now"
        else
            while IFS= read -r command; do try "$command"; done <body
        fi
    done
    case $name in cuset-host.7 | cuset-host-calls.7 | cuset-sandbox.7) ;; *)
        [ -e block1 ] || fail "$name has no example" ;;
    esac
done
echo "$count commands, $left_out left out"
[ $((count + left_out)) -ge 40 ]
[ "$count" -ge 20 ]
