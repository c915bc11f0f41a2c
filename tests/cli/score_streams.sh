#!/usr/bin/env bash
# This tests what a model could break in a filter: it runs cuset-score with a random model of a few
# kilobytes. streams.sh tests with the quick tools what all filters have in common.
source "$(dirname "$0")/../_shell_test.sh"
need jq zstd
[ -x "$CUSET_BIN/cuset-score" ] || skip "cuset-score is not built"
tiny_model
export CUSET_MODEL=$scratch/model
score="cuset-score -q --device=cpu"

case_is 'Pairs of many lengths, so that batches are ragged; enough of them for several'
python3 - "$CUSET_SOURCE/examples/pairs.jsonl" "$(sanitized && echo 30 || echo 120)" >in <<'P'
import json, random, sys
pairs = [json.loads(line) for line in open(sys.argv[1], encoding="utf-8")]
draw = random.Random(3)
for i in range(int(sys.argv[2])):
    pair = draw.choice(pairs)
    start = draw.randrange(len(pair["response"]))
    print(json.dumps({"id": f"k{i}", "prompt": pair["prompt"][:draw.randrange(200)], "n": 12345678901234567890,
                      "response": pair["response"][start:start + draw.randrange(900)]}, ensure_ascii=False))
P
count=$(wc -l <in)

# The same bytes with any number of threads (f32), every record once and in order, and no other
# field changed; from a pipe as from a file.
$score --plain --dtype=f32 -t1 in >plain
for t in 2 4; do $score --plain --dtype=f32 -t$t in | cmp - plain || fail "-t1 and -t$t differ"; done
cmp <(jq -c 'del(.score)' plain) <(jq -c . in) || fail "another field changed, or the order"
$score --dtype=f32 in | zstd -dcq | cmp - plain || fail "through a pipe"
$score --dtype=f32 in -o out.jsonl.zst && zstd -dcq out.jsonl.zst | cmp - plain || fail "-o x.zst"
$score --dtype=f32 <in -o out.jsonl && cmp out.jsonl plain || fail "-o x"
[ -z "$(find . -name '.*cuset-*')" ] || fail "temporary files left"
# A record's tokens end with the response, and cuset-window reads them.
jq -e 'select((.score.end | length) != (.score.confidence | length) or (.score.end | length) != (.score.id | length)
    or .score.end[-1] != (.response | utf8bytelength) or (.score.confidence | min) <= 0
    or (.score.confidence | max) > 1)' plain && fail "lengths or confidences"
[ "$($window <plain | wc -l)" = "$count" ] || fail "cuset-window has another number of rows"
# A second run replaces the score.
head -5 plain | $score --plain --dtype=f32 | cmp - <(head -5 plain) || fail "a second run changes the record"

# Shards joined give the whole. (A record's last digit may depend on its batch, so this compares
# ids.)
for i in 0 1; do $score --shard=$i/2 in -o shard-$i.zst; done
zstd -dcq shard-*.zst | jq -r .id | sort | cmp - <(jq -r .id in | sort) || fail "shards do not join"

# A bad record among good ones is set aside unchanged, or ends the stream after the records before
# it are written.
(head -2 in; printf 'broken \r\n'; sed -n 3p in; printf '{"response":"no prompt"}') >mixed
expect 3 $score --plain --dtype=f32 --on-error=skip --rejects=rejects mixed >rows
cmp <(jq -r .id rows) <(head -3 in | jq -r .id) || fail "rows: $(cat rows)"
printf 'broken \r\n{"response":"no prompt"}\n' | cmp - rejects || fail "rejects"
grep -qx 'cuset-score: 2 of 5 records rejected, written to rejects' err
expect 1 $score mixed >cut
grep -q '^cuset-score: mixed:3: ' err
[ "$(wc -l <err)" = 1 ]
if zstd -tq cut 2>/dev/null; then fail "a good frame of a failed run"; fi
[ "$(zstd -dcq cut 2>/dev/null | wc -l)" = 2 ] || fail "records before the bad one are lost"
echo old >out
expect 1 $score mixed -o out
[ "$(cat out)" = old ] || fail "a failed run touched the output"

case_is 'A full disk, a reader that goes away, an output that is the input'
expect 1 $score in >/dev/full
grep -qx 'cuset-score: standard output: No space left on device' err
expect 1 $score in -o /dev/full
for ((i = 0; i < 5; ++i)); do cat in; done >many
set +o pipefail
code=$($score many 2>err | head -c 1 >/dev/null; echo "${PIPESTATUS[0]}")
set -o pipefail
[ "$code" = 141 ] && [ ! -s err ] || fail "into head: $code, $(cat err)"
cp in x
expect 2 $score x -o x
cmp in x || fail "the input was touched"

case_is 'Records move through while the input pauses'
python3 - $score --plain <<'P' || fail "pauses"
import subprocess, sys
record = open("in", "rb").readline()
p = subprocess.Popen(sys.argv[1:], stdin=subprocess.PIPE, stdout=subprocess.PIPE)
for _ in range(3):
    p.stdin.write(record)
    p.stdin.flush()
    assert p.stdout.readline().endswith(b"\n")
p.stdin.close()
assert p.wait() == 0 and p.stdout.read() == b""
P
