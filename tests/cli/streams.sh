# Streams between tools: zstd as other programs read it, pauses, shards, splices.
source "$(dirname "$0")/../faults/_common.sh"
command -v zstd >/dev/null || skip "zstd is not installed"
records 300 >in
$window --records --plain in >plain

# What goes through a pipe is one good frame; -o compresses by name alone.
$window --records in >packed
zstd -tq packed || fail "zstd -t"
zstd -dcq packed | cmp - plain || fail "the frame holds other bytes"
$window --records in | $window >table
$window in | cmp - table || fail "a table out of a pipe differs"
$window --records in -o a.jsonl.zst && cmp -s <(zstd -dcq a.jsonl.zst) plain || fail "-o x.zst"
$window --records in -o a.jsonl && cmp a.jsonl plain || fail "-o x"
CUSET_PLAIN=1 $window --records in | cmp - plain || fail "CUSET_PLAIN"
zstd -q in -o in.zst && mv in.zst disguised && $window disguised | cmp - table || fail "the magic number decides"
cat disguised disguised | $window | cmp - <(cat table table) || fail "two frames"
for t in 1 2 4; do
    $window --records -t $t in | cmp - packed || fail "-t $t gives other bytes"
done
# Nothing in, nothing out: an empty frame, which is a good stream.
$window --records </dev/null >empty
[ -s empty ] && zstd -tq empty || fail "the empty frame"
[ -z "$($window --records </dev/null | $window)" ] || fail "an empty stream"

# A tool that fails leaves its frame open: the next one must see it, whenever it failed.
(cat in; echo broken) >late
(echo broken; cat in) >early
for bad in late early none; do
    code=0
    $window --records $bad 2>/dev/null >cut || code=$?
    [ $code = 1 ] || fail "$bad: exit code $code"
    if zstd -tq cut 2>/dev/null; then fail "$bad: a good frame"; fi
    expect 1 $window cut >/dev/null
    grep -q 'truncated zstd stream' err || fail "$bad: $(cat err)"
done
# What came before the bad record is there, at any number of threads.
for t in 1 4; do
    $window --records --plain -t $t late 2>/dev/null >before || true
    cmp before plain || fail "records before the bad one are lost at -t $t"
done
# A stream cut on its way.
head -c 1000 disguised >cut
expect 1 $window cut >/dev/null
grep -q '^cuset-window: cut: truncated zstd stream$' err || fail "$(cat err)"
printf x >>disguised
expect 1 $window disguised >/dev/null

# Errors name the file and the line of the decompressed stream, blank lines counted.
(printf '\n\n'; head -1 in; echo '{"response":5}') | zstd -q >located.zst
expect 1 $window in located.zst >/dev/null
grep -qx 'cuset-window: located.zst:4: "response" is not a string' err || fail "$(cat err)"
expect 1 $window <(true) - <located.zst >/dev/null
grep -q '^cuset-window: standard input:4: ' err || fail "$(cat err)"

# --on-error=skip: the rejects as they came, the count on stderr also with -q, exit code 3.
(head -2 in; printf 'broken \r\n'; tail -1 in; printf '{"id":"x"}') >mixed
expect 3 $window -q --on-error=skip --rejects=rejects mixed >rows
[ "$(wc -l <rows)" = 3 ] || fail "rows: $(cat rows)"
printf 'broken \r\n{"id":"x"}\n' | cmp - rejects || fail "rejects"
grep -qx 'cuset-window: 2 of 5 records rejected, written to rejects' err || fail "$(cat err)"
expect 0 $window -q --on-error=skip --rejects=rejects in >/dev/null
[ -e rejects ] && [ ! -s rejects ] || fail "no rejects is an empty file"

# One line written, the pipe left open: what becomes of it arrives all the same (through zstd(1)
# it would not: that waits for a full buffer).
python3 - <<'P' || fail "pauses"
import json, subprocess
record = open("in", "rb").readline()
for command in ("cuset-window --records --plain",
                "cuset-window --records | cuset-window --records --plain", "cuset-window"):
    p = subprocess.Popen(["bash", "-c", command], stdin=subprocess.PIPE, stdout=subprocess.PIPE)
    for _ in range(3):
        p.stdin.write(record)
        p.stdin.flush()
        line = p.stdout.readline()
        assert line.endswith(b"\n"), (command, line)
    p.stdin.close()
    assert p.wait() == 0 and p.stdout.read() == b""
# A bad line is told although the pipe stays open.
p = subprocess.Popen(["cuset-window"], stdin=subprocess.PIPE, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE)
p.stdin.write(record + b"broken\n")
p.stdin.flush()
assert p.wait() == 1 and b"standard input:2: " in p.stderr.read()
P

# Shards: each record in that of its id's hash, joined they are all.
python3 - <<'P' || fail "shards"
import json, subprocess
ids = ["k%d" % i for i in range(200)] + ["\u00e9", "", "a\"b", 17, 12345678901234567890123, 1.50]
with open("ids", "w") as f:
    for i in ids:
        f.write(json.dumps({"id": i, "response": "", "score": {"end": [], "confidence": []}}) + "\n")
    f.write('{"response":"","score":{"end":[],"confidence":[]}}\n')
def fnv(text):
    h = 0xcbf29ce484222325
    for b in text.encode():
        h = (h ^ b) * 0x100000001b3 % 2 ** 64
    return h
texts = [i if isinstance(i, str) else json.dumps(i) for i in ids] + ["207"]
lines = open("ids").read().splitlines()
for n in (1, 2, 7):
    for shard in range(n):
        out = subprocess.run(["cuset-window", "--records", "--plain", "--shard=%d/%d" % (shard, n), "ids"],
                             stdout=subprocess.PIPE, check=True).stdout.decode().splitlines()
        wanted = [l for l, t in zip(lines, texts) if fnv(t) % n == shard]
        got = [l.split(',"window"')[0].split(', "window"')[0] + "}" for l in out]
        assert got == wanted, (shard, n, got[:3], wanted[:3])
P
for i in 0 1 2; do $window --records --shard $i/3 in -o shard-$i.zst; done
zstdcat shard-*.zst | sort | cmp - <(sort plain) || fail "shards do not join"

# Only the tool's own key changes.
if command -v jq >/dev/null; then
    cmp <(jq -c . in) <(jq -c 'del(.window)' plain) || fail "another field changed"
    # Twice is as good as once.
    $window --records --plain plain | cmp - plain || fail "a second run changes the record"
    $window --records --plain --size 2 plain | jq -c 'del(.window)' | cmp - <(jq -c . in) || fail "replaced badly"
    [ "$($window --records --plain in | jq -r 'select(.id == "k0") | .window | "\(.size) \(.token) \(.begin) \(.end)"')" = "256 [0,4] 0 13" ] || fail "the window"
fi
