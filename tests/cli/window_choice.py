"""cuset-window's table and cuset-view say the same of which window is the hardest, for each choice of windows: full
ones, --clipped ones, and those without comments, as this computes them by the definition."""

import json
import math
import random
import re

from _tool import assert_exit, assert_that, built, room, run_tool

view, window = built("cuset-view"), built("cuset-window")
seed = 20261129
print("seed", seed)
rnd = random.Random(seed)


def record(name):
    """Lines of code and of comments, a token a word, the blank before it included."""
    text, ends, kinds, roles = "", [], [], []
    for _ in range(rnd.randrange(2, 12)):
        is_comment = rnd.random() < 0.4
        begin = len(text)
        for i in range(rnd.randrange(1, 9)):
            word = ("// " if is_comment and i == 0 else "") + "".join(rnd.choices("abcxyz", k=rnd.randrange(1, 6)))
            text += (" " if i else "") + word
            ends.append(len(text))
            kinds.append(is_comment)
        if is_comment:
            roles.append(["comment", begin, len(text)])
        text += "\n"
        ends[-1] = len(text)
    tag = {"spans": [{"kind": "kernel", "name": "k", "begin": 0, "end": len(text)}], "roles": roles}
    return {"id": name, "response": text, "tag": tag, "score": {
        "model": "m", "end": ends, "confidence": [round(rnd.uniform(0.05, 1), 6) for _ in ends]}}, kinds


def hardest(values, size, clipped):
    if len(values) < size:
        return math.fsum(values) / len(values) if values else 1
    windows = [values[max(0, t - size // 2):min(len(values), t + (size + 1) // 2)] for t in range(len(values))]
    return min(math.fsum(w) / len(w) for w in windows if clipped or len(w) == size)


made = [record(f"r{i}") for i in range(40)]
file = room / "scored.jsonl"
file.write_text("".join(json.dumps(r) + "\n" for r, _ in made))
seen = set()
for size in (3, 8):
    for clipped in (False, True):
        for drops in (False, True):
            words = [f"--size={size}", *(["--clipped"] if clipped else []), *(["--comments=drop"] if drops else [])]
            wanted = {r["id"]: hardest([c for c, k in zip(r["score"]["confidence"], kinds) if not (drops and k)], size, clipped)
                      for r, kinds in made}
            seen.add(round(sum(wanted.values()), 6))
            for within in ("response", "kernel"):
                done = run_tool(window, *words, f"--within={within}", file)
                rows = {line.split("\t")[2]: float(line.split("\t")[0]) for line in done.stdout.decode().splitlines()}
                for name, mean in wanted.items():
                    assert_that(f"{words} {within} {name}", math.isclose(rows[name], mean, abs_tol=2e-6), (rows[name], mean))
            for hardest_of in ([], ["--hardest=100", "--within=response"], ["--hardest=100"]):
                text = run_tool(view, *words, *hardest_of, "--color=never", file).stdout.decode()
                shown = dict(re.findall(r"^(?:kernel k of )?(r\d+)\b.*hardest window (\d\.\d+)", text, re.M))
                for name, mean in wanted.items():
                    assert_that(f"{words} {hardest_of} {name}", abs(float(shown.get(name, 9)) - mean) <= 6e-4,
                                (shown.get(name), mean))
assert_that("the choices differ", len(seen) == 8, seen)

# Comments are known by roles alone; a record's own window is that of all tokens.
bare = room / "bare.jsonl"
bare.write_text(json.dumps({**made[0][0], "tag": {"spans": []}}) + "\n")
for tool in (view, window):
    assert_exit(tool.name, run_tool(tool, "--comments=drop", bare), 1, "bare.jsonl:1", "cuset-tag --roles")
assert_exit("records", run_tool(window, "--records", "--comments=drop", file), 2, "--comments")
own = room / "own.jsonl"
own.write_bytes(run_tool(window, "--records", "--plain", "--size=8", file).stdout)
for words, same in (([], True), (["--clipped"], False), (["--comments=drop"], False)):
    text = run_tool(view, *words, "--color=never", own).stdout.decode()
    shown = re.findall(r"hardest window (\d\.\d+)", text)
    stored = [json.loads(line)["window"]["min"] for line in own.read_text().splitlines()]
    assert_that(f"a record's own window {words}", same == all(
        abs(float(a) - b) < 6e-4 for a, b in zip(shown, stored, strict=True)), (shown, stored))
