"""This tests --weight-field of cuset-train: what a weight multiplies, that 1 changes no bit, and what is refused.
tests/oracle/loss_gradients.py holds weighted gradients against transformers'."""

import json
import shutil

import _tiny_model as tiny
from _train import adapter, assert_exit, assert_that, log, pair, room, run

model = tiny.write(room / "model")


def records(weights):
    return "".join(json.dumps({**pair(i), "w": w}) + "\n" for i, w in enumerate(weights)).encode()


usual = ("--lr=0.02", "--batch=3", "--epochs=2", "--no-shuffle", "-q")


def trained(name, weights, *options):
    assert_exit(name, run(model, room / name, *usual, *options, data=records(weights)), 0)
    return log(room / name)


without = trained("without", [5] * 6)
ones = trained("ones", [1] * 6, "--weight-field=w")
assert_that("ones", adapter(room / "ones") == adapter(room / "without"), "weights of 1 change bits")
twos = trained("twos", [2] * 6, "--weight-field=w")
assert_that("twos", abs(twos[0]["loss"] - 2 * ones[0]["loss"]) < 1e-6 * ones[0]["loss"] and
            abs(twos[0]["grad_norm"] - 2 * ones[0]["grad_norm"]) < 1e-4 * ones[0]["grad_norm"], (twos[0], ones[0]))
assert_that("what is no loss", all(twos[0][key] == ones[0][key] for key in
                                   ("nll", "mask_share", "mean_confidence", "mean_weight")), (twos[0], ones[0]))
# A sample of weight 0 still counts into the divisor: its tokens are there.
one = trained("one", [1, 0, 0], "--weight-field=w", "--objective=sft", "--max-steps=1")[0]
each = trained("each", [1, 1, 1], "--weight-field=w", "--objective=sft", "--max-steps=1")[0]
alone = trained("alone", [1], "--weight-field=w", "--objective=sft", "--max-steps=1")[0]
share = len(pair(0)["response"]) / sum(len(pair(i)["response"]) for i in range(3))
assert_that("a weight of 0", 0 < one["loss"] < each["loss"] and
            abs(one["loss"] / alone["loss"] - share) < 0.05 * share, (one["loss"], alone["loss"], share))

# Every objective, and the recorded run again.
for objective in ("sft", "dft", "eaft", "asft", "profit"):
    a = trained(f"{objective}-1", [1] * 6, "--weight-field=w", f"--objective={objective}", "--max-steps=1")
    b = trained(f"{objective}-3", [3] * 6, "--weight-field=w", f"--objective={objective}", "--max-steps=1")
    assert_that(objective, abs(b[0]["loss"] - 3 * a[0]["loss"]) <= 1e-5 * abs(b[0]["loss"]), (a[0], b[0]))
mixed = [0.5, 2, 1, 0, 3, 1]
trained("mixed", mixed, "--weight-field=w")
assert_exit("again", run(model, room / "again", "-q", f"--config={room}/mixed/run.json", data=records(mixed)), 0)
assert_that("again", adapter(room / "again") == adapter(room / "mixed") != adapter(room / "ones"))
done = run(model, room / "mixed", *usual, "--weight-field=w", "--resume", data=records([1] * 6))
assert_exit("other weights", done, 2, "data_hash")


def bad(name, value, *words):
    data = records([1]) + json.dumps(pair(1)).encode()[:-1] + value + b"}\n"
    done = run(model, room / "new", *usual, "--weight-field=w", data=data)
    assert_exit(name, done, 1, ":2:", *words)
    assert_that(name, done.stderr.count(b"\n") == 1, done.stderr)
    shutil.rmtree(room / "new", ignore_errors=True)


bad("missing", b"", '"w" is missing')
for value in (b"-1", b'"1"', b"1e999", b"1e300", b"[1]", b"true"):
    bad(value.decode(), b', "w": ' + value, '"w" is no finite number')
done = run(model, room / "new", "-q", "--objective=dpo", "--weight-field=w", data=records([1]))
assert_exit("of dpo", done, 2, "--weight-field")
