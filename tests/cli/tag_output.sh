#!/usr/bin/env bash
# This tests cuset-tag as a program: its output, and that its options reach the tagger.
# tests/unit/syntax tests which code gets which spans.
source "$(dirname "$0")/../_shell_test.sh"
need jq zstd
export CUSET_PLAIN=1

# shown OPTION...: tags stdin. Prints a line for each span with its kind, name and bytes, then one
# with the record's lang. Offsets count bytes; characters would cut elsewhere.
cat >shown.py <<'P'
import json, sys
for line in sys.stdin:
    record = json.loads(line)
    assert list(record["tag"]) == ["spans", "lang"], record["tag"]
    text = record["response"].encode()
    spans = record["tag"]["spans"]
    assert [s["begin"] for s in spans] == sorted(s["begin"] for s in spans), spans
    for span in spans:
        assert list(span) == ["kind", "name", "begin", "end"], span
        assert 0 <= span["begin"] < span["end"] <= len(text), span
        taken = text[span["begin"]:span["end"]].decode()
        print(span["kind"], span["name"], json.dumps(taken, ensure_ascii=False))
    print(record["tag"]["lang"])
P
shown() { cuset-tag "$@" | python3 shown.py; }
lines() { printf '%s\n' "$@"; }

cat >code.cu <<'P'
// é 漢字 🚀: more bytes than characters
namespace n { template <class T> __global__ void twice(T* x) { x[0] *= 2; } }
void f(float* x) {
  dim3 grid(4, 4);
  n::twice<float><<<grid, 256>>>(x);
}
P
jq -Rsc '{id: "k17", prompt: "p", response: .}' code.cu >in

case_is 'The record as documented, byte for byte'
printf '{"id":"a","response":"k<<<1, 2>>>(x);\\n"}\n' >small
assert_equal "$(cuset-tag small)" \
    '{"id":"a","response":"k<<<1, 2>>>(x);\n","tag":{"spans":[{"kind":"launch","name":"k","begin":1,"end":11}],"lang":"cuda"}}'
assert_equal "$(cuset-tag <<<'{"response":"","tag":"old"}')" \
    '{"response":"","tag":{"spans":[],"lang":"cuda"}}'

case_is 'Each value of each option'
body='kernel twice "{ x[0] *= 2; }"'
definition='kernel twice "template <class T> __global__ void twice(T* x) { x[0] *= 2; }"'
configuration='launch twice "<<<grid, 256>>>"'
statement='launch twice "n::twice<float><<<grid, 256>>>(x);"'
declaration='launch twice "dim3 grid(4, 4);"'
assert_equal "$(shown <in)" "$(lines "$body" "$configuration" cuda)"
assert_equal "$(shown --kernel=body --launch=configuration --lang=cuda <in)" "$(shown <in)"
assert_equal "$(shown --kernel=definition <in)" "$(lines "$definition" "$configuration" cuda)"
assert_equal "$(shown --launch=statement <in)" "$(lines "$body" "$statement" cuda)"
assert_equal "$(shown --launch=setup <in)" "$(lines "$body" "$declaration" "$statement" cuda)"
assert_equal "$(shown --launch=setup --kernel=definition <in)" \
    "$(lines "$definition" "$declaration" "$statement" cuda)"

code='{"response":"k<<<1, 1>>>(x);"}'
string='{"response":"s = \"k<<<1, 1>>>(x);\""}'
fenced='{"response":"Write\n```cuda\nk<<<1, 1>>>(x);\n```\nand not j<<<2, 2>>>(y);"}'
launch='launch k "<<<1, 1>>>"'
assert_equal "$(shown <<<"$code")" "$(lines "$launch" cuda)"
assert_equal "$(shown --lang=auto <<<"$code")" "$(lines "$launch" cuda)"
assert_equal "$(shown --lang=cuda <<<"$code")" "$(lines "$launch" cuda)"
assert_equal "$(shown --lang=hip <<<"$code")" "$(lines "$launch" hip)"
assert_equal "$(shown --lang=python <<<"$code")" cuda
assert_equal "$(shown --lang=markdown <<<"$code")" cuda
assert_equal "$(shown --lang=cuda <<<"$string")" cuda
assert_equal "$(shown --lang=python <<<"$string")" "$(lines "$launch" cuda)"
assert_equal "$(shown --lang=auto <<<"$fenced")" "$(lines "$launch" cuda)"
assert_equal "$(shown --lang=markdown <<<"$fenced")" "$(lines "$launch" cuda)"
[ "$(shown --lang=cuda <<<"$fenced" | grep -c ^launch)" = 2 ] || fail "--lang=cuda saw fences"
assert_equal "$(shown <<<'{"response":"#include <hip/hip_runtime.h>\nvoid f() { hipLaunchKernelGGL(k, 1, 2, 0, 0, x); }"}')" \
    "$(lines 'launch k "hipLaunchKernelGGL(k, 1, 2, 0, 0, x)"' hip)"
