"""A model is asked in sampling what it is trained and scored on: 30 tasks give the same tokens as the
messages that --show prints, in each of the three tools. The ask is a part of what --resume goes on from."""

import json

import _tiny_model as tiny
from _tasks import harness_task, messages_of, problem, scaling
from _tool import assert_exit, assert_that, built, room, run_tool

sample, score, train = (built(f"cuset-{name}") for name in ("sample", "score", "train"))
model = tiny.write(room / "model")


def run(tool, *words, data=b""):
    return run_tool(tool, "--model", model, "--template=chatml", "--device=cpu", "-q", *words, data=data)


def records(name, done):
    assert_exit(name, done, 0)
    return [json.loads(line) for line in done.stdout.decode().split("\n")[:-1]]


tasks = [scaling(i) for i in range(28)] + [
    {**problem, "id": "problem", "bench.cu": "solution"}, {**harness_task, "bench.cu": "solution"}]
asked = [messages_of(run_tool(sample, "--show", data=[t]).stdout.decode()) for t in tasks]
# A program stands in the fence that the rules want; what is no program stands as it is.
framed = [(t["id"], *(("```cpp\n", "```") if t["id"] in range(28) else ("", ""))) for t in tasks]
as_messages = [{"id": t["id"], "messages": [*m, {"role": "assistant", "content": before + t["bench.cu"] + after}]}
               for t, m, (_, before, after) in zip(tasks, asked, framed)]
questions = [{"id": t["id"], "messages": m} for t, m in zip(tasks, asked)]

# Sampling: a candidate's key is a hash of the prompt's tokens, among others.
quick = ("--plain", "--max-new-tokens=4")
found = records("sampling tasks", run(sample, *quick, data=tasks))
assert_that("sampling", len(found) == 30 and found == records("sampling messages", run(sample, *quick, data=questions)))
assert_that("asked otherwise", not {r["key"] for r in found} & {
    r["key"] for r in records("plain", run(sample, "--prompt-field=level1_prompt", *quick, data=tasks[:28]))})

# Scoring: the confidences depend on every token before them.
scored = records("scoring tasks", run(score, "--plain", "--response-field=bench.cu", data=tasks))
of_messages = records("scoring messages", run(score, "--plain", data=as_messages))
assert_that("scoring", [{**r["score"], "end": 0} for r in scored] == [{**r["score"], "end": 0} for r in of_messages])
# A token is a byte here. Those of the fence end where the program begins, or where it ends.
assert_that("where tokens end", [r["score"]["end"] for r in scored] == [
    [0] * len(before) + [*range(1, len(t["bench.cu"]) + 1)] + [len(t["bench.cu"])] * (len(after) + 2)
    for t, (_, before, after) in zip(tasks, framed)], scored[0]["score"]["end"])

# Training: its hash of the data is one of all tokens, which are bytes in this vocabulary.
begin, end = (256 + i for i in range(2))


def tokens_of(conversation):
    ids = []
    for message in conversation:
        ids += [begin, *f"{message['role']}\n{message['content']}".encode(), end, *b"\n"]
    return ids + [begin, *b"assistant\n"]


def data_hash(pairs):
    value = 0xcbf29ce484222325

    def mix(number):
        nonlocal value
        value = (value ^ number) * 0x100000001b3 % 2**64
    for name, prompt, response in pairs:
        for number in [*prompt, *response, *[0] * len(response), len(prompt)]:
            mix(number)
        key = 0xcbf29ce484222325
        for byte in str(name).encode():
            key = (key ^ byte) * 0x100000001b3 % 2**64
        mix(key)
    return f"{value:016x}"


def settings(folder):
    return json.loads((folder / "run.json").read_text())["settings"]


sft = ("--objective=sft", "--max-steps=1", "--max-tokens=8192")
assert_exit("training on tasks", run(train, *sft, "--response-field=bench.cu", "-o", room / "tasks", data=tasks), 0)
assert_exit("training on messages", run(train, *sft, "-o", room / "messages", data=as_messages), 0)
wanted = data_hash((t["id"], tokens_of(m["messages"][:-1]), [*m["messages"][-1]["content"].encode(), end, *b"\n"])
                   for t, m in zip(tasks, as_messages))
assert_that("training", settings(room / "tasks")["data_hash"] == settings(room / "messages")["data_hash"] == wanted,
            settings(room / "tasks")["data_hash"], wanted)
assert_that("what asked", settings(room / "tasks")["ask"] == "computeeval, cudabench level 1, harness"
            and "ask" not in settings(room / "messages"), settings(room / "tasks"))

# What --resume goes on from.
again = ("--response-field=bench.cu", "--resume", "-o", room / "tasks")
assert_exit("the same ask", run(train, *sft, *again, data=tasks), 0)
assert_exit("another ask", run(train, *sft, "--level=2", *again, data=tasks), 2,
            'ask "computeeval, cudabench level 2, harness" (there "computeeval, cudabench level 1, harness")', "data_hash")
ask = room / "own.ask"
ask.write_text("--- system\n{file:rules}\n--- user\n{level_prompt}\n")
(room / "rules").write_text("Short.\n")
log = room / "kept.jsonl"


def resumed(*words):
    return run(sample, *quick, "--resume", log, "--ask", ask, *words, data=tasks[:5])


first = records("kept", resumed())
before = log.read_bytes()
assert_exit("the level is a part of the ask", resumed("--level=2"), 2, "another model, prompt or setting")
(room / "rules").write_text("Long.\n")
assert_exit("and so is a file of it", resumed(), 2, "another model, prompt or setting")
(room / "rules").write_text("Short.")  # the newline at the end is not
assert_that("gone on", records("gone on", resumed()) == first and log.read_bytes() == before)
own = run(train, *sft, "--response-field=bench.cu", "--ask", ask, "-o", room / "own", data=tasks[:5])
assert_exit("an ask file", own, 0)
assert_that("an ask file", settings(room / "own")["ask"].startswith("file "), settings(room / "own"))
