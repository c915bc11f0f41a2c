"""Tags every source at hand with roles, and checks that each byte of code has one role and none has
two, and that nothing else of the output changes."""

import json
import os
import pathlib
import re
import subprocess

from _tool import built, case, fail

source = pathlib.Path(os.environ["CUSET_SOURCE"])
data = source.parent / "shared" / "data"
tool = built("cuset-tag")
roles = {"index", "bound", "memory", "sync", "launch", "transfer", "arithmetic", "host", "comment"}
blank = re.compile(rb"[\x00-\x20]*\Z")


def tag(stdin, *arguments):
    done = subprocess.run([tool, "--plain", *arguments], input=stdin, capture_output=True, check=True)
    return [json.loads(line) for line in done.stdout.splitlines()]


def check(record, whole):
    text = record["response"] if "response" in record else record["bench.cu"]
    text, end = text.encode(), 0
    for role, begin, stop in record["tag"]["roles"]:
        if role not in roles:
            fail(f"{record['id']}: the role {role}")
        if not (end <= begin < stop <= len(text)):
            return fail(f"{record['id']}: {begin}-{stop} after {end}")
        if whole and not blank.match(text[end:begin]):
            return fail(f"{record['id']}: no role for {text[end:begin]}")
        if text[begin] <= 32 or text[stop - 1] <= 32:
            fail(f"{record['id']}: {begin}-{stop} begins or ends with white space")
        end = stop
    if whole and not blank.match(text[end:]):
        fail(f"{record['id']}: no role for {text[end:]}")


def check_all(name, records, whole=True):
    case(name)
    stdin = b"".join(json.dumps(r).encode() + b"\n" for r in records)
    flags = ["--lang=cuda"] if whole else []
    tagged, plain = tag(stdin, "--roles", *flags), tag(stdin, *flags)
    size = recovered = 0
    for record, without in zip(tagged, plain, strict=True):
        check(record, whole)
        size += len(json.dumps(record.get("response", "")))
        recovered += record["tag"]["recovered"]
        del record["tag"]["roles"], record["tag"]["recovered"]
        if record != without:
            fail(f"{record['id']}: --roles changes more than the roles")
    print(f"{name}: {len(tagged)} records, {size} bytes, {recovered} recovered")
    return tagged


files = [f for suffix in ("cu", "cuh", "h", "cpp") for f in sorted(source.glob(f"*/**/*.{suffix}"))
         if not f.relative_to(source).parts[0].startswith(("build", "."))]
files = [f for f in files if f.suffix.startswith(".cu") or "__global__" in f.read_text()]
assert len(files) > 200, len(files)
check_all("sources", [{"id": str(f.relative_to(source)), "response": f.read_text()} for f in files])
examples = [json.loads(line) for line in open(source / "examples" / "pairs.jsonl", encoding="utf-8")]
check_all("examples", examples, whole=False)
check_all("examples as code", examples)
# Cut anywhere, the grammar fails and the words decide.
cut = [{"id": f"{r['id']}:{n}", "response": r["response"][:n]}
       for r in examples[::6] for n in range(1, len(r["response"]), 211)]
check_all("cut", cut)

case("Markdown")
found = tag(json.dumps({"response": "Text.\n\n```cuda\n__global__ void k(float* x) { x[0] = 1; }\n```\nMore."}).encode(), "--roles")
runs = found[0]["tag"]["roles"]
if [r[0] for r in runs][:2] != ["launch", "arithmetic"] or runs[0][1] != 15 or runs[-1][2] != 56:
    fail("roles", runs)

for name in ("cudabench/cudabench-100.jsonl", "hecbench-dev.jsonl.zst"):
    if not (data / name).exists():
        print(f"no {name}")
        continue
    raw = (data / name).read_bytes()
    if name.endswith(".zst"):
        raw = subprocess.run(["zstd", "-dcq"], input=raw, capture_output=True, check=True).stdout
    records = [json.loads(line) for line in raw.splitlines()]
    texts = [{"id": f"{name}:{i}:{key}", "response": value} for i, r in enumerate(records)
             for key, value in r.items()
             if isinstance(value, str) and ("__global__" in value or "<<<" in value)]
    assert texts, name
    check_all(name, texts)