# Finds code that no grammar can parse.
assert_equal "$(shown <<<'{"response":"__global__ BOUNDS(x) void k(int* x) { *x = 1; }}"}')" \
    "$(lines 'kernel k "{ *x = 1; }"' cuda)"
for wrong in --kernel=head --launch=all --lang=opencl --size=2; do
    expect 2 cuset-tag $wrong in
    [ "$(wc -l <err)" = 1 ] || fail "$wrong: $(cat err)"
done

case_is "The text of the response: the usual names, a conversation's last turn, or the named field"
cat >forms <<'P'
{"messages":[{"role":"user","content":"a<<<1, 1>>>()"},{"role":"assistant","content":"b<<<1, 1>>>()"},{"role":"user","content":"c<<<1, 1>>>()"},{"role":"assistant","content":"k<<<1, 1>>>()"}]}
{"conversations":[{"from":"human","value":"a<<<1, 1>>>()"},{"from":"gpt","value":"k<<<1, 1>>>()"}]}
{"instruction":"a<<<1, 1>>>()","input":"b<<<1, 1>>>()","output":"k<<<1, 1>>>()"}
{"level1_prompt":"a<<<1, 1>>>()","bench.cu":"k<<<1, 1>>>()"}
{"prompt":"a<<<1, 1>>>()","response":"k<<<1, 1>>>()"}
{"prompt":5,"response":"k<<<1, 1>>>()"}
{"response":"k<<<1, 1>>>()"}
P
assert_equal "$(cuset-tag forms | jq -r '.tag.spans | map(.name) | join(" ")')" "$(lines k k k k k k k)"
assert_equal "$(cuset-tag --response-field=code <<<'{"code":"k<<<1, 1>>>()","response":"j<<<2, 2>>>()"}' |
    jq -r '.tag.spans[].name')" k
expect 1 cuset-tag --response-field=code small
grep -qx 'cuset-tag: small:1: "code" is missing; there are "id", "response" (--response-field names another)' err

case_is 'The examples: the same bytes with any number of threads'
pairs=$CUSET_SOURCE/examples/pairs.jsonl
cuset-tag -t1 "$pairs" >one
cuset-tag -t4 "$pairs" | cmp - one || fail "-t1 and -t4 differ"
# Enough of them for several batches, which threads finish out of order.
copies=20
sanitized && copies=4
for ((i = 0; i < copies; ++i)); do cat "$pairs"; done >many
cuset-tag -t1 many | sha256sum >sum
cuset-tag -t4 many | sha256sum | cmp - sum || fail "-t1 and -t4 differ over many batches"
[ "$(wc -l <one)" = "$(wc -l <"$pairs")" ] || fail "records lost"
cmp <(jq -c 'del(.tag)' one) <(jq -c . "$pairs") || fail "another field changed"
python3 - one <<'P' || fail "spans of the examples"
import json, sys
kinds = {"kernel": 0, "launch": 0}
for line in open(sys.argv[1], encoding="utf-8"):
    record = json.loads(line)
    text = record["response"].encode()
    assert record["tag"]["spans"], record["id"]
    for span in record["tag"]["spans"]:
        taken = text[span["begin"]:span["end"]]
        kinds[span["kind"]] += 1
        if span["kind"] == "kernel":
            assert taken[:1] == b"{" and taken[-1:] == b"}", (record["id"], span)
        else:
            assert (taken[:3], taken[-3:]) == (b"<<<", b">>>") or taken[-1:] == b")", (record["id"], span)
    wanted = "hip" if "hip/hip_runtime.h" in record["response"] else "cuda"
    assert record["tag"]["lang"] == wanted, record["id"]
assert min(kinds.values()) >= 37, kinds
P
# A second run replaces the tag.
cuset-tag one | cmp - one || fail "a second run changes the record"
cuset-tag --launch=statement one | cuset-tag | cmp - one || fail "replaced badly"

