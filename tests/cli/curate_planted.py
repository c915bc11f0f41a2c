#!/usr/bin/env python3
"""cuset-curate --against finds copies of a benchmark's programs that somebody has disguised: with other names, other
comments, another layout and functions in another order, alone and all together, and with other code around them; and
tells which task it was. Programs of the same kind that are no copies are kept."""

import json
import pathlib
import os
import random
import re

from _tool import assert_exit, assert_that, built, json_lines, room, run_tool

curate = built("cuset-curate")
seed = random.randrange(10**6)
print("seed", seed)
rng = random.Random(seed)
examples = pathlib.Path(os.environ["CUSET_SOURCE"]) / "examples"


def rows(name):
    return [json.loads(l) for l in (examples / name).read_text(encoding="utf-8").splitlines()]


# Programs without prose around them.
programs = {r["id"]: r["bench.cu"] for r in rows("tasks.jsonl")}
programs |= {r["id"]: r["response"] for r in rows("pairs.jsonl") if "```" not in r["response"] and 'R"' not in r["response"]}
token = re.compile(r'//[^\n]*|/\*.*?\*/|"(?:\\.|[^"\\\n])*"|\'(?:\\.|[^\'\\\n])*\'|\w+|\s+|.', re.S)
declared = re.compile(r"\b(?:void|int|float|double|auto|bool|size_t|half|string|>)\s*[*&]*\s*(?:__restrict__\s+)?([a-z]\w*)")
kept_names = {"main", "int", "float", "double", "const", "return", "operator", "threadIdx", "blockIdx", "blockDim", "gridDim"}


def renamed(code):
    names = sorted(set(declared.findall(code)) - kept_names)
    rng.shuffle(names)
    new = {n: f"{rng.choice('abcdefgh')}{rng.choice(['value', 'Buf', '_x'])}{i}" for i, n in enumerate(names)}
    return "".join(new.get(t, t) for t in token.findall(code))


def commented(code):
    out = ""
    for t in token.findall(code):
        out += f"/* note {rng.randrange(999)} */" if t[:2] in ("//", "/*") else t
        if t == ";" and rng.random() < 0.2:
            out += " // and so on\n" if not out.rpartition("\n")[2].lstrip().startswith("#") and "\\\n" not in code else " /* and so on */"
    return out


def laid_out_anew(code):
    out = ""
    for line in code.split("\n"):
        if line.lstrip().startswith("#") or line.endswith("\\") or out.endswith("\\\n"):
            out += line + "\n"
            continue
        for t in token.findall(line):
            out += rng.choice([" ", "\t", "\n  "]) if t.isspace() else t + "\n" if t.startswith("//") else t
            if t in (";", "{", "}"):
                out += rng.choice(["", " ", "\n"])
        out += "\n"
    return out


def reordered(code):
    """The functions and other parts of the file, shuffled."""
    parts, part, depth = [], "", 0
    for line in code.split("\n"):
        part += line + "\n"
        bare = re.sub(r'"(?:\\.|[^"\\])*"|\'(?:\\.|[^\'\\])*\'|//.*', "", line)
        depth += bare.count("{") - bare.count("}")
        if depth == 0 and bare.rstrip().endswith("}"):
            parts.append(part)
            part = ""
    parts.append(part)
    rng.shuffle(parts)
    return "".join(parts)


host = """#include <cstdio>
#include <vector>
struct own_timer { cudaEvent_t from, to; float stop() { float ms; cudaEventRecord(to); cudaEventSynchronize(to);
    cudaEventElapsedTime(&ms, from, to); return ms; } };
static bool is_close(const std::vector<double>& wanted, const std::vector<double>& got) {
    for (size_t i = 0; i < wanted.size(); ++i)
        if (fabs(wanted[i] - got[i]) > 1e-6 * fabs(wanted[i])) { printf("%zu: %g %g", i, wanted[i], got[i]); return false; }
    return true; }
"""


def with_other_code(code):
    return host + code + host.replace("own_timer", "other_timer").replace("is_close", "is_near")


disguises = {"as it is": [], "other comments": [commented], "another layout": [commented, laid_out_anew], "other names": [renamed],
             "another order": [reordered], "other names and comments": [renamed, commented],
             "all of them": [reordered, renamed, commented, laid_out_anew],
             "all of them in other code": [reordered, renamed, commented, laid_out_anew, with_other_code]}
planted = []
for id, code in programs.items():
    for name, steps in disguises.items():
        text = code
        for step in steps:
            text = step(text)
        planted.append({"id": f"{id}|{name}", "prompt": "p", "response": f"Like this:\n```cuda\n{text}\n```\nIt is fast."})


def screened(bench, given):
    (room / "bench").write_bytes(json_lines({"id": i, "bench.cu": c} for i, c in bench.items()))
    done = run_tool(curate, "--plain", "-q", "--duplicates", "none", "--against", room / "bench", "--rejects", room / "rejects", data=given)
    assert_exit("screening", done, 0)
    return {r["id"]: r["curate"] for r in map(json.loads, (room / "rejects").read_bytes().splitlines())}


reported = screened(programs, planted)
assert_that("every copy is found", len(reported) == len(planted), sorted({r["id"] for r in planted} - set(reported)))
# Two tasks that differ in a size share runs of tokens, which another order or other names may leave as all that is alike.
wrong = [i for i, r in reported.items() if r["task"] != i.split("|")[0] and (r["by"] == "similar code" or "order" not in i and
                                                                        "names" not in i and "all" not in i)]
assert_that("the task is told", not wrong, [(i, reported[i]["task"], reported[i]["by"], reported[i]["index"]) for i in wrong])
assert_that("the text is told", all(r["shared"] and r["by"] in ("tokens", "similar code", "renamed tokens") for r in reported.values()))

# Of the others, which are no copies, idioms alone may be shared: 50 tokens as they are spelled, and hardly 100 under other names.
tasks = {r["id"]: r["bench.cu"] for r in rows("tasks.jsonl")}
ids = sorted(set(programs) - set(tasks))
for bench, others in ((tasks, ids), ({i: programs[i] for i in ids[::2]}, ids[1::2])):
    reported = screened(bench, [{"id": i, "prompt": "p", "response": renamed(programs[i])} for i in others])
    alike = [(i, r["task"], r["by"]) for i, r in reported.items() if r["by"] != "tokens"]
    assert_that("other programs are no copies", len(alike) <= 1, alike)
