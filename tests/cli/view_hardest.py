"""cuset-view --hardest shows the kernels of the lowest windows, as this computes them and as
cuset-window ranks them; --context leaves out what is far from the window, and says how much."""

import json
import math
import random
import re

from _tool import assert_exit, assert_that, built, room, run_tool

view, window = built("cuset-view"), built("cuset-window")
seed = 20261124
print("seed", seed)
rnd = random.Random(seed)


def record(name):
    """A file of some kernels, with tokens of one to six bytes that cross their borders."""
    text, spans = "// caf\u00e9\n", []
    for i in range(rnd.randrange(0, 4)):
        text += f"__global__ void k{i}(float* x)\n"
        begin = len(text.encode())
        text += "{\n" + "".join(f"    x[{j}] *= {rnd.randrange(9)};\n" for j in range(rnd.randrange(1, 9))) + "}\n"
        spans.append({"kind": "kernel", "name": f"k{i}", "begin": begin, "end": len(text.encode()) - 1})
        if rnd.random() < 0.5:
            begin = len(text.encode()) + len("int l() { k<<<1, 2>>>(0); }\n".split("<")[0])
            text += "int l() { k<<<1, 2>>>(0); }\n"
            spans.append({"kind": "launch", "name": "k", "begin": begin, "end": begin + 10})
        text += "\n" * rnd.randrange(0, 3)
    size, ends, end = len(text.encode()), [], 0
    while end < size and rnd.random() > 0.005:  # some are cut off
        end = min(size, end + rnd.randrange(1, 7))
        ends.append(end)
    return {"id": name, "response": text, "tag": {"spans": spans}, "score": {
        "model": "m", "end": ends, "confidence": [round(rnd.random(), 6) for _ in ends]}}


def kernels(records, size):
    """Mean, id, name, first and last line of each kernel's hardest window, by the definition."""
    out = []
    for r in records:
        ends, values, raw = r["score"]["end"], r["score"]["confidence"], r["response"].encode()
        begins = [0, *ends[:-1]]
        for span in r["tag"]["spans"]:
            own = [i for i in range(len(ends)) if begins[i] < span["end"] and ends[i] > span["begin"]]
            if span["kind"] != "kernel" or not own:
                continue
            length = min(size, len(own))
            mean, first = min((math.fsum(values[i:i + length]) / length, i)
                              for i in range(own[0], own[0] + len(own) - length + 1))
            text = raw[begins[first]:ends[first + length - 1]]
            visible = text.strip(b" \t\r\n")
            if not visible:
                continue
            at = begins[first] + text.index(visible[:1])
            lines = [raw[:at].count(b"\n") + 1, raw[:at + len(visible) - 1].count(b"\n") + 1]
            body = [raw[:span["begin"]].count(b"\n") + 1, raw[:span["end"] - 1].count(b"\n") + 1]
            out.append((mean, r["id"], span["name"], lines, body, len(own)))
    return out


def shown(text):
    """Of each kernel: id, name, file and line, tokens, the mean; numbers of the shown lines; counts of the left out."""
    out = []
    for part in text.split("\n\n"):
        head = re.match(r"kernel (\S+) of (\S+), (\S+), lines (\d+)(?:-(\d+))?  (\d+) tokens, mean ([0-9.]+), "
                        r"hardest window ([0-9.]+)\n", part)
        assert_that("a title", head, part[:200])
        # Lines of code have a number; the response's blank lines have one too.
        numbers = [int(n) for n in re.findall(r"^ *(\d+)(?: |$)", part, re.M)]
        left = [int(n) for n in re.findall(r"^ *\u2026 (\d+) lines?$", part, re.M)]
        out.append((head, numbers, left))
    return out


