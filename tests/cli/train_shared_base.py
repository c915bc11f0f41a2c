"""Processes that share the base (--shard-base) give the bytes of processes that each have it whole."""

import signal

import _tiny_model as tiny
from _processes import ends, started
from _train import adapter, assert_exit, assert_that, command, log, pair, room, run, wait_for, write_pairs

tiny.layers = 5
model = tiny.write(room / "model")
pairs = write_pairs(room / "pairs.jsonl", 11)
common = ("--lr=0.001", "--epochs=2", "--eval-size=2", "--rank=4", "-q")


def start(size, out, *options, data=pairs, **variables):
    return started([command(model, room / out, *options, data)] * size, **variables)


def train(size, out, *options, **more):
    done = ends(start(size, out, *options, **more))
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
