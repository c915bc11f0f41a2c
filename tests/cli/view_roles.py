"""cuset-view --roles marks the tokens that cuset-tag --roles has named, in every mode of colours, on
the terminal and on the page, and nothing else."""

import json
import os
import pathlib
import random
import re

from _tool import assert_exit, assert_that, built, room, run_tool

view, tag = built("cuset-view"), built("cuset-tag")
seed = 20261124
print("seed", seed)
rnd = random.Random(seed)
NAMES = ["index", "bound", "memory", "sync", "launch", "transfer", "arithmetic", "host", "comment"]


source = pathlib.Path(os.environ["CUSET_SOURCE"]) / "examples" / "pairs.jsonl"
tagged = room / "tagged.jsonl"
run_tool(tag, "--roles", source, "-o", tagged)
records = []
for line in tagged.read_text(encoding="utf-8").splitlines()[:12]:
    r = json.loads(line)
    # A tab, and a wide character in a comment, stand before code.
    r["response"] = r["response"].replace("    ", "\t", 3)
    r = json.loads(run_tool(tag, "--roles", "--plain", data=json.dumps(r).encode()).stdout)
    size, ends = len(r["response"].encode()), []
    while not ends or ends[-1] < size:
        ends.append(min(size, (ends[-1] if ends else 0) + rnd.randrange(1, 7)))
    r["score"] = {"model": "m", "end": ends, "confidence": [round(rnd.random(), 4) for _ in ends]}
    records.append(r)
path = room / "scored.jsonl"
path.write_text("".join(json.dumps(r) + "\n" for r in records))


def marks(record, chosen):
    """For each line the row that should stand under it, without blanks at its end."""
    raw, out = record["response"].encode(), {}
    role = [None] * len(raw)
    for number, (name, begin, end) in enumerate(record["tag"]["roles"]):
        if name in chosen:
            role[begin:end] = [(name[0], number)] * (end - begin)
    at = 0
    for number, line in enumerate(raw.split(b"\n")):
        row, before, indent = "", None, True
        for c in line.decode():
            indent = indent and c in " \t"
            columns = 4 - len(row) % 4 if c == "\t" else 1
            here = None if indent else role[at]
            row += (" " if here is None else "\u2500" if here == before else here[0]) + \
                ("\u2500" if here else " ") * (columns - 1)
            before = here
            at += len(c.encode())
        at += 1
        if row.strip():
            out[number + 1] = row.rstrip()
    return out


def shown(text):
    """The rows under lines of code, by the line's number."""
    out, number = {}, 0
    for line in text.split("\n"):
        found = re.match(r" *(\d+) ", line)
        if found:
            number = int(found[1])
        elif re.match(r" {13}[ \u2503]. ?[ \u2502]?[ a-z\u2500]*", line) and re.search("[a-z]", line) and "\u250c" not in line:
            out[number] = line[16:].rstrip(" \u2502")
    return out


def stripped(text):
    return re.sub(r"\x1b\[[0-9;]*m", "", text)


for record in records:
    lines = record["response"].count("\n")
    if lines > 990 or not record["response"].isascii():
        continue
    for words, chosen in (("all", NAMES), ("index,bound", ["index", "bound"]), (rnd.choice(NAMES), None)):
        chosen = chosen or [words]
        data = json.dumps(record).encode()
        done = run_tool(view, "-q", "--roles", words, "--size", 16, data=data)
        assert_that("exit code", done.returncode == 0, done.stderr)
        text = done.stdout.decode()
        legend, body = text.split("\n", 1)
        assert_that("legend", re.findall(r"(\w)\u2500 (\w+)", legend) == [(n[0], n) for n in NAMES if n in chosen], legend)
        wanted, seen = marks(record, chosen), shown(body)
        assert_that("rows", seen == wanted, record["id"], words,
                    [(k, seen.get(k), wanted.get(k)) for k in sorted({*seen, *wanted}) if seen.get(k) != wanted.get(k)][:3])
        for variables in ({}, {"COLORTERM": "truecolor"}):
            for theme in ("dark", "light"):
                colored = run_tool(view, "-q", "--roles", words, "--size", 16, "--color=always", "--theme", theme, data=data,
                              **variables).stdout.decode()
                assert_that("in colour", shown(stripped(colored)) == wanted, record["id"], variables)
                assert_that("coloured", not wanted or re.search(r"\x1b\[38;5;\d+m[a-z]", colored))
        # Without the option nothing changes.
        assert_that("off", shown(run_tool(view, "-q", "--size", 16, data=data).stdout.decode()) == {})

page = run_tool(view, "-q", "--roles", "all", "--html", "-", path).stdout.decode()
for part, record in zip(page.split('class="body">')[1:], records):
    body = json.loads(part.split("</script>")[0])
    raw, role = record["response"].encode(), {}
    for name, begin, end in record["tag"]["roles"]:
        role[name] = role.get(name, "") + "".join(raw[begin:end].decode().split())
    reported = {}
    for piece, begin, end, number in body["roles"]:
        text = body["text"][piece].encode("utf-16-le")[2 * begin:2 * end].decode("utf-16-le")
        reported[NAMES[number]] = reported.get(NAMES[number], "") + "".join(text.split())
    assert_that("the page's roles", reported == role, record["id"])
bare = json.loads(run_tool(view, "-q", "--html", "-", path).stdout.decode().split('class="body">')[1].split("</script>")[0])
assert_that("a page without", bare["roles"] == [])

# A narrow terminal: a role's letter comes again in each row, and nothing is wider.
text = run_tool(view, "-q", "--roles", "all", "--width", 50, "--size", 16, path).stdout.decode()
wide = [line for line in text.split("\n") if len(line) > 50 and "tokens, mean" not in line
        and not line.startswith("roles ") and line.isascii()]
assert_that("narrow", not wide, wide[:3])

assert_exit("no role", run_tool(view, "--roles", "index,bounds", path), 2, "'bounds' is no role", "did you mean bound")
done = run_tool(view, "--roles", "all", data=json.dumps({k: v for k, v in records[0].items() if k != "tag"} | {"tag": {"spans": []}}).encode())
assert_that("without roles", done.returncode == 0 and b'1 records have no "tag.roles"' in done.stderr, done.stderr)
for name, roles in (("no role is called", [["idx", 0, 1]]), ("reach past", [["index", 0, 10**6]])):
    assert_exit(name, run_tool(view, "-q", "--roles", "all", data=json.dumps(records[0] | {"tag": {"spans": [], "roles": roles}}).encode()),
                1, '"tag.roles"', name)
