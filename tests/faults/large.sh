#!/usr/bin/env bash
# This tests that memory is bounded: a line of 200 MB, and a stream much larger than the memory that
# a tool may take. The short form takes 200 MB of records, and CUSET_LONG=1 takes 2 GB.
set -euo pipefail
if [ -n "${CUSET_SANITIZERS:-}" ]; then
    echo "skipped: the sanitizers take memory of their own"
    exit 77
fi
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cd "$work"
megabytes=200
[ -z "${CUSET_LONG:-}" ] || megabytes=2000

cat >run.py <<'PYTHON'
"""run.py LIMIT_MB COMMAND...: runs it on our stdin and stdout; fails where its peak memory is over."""
import resource, subprocess, sys
done = subprocess.run(sys.argv[2:])
peak = resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss // 1024
print(f"peak {peak} MB: {' '.join(sys.argv[2:])}", file=sys.stderr)
sys.exit(done.returncode or peak > int(sys.argv[1]))
PYTHON

cat >make.py <<'PYTHON'
"""make.py MEGABYTES: scored records, all alike but for their ids."""
import json, sys
source = "__global__ void k(float* x) { x[threadIdx.x] *= 2; }\n" * 60
ends = list(range(4, len(source), 4))
body = json.dumps({"prompt": "p", "response": source, "score": {
    "model": "m", "end": ends, "id": ends, "confidence": [0.998211] * len(ends)}})
written, number = 0, 0
while written < int(sys.argv[1]) * 1_000_000:
    line = f'{{"id":{number},{body[1:]}\n'
    sys.stdout.write(line)
    written += len(line)
    number += 1
PYTHON

python3 make.py "$megabytes" | zstd -q -1 >stream.zst
records=$(zstd -dc stream.zst | wc -l)
python3 run.py 300 "$CUSET_BIN/cuset-tag" -t2 -z1 <stream.zst >tagged.zst
[ "$(zstd -dc tagged.zst | wc -l)" -eq "$records" ]
python3 run.py 300 "$CUSET_BIN/cuset-window" -t2 <tagged.zst >table
[ "$(wc -l <table)" -eq "$records" ]
python3 run.py 300 "$CUSET_BIN/cuset-stats" -t2 --json <tagged.zst >report.json
grep -q "\"samples\":$records," report.json
rm tagged.zst

python3 -c "
import sys
sys.stdout.write('{\"id\":1,\"response\":\"')
for _ in range(200): sys.stdout.write('x = 1; ' * 142858)
sys.stdout.write('\",\"score\":{\"end\":[1],\"confidence\":[0.5]}}\n')" >line.jsonl
# The line, its decoded response and the written record are a few copies; the tagger adds its words.
python3 run.py 2000 "$CUSET_BIN/cuset-window" --records --plain -t1 line.jsonl >out.jsonl
python3 run.py 3500 "$CUSET_BIN/cuset-tag" --plain -t1 line.jsonl >out.jsonl
cmp <(head -c 200000000 line.jsonl) <(head -c 200000000 out.jsonl)
