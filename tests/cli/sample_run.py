"""This runs cuset-sample with a model of a few kilobytes. It tests that answers are the same with
any batch, order and thread count, interrupted and continued runs, the ends of answers, and errors
in the input."""

import json
import random
import shutil
import subprocess

import _tiny_model as tiny
from _tool import assert_exit, assert_that, built, environment, kill_at, room

tool = built("cuset-sample")
model = tiny.write(room / "model")


def command(*words):
    return [tool, "--model", model, "--template=chatml", "--device=cpu", *map(str, words)]


def run(*words, data=None, **variables):
    return subprocess.run(command(*words), input=data, capture_output=True,
                          env=environment(**variables), timeout=600)


def lines_of(*words, **more):
    done = run("--plain", "-q", *words, **more)
    assert_that(f"exit code of {words}", done.returncode == 0, done.stderr.decode())
    return lines_in(done.stdout)


def lines_in(text):
    """str.splitlines() also splits at characters that a model may write."""
    return text.decode().split("\n")[:-1]


def write(name, *records):
    path = room / name
    path.write_text("".join(json.dumps(r) + "\n" for r in records))
    return path


tasks = [{"id": i, "level1_prompt": f"write kernel {i} " * (i % 4 + 1), "bench.cu": "x"}
         for i in range(9)]
path = write("tasks.jsonl", *tasks)
plain = ("-n3", "--max-new-tokens=30")

# The same bytes, whatever way they are made.
first = lines_of(*plain, "--batch=1", "-t1", path)
records = [json.loads(line) for line in first]
assert_that("order", [(r["task"], r["sample"]) for r in records]
            == [(t["id"], s) for t in tasks for s in range(3)])
assert_that("samples differ", len({r["response"] for r in records}) > 20)
for options in (("--batch=8",), ("--batch=5", "-t2"), ("--batch=100", "-t3"), ("--draft=0",),
                ("--draft=64", "--batch=3", "-t2")):
    assert_that(f"{options}", lines_of(*plain, *options, path) == first)
# From so many logits several threads draw.
known = tiny.vocabulary
tiny.vocabulary = known + [f"w{i}" for i in range(40000)]
wide = ("--model", tiny.write(room / "wide"), "-n4", "--max-new-tokens=12", "--temperature=2", "--confidence")
tiny.vocabulary = known
alone = lines_of(*wide, "--batch=1", "-t1", path)
for options in (("--batch=36", "-t3"), ("--batch=36", "-t2", "--draft=0"), ("--batch=36", "-t1")):
    assert_that(f"many logits, {options}", lines_of(*wide, *options, path) == alone)
likeliest = ("--temperature=0", "--max-new-tokens=200", "--max-tokens=230", path)  # repeats itself
alone = lines_of("--draft=0", *likeliest)
for options in (("--draft=1",), ("--draft=9", "--batch=2"), ("--draft=64", "-t2")):
    assert_that(f"{options}", lines_of(*options, *likeliest) == alone)
shuffled = list(tasks)
random.Random(7).shuffle(shuffled)
assert_that("order of tasks", sorted(lines_of(*plain, write("shuffled.jsonl", *shuffled))) == sorted(first))
assert_that("fewer samples", lines_of("-n1", "--max-new-tokens=30", path) == first[::3])
assert_that("another seed", set(lines_of(*plain, "--seed=1", path)).isdisjoint(first))
parts = sorted(line for i in range(3) for line in lines_of(*plain, "--shard", f"{i}/3", path))
assert_that("shards", parts == sorted(first))
packed = run(*plain, "-q", path)
assert_that("zstd", lines_in(subprocess.run(["zstd", "-dc"], input=packed.stdout,
                                            capture_output=True).stdout) == first)
greedy = [[json.loads(line)["response"] for line in lines_of(*plain, *options, path)]
          for options in (("--temperature=0",), ("--temperature=0", "--seed=3"), ("--top-k=1",),
                          ("--top-p=1e-9",))]
assert_that("greedy", greedy[0] == [r for r in greedy[0][::3] for _ in range(3)] and len(set(greedy[0])) > 1
            and all(responses == greedy[0] for responses in greedy), greedy)

# The ends of answers.
for r in records:
    assert_that("length", (r["finish"] == "length") == (r["tokens"] == 30), r)
