#!/usr/bin/env bash
# This runs examples/readings.sh with a scoring program that only counts its calls.
source "$(dirname "$0")/../_shell_test.sh"
mkdir bin
cat >bin/cuset-score <<'END'
#!/usr/bin/env bash
echo "$@" >>calls
while [ "$1" != -o ]; do shift; done
python3 -c '
import json, sys
for line in open(sys.argv[1], encoding="utf-8"):
    record = json.loads(line)
    size = len(record["response"].encode())
    record["score"] = {"model": "m", "end": list(range(1, size + 1)), "confidence": [i % 9 / 9 for i in range(size)]}
    print(json.dumps(record))' "$3" >"$2"
END
chmod +x bin/cuset-score
export PATH=$scratch/bin:$PATH OUT=$scratch/out
head -3 "$CUSET_SOURCE/examples/pairs.jsonl" >three.jsonl
touch -d '1 minute ago' three.jsonl
"$CUSET_SOURCE/examples/readings.sh" --dtype f32 three.jsonl >first 2>err
[ "$(grep -c '^three, 3 samples\. Fig' first)" = 2 ] || fail "not the two figures: $(cat first)"
[ "$(grep -c '^roles, comments dropped ' first)" = 2 ] || fail "not each reading: $(cat first)"
STATS=--markdown "$CUSET_SOURCE/examples/readings.sh" --dtype f32 three.jsonl >second 2>err
grep -q '^| the paper |' second || fail "STATS: $(cat second)"
[ "$(cat calls)" = "--dtype f32 -o $scratch/out/three.zst three.jsonl" ] || fail "scored otherwise: $(cat calls)"
touch -d '1 minute' three.jsonl
"$CUSET_SOURCE/examples/readings.sh" three.jsonl >/dev/null
[ "$(wc -l <calls)" = 2 ] || fail "newer pairs are not scored again"
expect 2 "$CUSET_SOURCE/examples/readings.sh"
expect 2 "$CUSET_SOURCE/examples/readings.sh" absent.jsonl
