#!/usr/bin/env bash
# This tests streams between tools: zstd as other programs read it, pauses, shards and splices.
source "$(dirname "$0")/../_shell_test.sh"
need zstd

# streams TOOL KEY: tests the filter TOOL, a command line that adds KEY to a record.
streams() {
    tool=$1 key=$2 name=${1%% *}
    mkdir "$scratch/$name" && cd "$scratch/$name"
    records 300 >in
    $tool --plain in >plain

    case_is 'A pipe carries one good frame; -o compresses only by name'
    $tool in >packed
    zstd -tq packed || fail "$name: zstd -t"
    zstd -dcq packed | cmp - plain || fail "$name: the frame holds other bytes"
    $tool in | $tool --plain | cmp - plain || fail "$name: out of its own pipe"
    $tool in -o a.jsonl.zst && cmp -s <(zstd -dcq a.jsonl.zst) plain || fail "$name: -o x.zst"
    $tool in -o a.jsonl && cmp a.jsonl plain || fail "$name: -o x"
    CUSET_PLAIN=1 $tool in | cmp - plain || fail "$name: CUSET_PLAIN"
    zstd -q in -o in.zst && mv in.zst disguised && $tool --plain disguised | cmp - plain ||
        fail "$name: the magic number decides"
    cat disguised disguised | $tool --plain | cmp - <(cat plain plain) || fail "$name: two frames"
    $tool --plain in disguised - <in | cmp - <(cat plain plain plain) || fail "$name: three inputs"
    for t in 1 2 4; do
        $tool -t $t in | cmp - packed || fail "$name: -t $t gives other bytes"
    done
    # gzip comes in, and zstd goes out.
    gzip -c in >in.gz
    for t in 1 4; do $tool -t $t in.gz | cmp - packed || fail "$name: gzip at -t $t"; done
    cat in.gz in.gz | $tool --plain in.gz - disguised | cmp - <(cat plain plain plain plain) ||
        fail "$name: two members of gzip"
    # Empty input gives empty output: an empty frame, which is a good stream.
    $tool </dev/null >empty
    [ -s empty ] && zstd -tq empty || fail "$name: the empty frame"
    [ -z "$($tool </dev/null | $tool --plain)" ] || fail "$name: an empty stream"
    # Plain text has no mark of a good end, so a warning is all that tells of a program that failed.
    CUSET_PLAIN=1 $tool </dev/null 2>err >/dev/null
    grep -q "^$name: the input is empty" err || fail "$name: no warning of an empty input: $(cat err)"
    CUSET_PLAIN=1 $tool in 2>err >/dev/null
    if grep 'is empty' err; then fail "$name: an input is called empty"; fi

    # A tool that fails leaves its frame open, at whatever time it failed: the next tool must see
    # it.
    (cat in; echo broken) >late
    (echo broken; cat in) >early
    for bad in late early none; do
        code=0
        $tool $bad 2>/dev/null >cut || code=$?
        [ $code = 1 ] || fail "$name: $bad: exit code $code"
        if zstd -tq cut 2>/dev/null; then fail "$name: $bad: a good frame"; fi
        expect 1 $tool cut >/dev/null
        grep -q 'truncated zstd stream' err || fail "$name: $bad: $(cat err)"
    done
    # The records before the bad one are written, with any number of threads.
    for t in 1 4; do
        $tool --plain -t $t late 2>/dev/null >before || true
        cmp before plain || fail "$name: records before the bad one are lost at -t $t"
    done
    # A stream that is cut in the middle.
    head -c 1000 disguised >cut
    expect 1 $tool cut >/dev/null
    grep -q "^$name: cut: truncated zstd stream$" err || fail "$name: $(cat err)"
    for size in 1 2 17 1000; do
        head -c $size in.gz >cut
        expect 1 $tool cut >/dev/null
        grep -qx "$name: cut: truncated gzip stream" err || fail "$name: $size bytes: $(cat err)"
    done
    (head -c 1000 in.gz; tail -c +1002 in.gz) >corrupt
    expect 1 $tool corrupt >/dev/null
    grep -q "^$name: corrupt: corrupt gzip stream: " err || fail "$name: $(cat err)"
    printf x >>disguised
    expect 1 $tool disguised >/dev/null

    case_is 'Errors name the file and the line of the decompressed stream; blank lines count'
    (printf '\n\n'; head -1 in; echo '{"response":5}') | zstd -q >located.zst
    expect 1 $tool in located.zst >/dev/null
    grep -qx "$name: located.zst:4: \"response\" is not a string" err || fail "$name: $(cat err)"
    expect 1 $tool <(true) - <located.zst >/dev/null
    grep -q "^$name: standard input:4: " err || fail "$name: $(cat err)"

    case_is 'A record that jq has spread over lines'
    printf '{\n  "prompt": "p"\n}\n' >spread
    expect 1 $tool spread >/dev/null
    grep -qx "$name: spread:1: this record takes several lines: jq -c writes it on one" err ||
        fail "$name: $(cat err)"

    case_is 'A name that promises another form is refused, and an old file of that name stays'
    echo old >x.gz
    for out in x.gz x.bz2 x.xz X.GZ; do
        expect 2 $tool -o $out in
        grep -q "^$name: $out: files are plain text, or zstd" err || fail "$name: $(cat err)"
    done
    if [ "$name" = cuset-tag ]; then
        expect 2 $tool -o x.parquet in
        grep -q "^$name: x.parquet: records are written as JSON Lines" err || fail "$name: $(cat err)"
    fi
    for out in x.zstd x.ZST; do
        expect 2 $tool -o $out in
        grep -q "^$name: $out: a file is compressed where its name ends in .zst, spelt so" err ||
            fail "$name: $(cat err)"
        [ ! -e $out ] || fail "$name: $out"
    done
    [ "$(cat x.gz)" = old ] && [ ! -e x.xz ] || fail "$name: x.gz"

    case_is '--on-error=skip: unchanged rejects, the count on stderr even with -q, exit code 3'
    (head -2 in; printf 'broken \r\n'; tail -1 in; printf '{"id":"x"}') >mixed
    expect 3 $tool -q --plain --on-error=skip --rejects=rejects mixed >rows
    cmp <(sed -n '1,2p;$p' plain) rows || fail "$name: rows: $(cat rows)"
    printf 'broken \r\n{"id":"x"}\n' | cmp - rejects || fail "$name: rejects"
    grep -qx "$name: 2 of 5 records rejected, written to rejects" err || fail "$name: $(cat err)"
    expect 0 $tool -q --on-error=skip --rejects=rejects in >/dev/null
    [ -e rejects ] && [ ! -s rejects ] || fail "$name: no rejects is an empty file"

    # One line is written and the pipe stays open: its result arrives nevertheless (it would not
    # through zstd(1), which waits for a full buffer).
    python3 - "$tool --plain" "$tool | $tool --plain" <<'P' || fail "$name: pauses"
import subprocess, sys
record = open("in", "rb").readline()
for command in sys.argv[1:]:
    p = subprocess.Popen(["bash", "-c", command], stdin=subprocess.PIPE, stdout=subprocess.PIPE)
    for _ in range(3):
        p.stdin.write(record)
        p.stdin.flush()
        line = p.stdout.readline()
        assert line.endswith(b"\n"), (command, line)
    p.stdin.close()
    assert p.wait() == 0 and p.stdout.read() == b""
# A bad line is reported although the pipe stays open.
p = subprocess.Popen(sys.argv[1].split(), stdin=subprocess.PIPE, stdout=subprocess.DEVNULL,
                     stderr=subprocess.PIPE)
p.stdin.write(record + b"broken\n")
p.stdin.flush()
assert p.wait() == 1 and b"standard input:2: " in p.stderr.read()
P

    case_is "Shards: each record is in the shard of its id's hash; joined, all records are there"
    python3 - $tool <<'P' || fail "$name: shards"
import json, subprocess, sys
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
run = lambda *options: subprocess.run([*sys.argv[1:], "--plain", *options, "ids"], check=True,
                                      stdout=subprocess.PIPE).stdout.splitlines()
lines = run()
assert len(lines) == len(texts)
for n in (1, 2, 7):
    for shard in range(n):
        wanted = [l for l, t in zip(lines, texts) if fnv(t) % n == shard]
        assert run("--shard=%d/%d" % (shard, n)) == wanted, (shard, n)
P
    for i in 0 1 2; do $tool --shard $i/3 in -o shard-$i.zst; done
    zstdcat shard-*.zst | sort | cmp - <(sort plain) || fail "$name: shards do not join"

    case_is "Only the tool's own key changes"
    if command -v jq >/dev/null; then
        cmp <(jq -c . in) <(jq -c "del(.$key)" plain) || fail "$name: another field changed"
        jq -e "has(\"$key\")" plain >has && [ "$(uniq has)" = true ] || fail "$name: a record without $key"
    fi
}