ends = list(range(0, len(tiny.vocabulary), 19)) + [tiny.vocabulary.index("<|im_end|>")]
with_ends = tiny.write(room / "ending")
(with_ends / "generation_config.json").write_text(json.dumps({"eos_token_id": ends}))
ended = [json.loads(line) for line in lines_of(*plain, "--model", with_ends, path)]
assert_that("ends", {r["finish"] for r in ended} == {"stop", "length"}, [r["finish"] for r in ended])
for before, after in zip(records, ended):
    assert_that("ends", after["tokens"] <= 30 and (after["tokens"] == 30 or after["finish"] == "stop"), after)
    assert_that("ends", before["response"].startswith(after["response"].rstrip("\ufffd")), before, after)
small = [json.loads(line) for line in lines_of(*plain, "--batch=2", "--model", with_ends, path)]
assert_that("ends in a small batch", small == ended)
(with_ends / "generation_config.json").unlink()
changed = json.loads((with_ends / "config.json").read_text()) | {"eos_token_id": ends}
(with_ends / "config.json").write_text(json.dumps(changed))
assert_that("ends of config.json", [json.loads(line)["response"]
                                    for line in lines_of(*plain, "--model", with_ends, path)]
            == [r["response"] for r in ended])
short = [json.loads(line) for line in lines_of("--max-tokens=150", "--max-new-tokens=140", path)]
assert_that("context", len({r["tokens"] for r in short if r["finish"] == "length"}) > 1
            and max(r["tokens"] for r in short) < 140, short)

# Tasks of every shape.
shapes = write("shapes.jsonl", {"id": "p", "prompt": "hello"}, {"id": "q", "prompt": "hello",
               "response": "x"}, {"id": "m", "messages": [{"role": "user", "content": "hello"}]},
               {"id": "n", "messages": [{"role": "user", "content": "hello"},
                                        {"role": "assistant", "content": "x"}]},
               {"id": "c", "conversations": [{"from": "human", "value": "hello"}]},
               {"id": "i", "instruction": "hello"}, {"prompt": "hello"})
found = [json.loads(line) for line in lines_of("--temperature=0", "--max-new-tokens=9", shapes)]
assert_that("shapes", [r["task"] for r in found] == ["p", "q", "m", "n", "c", "i", 7]
            and len({r["response"] for r in found}) == 1, found)
other = write("other.jsonl", {"id": 1, "level1_prompt": "a", "level2_prompt": "hello", "bench.cu": ""})
assert_that("prompt field", json.loads(lines_of("--temperature=0", "--max-new-tokens=9",
                                                "--prompt-field=level2_prompt", other)[0])["response"]
            == found[0]["response"])
(room / "system").write_text("Be brief.\n")
asked = write("system.jsonl", {"id": "p", "messages": [{"role": "system", "content": "Be brief."},
                                                      {"role": "user", "content": "hello"}]})
both = [lines_of("--temperature=0", "--max-new-tokens=9", asked),
        lines_of("--temperature=0", "--max-new-tokens=9", "--system", room / "system",
                 write("p.jsonl", {"id": "p", "prompt": "hello"}))]
assert_that("system", both[0] == both[1] and json.loads(both[0][0])["response"] != found[0]["response"], both)

# Interrupted and continued: the output is the same, and nothing is made twice.
log = room / "kept.jsonl"
long = ("-n3", "--max-new-tokens=300", "--max-tokens=2000", "-t1")
whole = lines_of(*long, path)
for lines, given in ((1, 3), (9, 6), (17, 8)):  # a run that never gets its last tasks cannot end
    process = subprocess.Popen(command(*long, "-q", "--batch=1", "--resume", log),
                               stdin=subprocess.PIPE, stdout=subprocess.DEVNULL)
    process.stdin.write("".join(path.read_text().splitlines(True)[:given]).encode())
    process.stdin.flush()
    kill_at(lines, log, process)
    process.stdin.close()
with open(log, "a", encoding="utf-8") as file:
    file.write('{"task":8,"sam')
before = lines_in(log.read_bytes())
assert_that("interrupted", lines_of(*long, "--resume", log, path) == whole)
after = lines_in(log.read_bytes())
assert_that("nothing made twice", 17 <= len(before) < 27 and after[:len(before)] == before
            and sorted(after) == sorted(whole), len(before), len(after))
