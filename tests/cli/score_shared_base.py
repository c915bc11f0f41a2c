"""Processes that share the model (cuset-score --shard-base) write the bytes of one process."""

import json
import random
import socket
import subprocess
import time

import _tiny_model as tiny
from _processes import ends, free_port, started
from _tool import assert_exit, assert_that, built, environment, room, run_tool

seed = random.SystemRandom().randrange(1 << 30)
print(f"seed {seed}")
rng = random.Random(seed)
score = built("cuset-score")
tiny.layers = 5
model = tiny.write(room / "model")
other = tiny.write(room / "other", weights=tiny.safetensors(tiny.tensors(seed=2)))
host = socket.gethostname()
common = ("--template=chatml", "--device=cpu", "-t1", "-q", "--plain")


def write(name, count):
    """Short records and long ones, of which a pass holds a few: batches have whole passes and parts of one."""
    path = room / name
    path.write_text("".join(json.dumps(
        {"id": f"r{i}", "prompt": f"scale by {i}", "response": "x" * rng.choice((0, 3, 40, 700, 1500)) + ";"}) + "\n"
        for i in range(count)))
    return path


def start(size, out, *options, data, model_of=lambda rank: model, **variables):
    return started([[score, "--model", model_of(rank), *common, "--shard-base", "-o", room / out, *options, data]
                    for rank in range(size)], **variables)


def scored(size, out, *options, **more):
    done = ends(start(size, out, *options, **more), patience=300)
    assert_that(f"{out}: {size} processes end", [code for _, code in done] == [0] * size, done)
    return (room / out).read_bytes()


def far(one, two):
    """The largest difference of two outputs' confidences, which otherwise are the same."""
    worst = 0
    for a, b in zip(one.splitlines(), two.splitlines(), strict=True):
        a, b = json.loads(a), json.loads(b)
        p, q = a["score"].pop("confidence"), b["score"].pop("confidence")
        assert a == b and len(p) == len(q)
        worst = max([worst, *(abs(x - y) for x, y in zip(p, q))])
    return worst


pairs = write("pairs.jsonl", 60)
for name, options, sizes in (("f32", (), (2, 3)), ("bf16", ("--dtype=bf16",), (2,))):
    alone = scored(1, f"{name} 1", *options, data=pairs)
    for size in sizes:
        assert_that(f"{name}: {size} processes", alone == scored(size, f"{name} {size}", *options, data=pairs))
    usual = run_tool(score, "--model", model, *common, *options, pairs)
    assert_exit(f"{name}: the usual pass", usual, 0)
    # Both sum in float, in other orders; where a processor lacks bfloat16, its rounding of weights is the same.
    assert_that(f"{name}: near the usual pass", far(alone, usual.stdout) < (1e-5 if name == "f32" else 2e-2),
                far(alone, usual.stdout))
one = write("one.jsonl", 1)
assert_that("fewer passes than processes", scored(1, "one 1", data=one) == scored(3, "one 3", data=one))
none = room / "none.jsonl"
none.write_text("")
assert_that("no record", scored(3, "none 3", data=none) == b"")

# A record that cannot be scored is told as by one process, and the others end well.
bad = room / "bad.jsonl"
bad.write_text(pairs.read_text() + '{"prompt": 3}\n')
done = ends(start(2, "bad", data=bad))
assert_that("a bad record", [code for _, code in done] == [1, 0] and "bad.jsonl:61" in done[0][0] and done[1][0] == "", done)
skipped = ends(start(2, "good", "--on-error=skip", f"--rejects={room}/rejects", data=bad))
assert_that("a bad record, skipped", [code for _, code in skipped] == [3, 0] and
            (room / "good").read_bytes().splitlines()[:60] == (room / "f32 2").read_bytes().splitlines(), skipped)

# mpirun's variables; on one machine it needs no address. Process 0 reads its standard input.
commands = [score, "--model", model, *common, "--shard-base"]
port = free_port()
with pairs.open() as data:
    by_mpi = [subprocess.Popen(
        commands, stdin=data if rank == 0 else subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.PIPE,
        env=environment(OMPI_COMM_WORLD_SIZE=2, OMPI_COMM_WORLD_RANK=rank, OMPI_COMM_WORLD_LOCAL_RANK=rank,
                        OMPI_COMM_WORLD_LOCAL_SIZE=2, MASTER_PORT=port)) for rank in range(2)]
    told = [p.communicate(timeout=300) for p in by_mpi]
assert_that("under mpirun", [p.returncode for p in by_mpi] == [0, 0] and told[1] == (b"", b"") and
            told[0][0] == (room / "f32 2").read_bytes(), told[0][1], told[1])

# A process that is lost is named by the other one.
many = write("many.jsonl", 4000)
for victim, rest in ((0, 1), (1, 0)):
    processes = started([[*commands, many]] * 2, stdout=subprocess.PIPE)
    assert_that("the first scores", processes[0].stdout.read(1) == b"{")
    processes[victim].kill()
    began = time.monotonic()
    message, code = ends(processes)[rest]
    assert_that(f"process {victim} is lost", code == 1 and f"process {victim} on {host} is lost" in message and
                message.count("\n") == 1, code, message)
    assert_that("within seconds", time.monotonic() - began < 20, time.monotonic() - began)

# What does not fit is refused in one line.
done = ends(start(2, "mixed", data=pairs, model_of=lambda rank: (model, other)[rank]))
assert_that("another model", [code for _, code in done] == [2, 2] and "the model" in done[1][0], done)
for name, options in (("quantize", ("--model", model, *common, "--quantize=nf4")), ("endpoint", ("--endpoint=http://localhost:1/v1",))):
    done = run_tool(score, *options, "--shard-base", pairs)
    assert_exit(name, done, 2, "--shard-base", f"--{name}")
done = run_tool(score, "--model", model, *common, "--shard-base", pairs, PMI_SIZE=2, PMI_RANK=0)
assert_exit("an unknown machine", done, 2, "PMI_SIZE=2", "MASTER_ADDR")
done = run_tool(score, "--model", model, *common, pairs, WORLD_SIZE=2)
assert_exit("without --shard-base nobody asks who else there is", done, 0)