records = [record(f"r{i}") for i in range(40)]
path = room / "scored.jsonl"
path.write_text("".join(json.dumps(r) + "\n" for r in records))
count = {r["id"]: i + 1 for i, r in enumerate(records)}
lines_of = {r["id"]: r["response"].count("\n") for r in records}
for size in (4, 9, 256):
    wanted = sorted(kernels(records, size), key=lambda k: k[0])
    table = [row.split("\t") for row in
             run_tool(window, "--within", "kernel", "--top", 12, "--size", size, path).stdout.decode().split("\n")[:-1]]
    done = run_tool(view, "-q", "--hardest", 12, "--size", size, path)
    assert_that("exit code", done.returncode == 0, done.stderr)
    seen = shown(done.stdout.decode())
    assert_that("as the table", [(h[2], "kernel " + h[1]) for h, _, _ in seen] == [(row[2], row[4]) for row in table], table)
    for (head, numbers, left), (mean, name, kernel, lines, body, tokens) in zip(seen, wanted):
        assert_that("rank", abs(float(head[8]) - mean) < 0.00051, head[0], mean)
        assert_that("place", head[3] == f"{path}:{count[name]}", head[0])
        assert_that("the kernel's lines", [int(head[4]), int(head[5] or head[4])] == body and int(head[6]) == tokens, head[0], body)
        first, last = min(body[0], lines[0]), max(body[1], lines[1])
        assert_that("the kernel alone", numbers == list(range(first, last + 1)), numbers, body)
        assert_that("left out", sum(left) == lines_of[name] - len(numbers), left, numbers)
    for context in (0, 1, 3, 1000):
        done = run_tool(view, "-q", "--hardest", 5, "--size", size, "--context", context, path)
        for (head, numbers, left), (mean, name, kernel, lines, body, tokens) in zip(shown(done.stdout.decode()), wanted):
            first, last = max(1, lines[0] - context), min(lines_of[name], lines[1] + context)
            assert_that("context", numbers == list(range(first, last + 1)), numbers, lines, context)
            assert_that("counts", left == [n for n in (first - 1, lines_of[name] - last) if n], left)

# Whole records have a context too, and the page folds the same lines.
done = run_tool(view, "-q", "--id", "r3", "--size", 4, "--context", 1, path).stdout.decode()
numbers = [int(n) for n in re.findall(r"^ *(\d+)(?: |$)", done, re.M)]
row = [r.split("\t") for r in run_tool(window, "--clipped", "--size", 4, path).stdout.decode().split("\n") if "\tr3\t" in r][0]
first, last = map(int, row[3].split("-"))
assert_that("a record's context", numbers == list(range(max(1, first - 1), min(lines_of["r3"], last + 1) + 1)), numbers, row)
page = run_tool(view, "-q", "--hardest", 3, "--size", 9, "--context", 2, "--html", "-", path).stdout.decode()
heads = [json.loads(part.split("</script>")[0]) for part in page.split('class="head">')[1:]]
for head, (mean, name, kernel, lines, body, tokens) in zip(heads, sorted(kernels(records, 9), key=lambda k: k[0])):
    assert_that("the page's kernel", (head["id"], head["kernel"]["name"], head["kernel"]["tokens"]) == (name, kernel, tokens), head)
    first, last = max(1, lines[0] - 2), min(lines_of[name], lines[1] + 2)
    assert_that("the page's lines", head.get("shown", [0, lines_of[name]]) == [first - 1, last], head, lines)

# Without kernels there is nothing to rank, which is said; whole records still can be.
bare = room / "bare.jsonl"
bare.write_text("".join(json.dumps({k: v for k, v in r.items() if k != "tag"}) + "\n" for r in records))
assert_exit("no kernels", run_tool(view, "-q", "--hardest", 2, bare), 1, "no record has a tagged kernel", "cuset-tag", "--within response")
done = run_tool(view, "-q", "--hardest", 2, "--within", "response", bare)
assert_that("whole records", done.returncode == 0 and done.stdout.decode().count("hardest window") == 2, done)
done = run_tool(view, "-q", "--hardest", 2, data=b"")
assert_that("nothing of nothing", done.returncode == 0 and not done.stdout, done)
assert_exit("context", run_tool(view, "--context", "-2", path), 2, "--context")
