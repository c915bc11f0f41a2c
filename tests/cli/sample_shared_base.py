"""Processes that share the model (cuset-sample --shard-base) give the answers of one process."""

import json
import socket
import subprocess
import time

import _tiny_model as tiny
from _processes import ends, started
from _tool import assert_exit, assert_that, built, room, run_tool

sample = built("cuset-sample")
tiny.layers = 5
model = tiny.write(room / "model")
host = socket.gethostname()
tasks = room / "tasks.jsonl"
tasks.write_text("".join(json.dumps({"id": f"t{i}", "prompt": f"scale {'very ' * i}much"}) + "\n" for i in range(7)))
common = ("--model", model, "--template=chatml", "--device=cpu", "-t1", "-q", "--plain", "--max-tokens=400")


def sampled(size, out, *options, **variables):
    command = [sample, *common, "--shard-base", "-n3", "--max-new-tokens=40", *options, "-o", room / out, tasks]
    done = ends(started([command] * size, **variables), patience=300)
    assert_that(f"{out}: {size} processes end", done == [("", 0)] * size, done)
    return (room / out).read_bytes()


for name, options, sizes in (("f32", (), (2, 3)), ("bf16", ("--dtype=bf16", "--confidence", "--draft=0"), (2,)),
                             ("greedy", ("--temperature=0", "--batch=2"), (2,))):
    alone = sampled(1, f"{name} 1", *options)
    assert_that(f"{name}: answers", len({json.loads(line)["response"] for line in alone.splitlines()}) >= 5, alone)
    for size in sizes:
        assert_that(f"{name}: {size} processes", alone == sampled(size, f"{name} {size}", *options))
usual = run_tool(sample, *common, "-n3", "--max-new-tokens=40", tasks)
assert_exit("the usual pass", usual, 0)
same = [json.loads(a)["response"] == json.loads(b)["response"]
        for a, b in zip(usual.stdout.splitlines(), (room / "f32 2").read_bytes().splitlines(), strict=True)]
# In float, rounding changes the drawn token of few answers.
assert_that("near the usual pass", sum(same) >= 18, same)

# An interrupted run goes on: what is there is passed on, by however many processes.
whole = (room / "f32 2").read_bytes()
kept = room / "kept.jsonl"
kept.write_bytes(b"".join(whole.splitlines(True)[:8]))
assert_that("resumed", sampled(2, "resumed", f"--resume={kept}") == whole)
assert_that("resumed: kept", len(kept.read_bytes().splitlines()) == 21)

# A process that is lost is named by the other one.
for victim, rest in ((0, 1), (1, 0)):
    processes = started([[sample, *common, "--shard-base", "-n500", "--max-new-tokens=300", tasks]] * 2,
                        stdout=subprocess.PIPE)
    assert_that("the first answers", processes[0].stdout.read(1) == b"{")
    processes[victim].kill()
    began = time.monotonic()
    message, code = ends(processes)[rest]
    assert_that(f"process {victim} is lost", code == 1 and f"process {victim} on {host} is lost" in message and
                message.count("\n") == 1, code, message)
    assert_that("within seconds", time.monotonic() - began < 20, time.monotonic() - began)

# What does not fit is refused.
done = ends(started([[sample, *common, "--shard-base", f"--batch={n}", tasks] for n in (2, 3)]))
assert_that("another --batch", [code for _, code in done] == [2, 2] and "--batch" in done[1][0], done)
for name, options, words in (("nf4", ("--quantize=nf4",), "--quantize"), ("server", ("--endpoint=http://localhost:1/v1",), "--endpoint")):
    done = run_tool(sample, "--model", model, "-q", "--shard-base", *options, tasks)
    assert_exit(name, done, 2, "--shard-base", words)