streams "$window --records" window
streams cuset-tag tag

case_is 'Tools that read lines one by one note an empty input too, but no input that is not asked for'
for tool in cuset-view 'cuset-curate --plain'; do
    CUSET_PLAIN=1 $tool </dev/null 2>err >/dev/null || true
    grep -q "^${tool%% *}: the input is empty" err || fail "$tool: no warning of an empty input: $(cat err)"
done
mkdir sources && printf '__global__ void k() {}\n' >sources/k.cu
printf "%s\n" "--- user" "Write the file {path}." >ask
cuset-curate --from-sources sources --ask ask 2>err >/dev/null || fail "sources: $(cat err)"
if grep 'is empty' err; then fail "sources are taken for an empty input"; fi

case_is "cuset-window's own: the key is replaced if options change it; and the table"
cd "$scratch/$window"
if command -v jq >/dev/null; then
    $window --records --plain --size 2 plain | jq -c 'del(.window)' | cmp - <(jq -c . in) || fail "replaced badly"
    [ "$($window --records --plain in | jq -r 'select(.id == "k0") | .window | "\(.size) \(.token) \(.begin) \(.end)"')" = "256 [0,4] 0 13" ] || fail "the window"
fi
$window in >table
$window --records in | $window | cmp - table || fail "a table out of a pipe differs"
(printf '\357\273\277'; sed 's/$/\r/' in) | $window | cmp - table || fail "a table of CRLF and BOM differs"
for t in 1 4; do $window -t $t in | cmp - table || fail "a table at -t $t differs"; done
# A table is text for sort, in a pipe too, and pauses when its input does.
python3 - <<'P' || fail "the table pauses"
import subprocess
record = open("in", "rb").readline()
p = subprocess.Popen(["cuset-window"], stdin=subprocess.PIPE, stdout=subprocess.PIPE)
for _ in range(3):
    p.stdin.write(record)
    p.stdin.flush()
    assert p.stdout.readline().count(b"\t") == 5
p.stdin.close()
assert p.wait() == 0
P
