"""Processes that share the base (--shard-base) give the bytes of processes that each have it whole."""

import json
import re
import shutil
import socket
import time

import _tiny_model as tiny
from _processes import ends, started
from _train import adapter, assert_exit, assert_that, command, log, pair, room, run, wait_for, write_pairs

tiny.layers = 5
model = tiny.write(room / "model")
host = socket.gethostname()
pairs = write_pairs(room / "pairs.jsonl", 11)
common = ("--lr=0.001", "--epochs=2", "--eval-size=2", "--rank=4", "-q")


def start(size, out, *options, data=pairs, **variables):
    return started([command(model, room / out, *options, data)] * size, **variables)


def train(size, out, *options, **more):
    done = ends(start(size, out, *options, **more), patience=300)
    assert_that(f"{out}: {size} processes end", [code for _, code in done] == [0] * size, done)
    return adapter(room / out)


# Of 9 samples, and of passes of at most 100 tokens, some process has always more than another, and the last
# step has none at all for one of them.
uneven = ("--batch=2", "--accumulate=2", "--pass-tokens=100")
for name, size, options, variables in (
        ("2", 2, (), {}), ("3", 3, (), {}), ("uneven2", 2, uneven, {}), ("uneven3", 3, uneven, {}),
        ("bf16", 2, (*uneven, "--dtype=bf16"), {}),
        ("mkl", 2, uneven, {"CUSET_PRODUCTS": "mkl"}),
        ("own", 2, (*uneven, "--dtype=bf16"), {"CUSET_PRODUCTS": "own"}),
        ("asft", 3, (*uneven, "--objective=asft"), {}),
        ("recomputed", 2, (*uneven, "--recompute"), {}),
        ("few targets", 2, (*uneven, "--target=q_proj,down_proj"), {})):
    whole = train(size, f"whole {name}", *common, *options, **variables)
    shared = train(size, f"shared {name}", *common, *options, "--shard-base", **variables)
    assert_that(f"{name}: the same adapter", whole == shared)
    for one, other in zip(log(room / f"whole {name}"), log(room / f"shared {name}"), strict=True):
        for key in ("loss", "nll", "eval_loss", "grad_norm"):
            assert_that(f"{name}: {key}", one.get(key) == other.get(key), one, other)

# An adapter that begins further up: the layers below have no gradient, and are gathered all the same.
config = json.loads((room / "whole 2" / "adapter_config.json").read_text())
for name, layers in (("upper", [2, 3]), ("lower", [0])):
    first = room / f"first {name}"
    shutil.copytree(room / "whole 2", first)
    (first / "adapter_config.json").write_text(json.dumps(config | {"layers_to_transform": layers}))
    options = (*(o for o in common if not o.startswith("--rank")), *uneven, f"--init-adapter={first}")
    whole = train(3, f"whole {name}", *options)
    assert_that(f"{name}: the same adapter", whole == train(3, f"shared {name}", *options, "--shard-base"))
    assert_that(f"{name}: recomputed", whole == train(3, f"again {name}", *options, "--shard-base", "--recompute"))

# A process that is killed is named by the others, and the run goes on to the same bytes, whoever resumes it.
long = ("--lr=0.001", "--max-steps=200", "--save-every=2", "-q", *uneven)
whole = train(2, "whole long", *long)
for out, size, victim, resumed in (("killed1", 2, 1, ("--shard-base",)), ("killed0", 2, 0, ())):
    processes = start(size, out, *long, "--shard-base")
    wait_for("a checkpoint", lambda: list((room / out).glob("checkpoint-*")))
    processes[victim].kill()
    began = time.monotonic()
    done = ends(processes)
    for rank, (message, code) in enumerate(done):
        assert_that(f"process {victim} is lost to {rank}", rank == victim or
                    (code == 1 and f"process {victim} on {host} is lost" in message), code, message)
    assert_that("within seconds", time.monotonic() - began < 20, time.monotonic() - began)
    assert_that("the run was not over", not (room / out / "adapter_model.safetensors").exists())
    assert_that(f"{out}: goes on to the same bytes", whole == train(size, out, *long, "--resume", *resumed))
processes = start(3, "killed of 3", *long, "--shard-base", "--epochs=100000")
wait_for("a checkpoint", lambda: list((room / "killed of 3").glob("checkpoint-*")))
processes[1].kill()
for rank, (message, code) in enumerate(ends(processes)):
    assert_that(f"process 1 of 3 is lost to {rank}", rank == 1 or (code == 1 and f"process 1 on {host} is lost" in message), code, message)

# What cannot be shared is refused in one line; one process alone has nothing to share.
for name, options, words in (("full", ("--full",), "--full would train it"), ("nf4", ("--quantize=nf4",), "--quantize"),
                             ("int8", ("--quantize=int8",), "--quantize")):
    done = run(model, room / "refused", "-q", *options, "--shard-base", pairs)
    assert_exit(name, done, 2, "--shard-base", words)
    assert_that(f"{name}: one line", done.stderr.count(b"\n") == 1, done.stderr)
done = ends(started([command(model, room / "mixed", "-q", *options, pairs) for options in (("--shard-base",), ())]))
assert_that("--shard-base for one of two", [code for _, code in done] == [2, 2] and "--shard-base" in done[1][0], done)
done = ends(started([command(model, room / "mixed", "-q", "--shard-base", f"--pass-tokens={n}", pairs) for n in (50, 100)]))
assert_that("other passes", [code for _, code in done] == [2, 2] and "--pass-tokens" in done[1][0], done)
alone = run(model, room / "alone", *common, pairs)
assert_exit("alone", alone, 0)
done = run(model, room / "alone shared", *common[:-1], "--shard-base", pairs)
assert_exit("alone", done, 0, "keeps the whole base")
assert_that("alone: the same adapter", adapter(room / "alone") == adapter(room / "alone shared"))

# --dry-run tells what a process keeps of the base, and what it receives: of 5 layers 3 in a pass, and 3 again in
# its backward pass, since two stay in the room. A layer of the tiny model has 1,920 floats; parts have multiples of 64.
shown = room / "dry.txt"
with shown.open("w") as file:
    done = ends(started([command(model, room / "dry", "-q", *uneven, "--dry-run", "--shard-base", pairs)] * 2, stdout=file))
assert_that("dry run", [code for _, code in done] == [0, 0], done)
part = 960 * 4 / 2**20
words = [f"{5 * part:.3f} of the layers (1 of 2 parts), {4 * part:.3f} to gather two"]
text = shown.read_text()
assert_that("dry run: the parts", all(w in text for w in words), text)
passes = float(re.search(r"of layers a step, in ([0-9.]+) passes", text)[1])
received = float(re.search(r"receives ([0-9.]+) MiB of layers a step", text)[1])
assert_that("dry run: the exchange", passes > 1 and abs(received - 6 * part * passes) < 1e-3, text)