case_is 'Shards joined give the whole, each in the order of the input'
for i in 0 1 2; do CUSET_PLAIN=0 cuset-tag --shard $i/3 "$pairs" >shard-$i.zst; done
zstd -dcq shard-*.zst | sort | cmp - <(sort one) || fail "shards do not join"
for i in 0 1 2; do
    zstd -dcq shard-$i.zst >shard
    [ -s shard ] || fail "shard $i is empty"
    grep -Fxf shard one | cmp - shard || fail "shard $i is out of order"
done

case_is 'Bad records are reported by file and line, or set aside unchanged'
(cat small; printf '{"response":7}\r\n\n'; cat small; printf '{"response":"\377"}') >mixed
expect 1 cuset-tag mixed >out
grep -qx 'cuset-tag: mixed:2: "response" is not a string' err
cmp <(cuset-tag small) out || fail "the record before the bad one"
expect 3 cuset-tag -q --on-error=skip --rejects=rejects mixed >out
cmp <(cuset-tag small small) out || fail "good records between the bad"
cmp <(printf '{"response":7}\r\n{"response":"\377"}\n') rejects || fail "rejects: $(cat rejects)"
grep -qx 'cuset-tag: 2 of 4 records rejected, written to rejects' err

case_is 'A cut or damaged stream is never a good end'
zstd -q "$pairs" -o whole.zst
cuset-tag whole.zst | cmp - one || fail "from zstd"
for size in 4 1000 $(($(stat -c %s whole.zst) - 1)); do
    head -c "$size" whole.zst >cut.zst
    expect 1 cuset-tag cut.zst -o out.jsonl
    grep -q '^cuset-tag: cut.zst:' err && [ "$(wc -l <err)" = 1 ] || fail "cut at $size: $(cat err)"
    [ ! -e out.jsonl ] || fail "an output of a cut input"
    expect 1 cuset-tag --on-error=skip --rejects=rejects cut.zst -o out.jsonl
done
grep -qx 'cuset-tag: cut.zst: truncated zstd stream' err
python3 - <<'P'
data = bytearray(open("whole.zst", "rb").read())
data[len(data) // 2] ^= 16
open("flipped.zst", "wb").write(data)
P
expect 1 cuset-tag --on-error=skip --rejects=rejects flipped.zst -o out.jsonl
[ ! -e out.jsonl ] || fail "an output of a damaged input"

case_is 'CRLF and BOM of the file belong to no record; those of the response count'
(printf '\357\273\277'; sed 's/$/\r/' small; printf '\r\n'; cat small) >windows
cuset-tag windows | tr -d '\r' | cmp - <(cuset-tag small small) || fail "CRLF and BOM of the file"
assert_equal "$(shown <<<'{"response":"\ufeff__global__ void k() {\r\n}\r\nvoid f() {\r\n  k<<<1,\r\n    2>>>();\r\n}\r\n"}')" \
    "$(lines 'kernel k "{\r\n}"' 'launch k "<<<1,\r\n    2>>>"' cuda)"

# --add-ids: records without an id get one by content, the same in each order and shard; the others
# keep what they have.
printf '%s\n' '{"response":"a"}' '{"response":"b"}' '{"id":7,"response":"c"}' '{"task_id":"t/1","response":"d"}' \
    '{}' '{"response":"a","tag":0}' | sed '5s/.*/{"response":"b"}/' >unnamed
cuset-tag --add-ids unnamed >named
jq -c 'del(.id)' named | cmp - <(cuset-tag unnamed | jq -c 'del(.id)') || fail "more than the ids differ"
assert_equal "$(sed -n '3,4p' named)" "$(cuset-tag unnamed | sed -n '3,4p')"
jq -r 'select(.task_id == null) | .id' named >ids
assert_equal "$(grep -cxE '[0-9a-f]{16}' ids)" 4
assert_equal "$(sed -n 2p ids)" "$(sed -n 4p ids)"
assert_equal "$(sort -u ids | wc -l)" 4
tac unnamed | cuset-tag --add-ids | tac | cmp - named || fail "ids in another order"
for i in 0 1; do cuset-tag --add-ids --shard $i/2 unnamed; done | sort | cmp - <(sort named) || fail "ids in shards"
cuset-tag --add-ids named | cmp - named || fail "ids twice"