again = run(*long, "--plain", "--resume", log, path)
assert_that("gone on from the end", lines_in(again.stdout) == whole
            and b"27 candidates were already in" in again.stderr, again.stderr)
assert_that("more samples", [json.loads(line)["sample"] for line in
                             lines_of("-n4", *long[1:], "--resume", log, path)] == [0, 1, 2, 3] * 9)


def bad(name, code, words, *options, **more):
    assert_exit(name, run("-q", *options, **more), code, *words)


twin = room / "elsewhere/model"
shutil.copytree(model, twin)
assert_that("a copy of the model", lines_of(*long, "--resume", log, "--model", twin, path) == whole)
weights = (twin / "model.safetensors").read_bytes()
(twin / "model.safetensors").write_bytes(weights[:-2] + b"\x12\x34")
bad("another model of that name", 2, ["kept.jsonl", "another model"], *long, "--model", twin, "--resume",
    log, path)
for text in ("{\"a\": 1}", "some text\nand more"):
    other_file = room / "other-file"
    other_file.write_text(text)
    bad("another's file", 2, ["other-file"], *plain, "--resume", other_file, path)
    assert_that("another's file", other_file.read_text() == text, other_file.read_text())
bad("rejects as log", 2, ["same file"], *plain, "--on-error=skip", "--rejects", room / "y", "--resume",
    room / "y", path)
bad("another setting", 2, ["kept.jsonl", "another model"], *long, "--temperature=0.5", "--resume", log, path)
bad("another file", 1, [":1:"], *plain, "--resume", shutil.copy(path, room / "copy.jsonl"), path)
bad("input as log", 2, ["same file"], *plain, "--resume", path, path)
bad("output as log", 2, ["same file"], *plain, "--resume", room / "x", "-o", room / "x", path)
for option in ("--temperature=-1", "--temperature=nan", "--top-p=0", "--top-p=1.5", "--top-k=-1",
               "-n0", "--batch=0", "--max-new-tokens=0", "--request-timeout=0"):
    bad(option, 2, [option.split("=")[0].replace("-n0", "samples")], option, path)
bad("options of the server", 2, ["--endpoint"], "--endpoint=http://127.0.0.1:1/v1", path)
bad("no model", 1, ["nowhere"], "--model", room / "nowhere", path)
bad("no tasks", 1, ["absent"], room / "absent")
bad("no system", 1, ["absent"], "--system", room / "absent", path)
bad("a folder", 1, ["model"], "--system", model, path)
for name, line, words in (
        ("no JSON", "{", ["2:"]), ("no prompt", '{"id":99}', ["2:", "prompt"]),
        ("again", json.dumps(tasks[0]), ["2:", '"0"']),
        ("answered already", json.dumps({"messages": [{"role": "assistant", "content": "x"}]}), ["2:"]),
        ("too long", json.dumps({"id": 99, "prompt": "long " * 2000}), ["2:", "--max-tokens"])):
    stream = (json.dumps(tasks[0]) + "\n" + line + "\n" + json.dumps(tasks[1]) + "\n").encode()
    bad(name, 1, words, *plain, data=stream)
    done = run("--plain", "-q", *plain, "--on-error=skip", "--rejects", room / "rejects", data=stream)
    assert_that(name, done.returncode == 3 and lines_in(done.stdout) == first[:6]
                and (room / "rejects").read_text() == line + "\n", done)
assert_that("no task", lines_of(data=b"") == [])
gone = subprocess.run(["bash", "-c", 'set -o pipefail; "$@" | head -n 1 | wc -l; echo ${PIPESTATUS[0]}',
                       "bash", *command(*long, "--plain", "-q", path)], capture_output=True, text=True)
assert_that("reader gone", gone.stdout.split() == ["1", "141"], gone)
# A program that writes a task and waits for its answer gets it.
talk = subprocess.Popen(command("--plain", "-q", "--max-new-tokens=5", "--batch=4"),
                        stdin=subprocess.PIPE, stdout=subprocess.PIPE)
for t in tasks[:3]:
    talk.stdin.write((json.dumps(t) + "\n").encode())
    talk.stdin.flush()
    assert_that("a conversation", json.loads(talk.stdout.readline())["task"] == t["id"])
talk.stdin.close()
assert_that("a conversation", talk.wait() == 0)
