"""This tests the forms of cuset's masks and weights: what each changes in the log, that a run goes on to the same bytes,
and the note that says when another objective is better. tests/oracle/training_steps.py holds them against a version of
their formulas in PyTorch."""

import json
import shutil

import _tiny_model as tiny
from _train import adapter, assert_exit, assert_that, log, pair, room, run, tensors, write_pairs

model = tiny.write(room / "model")
pairs = write_pairs(room / "pairs.jsonl", 8)
usual = ("--lr=0.02", "--batch=2", "--epochs=3", "--size=8", "--dropout=0", "-q")


def trained(name, *options):
    assert_exit(name, run(model, room / name, *usual, *options, pairs), 0)
    return log(room / name)


def near(a, b):
    return abs(a - b) <= 1e-5 * abs(b)


# Weights that are divided by their mean: loss and gradient are those of the plain ones over it.
plain, mean1 = trained("plain"), trained("mean1", "--weights=mean1")
assert_that("mean1", near(mean1[0]["loss"], plain[0]["loss"] / plain[0]["mean_weight"]) and
            near(mean1[0]["grad_norm"], plain[0]["grad_norm"] / plain[0]["mean_weight"]), (plain[0], mean1[0]))
assert_that("the log's weight", mean1[0]["mean_weight"] == plain[0]["mean_weight"], (plain[0], mean1[0]))
power = trained("power", "--weight-power=3")
assert_that("power", power[0]["mean_weight"] < plain[0]["mean_weight"], (power[0], plain[0]))
trained("power 0", "--weight-power=0")
trained("no weights", "--no-reweight")
assert_that("power 0", adapter(room / "power 0") == adapter(room / "no weights"))
trained("power 1", "--weight-power=1", "--mask=hard", "--weights=plain", "--tau-warmup=0")
assert_that("power 1", adapter(room / "power 1") == adapter(room / "plain"))

# A soft mask keeps something of each token.
soft = trained("soft", "--mask=soft")
assert_that("soft", all(line["mask_share"] == 1 for line in soft) and adapter(room / "soft") != adapter(room / "plain"), soft)

# tau rises: the first step leaves nothing out. At a tau of 1 and of 1/6 the model, which is sure of nothing, keeps CUDA
# code alone; at some millionths it keeps all.
high = [line["mask_share"] for line in trained("high", "--tau=1")]
rising = [line["mask_share"] for line in trained("rising", "--tau=1", "--tau-warmup=6")]
slow = [line["mask_share"] for line in trained("slow", "--tau=1", "--tau-warmup=1000000")]
assert_that("tau rises", rising[0] == 1 and rising[1:] == high[1:] and max(high) < 1 and slow == [1] * 12, rising, high, slow)

# Stubborn tokens: none in the first epoch. Later those that stay at or below tau; the rate is too small to learn any.
still = ("--lr=1e-9", "--mask=stubborn", "--tau=1", "--save-every=3", "--keep=9")
stubborn = trained("stubborn", *still)
shares = [line["mask_share"] for line in stubborn]
assert_that("stubborn", shares[:4] == [1] * 4 and all(share < 1 for share in shares[4:]), shares)
# A character is a token; the template's tail has two.
flags = list(tensors(room / "stubborn/checkpoint-6/state.safetensors")["stubborn_tokens"])
for i in range(8):
    response, spans = pair(i)["response"], pair(i)["tag"]["spans"]
    own, flags = flags[:len(response) + 2], flags[len(response) + 2:]
    in_code = [any(s["begin"] <= t < s["end"] for s in spans) for t in range(len(response))] + [False] * 2
    assert_that(f"CUDA tokens of sample {i}", all(f == 0 for f, cuda in zip(own, in_code, strict=True) if cuda) and
                any(f >= 2 for f in own), own)
assert_that("all tokens have a flag", not flags, flags)
assert_that("no watch", "watched_tokens" not in (room / "stubborn/trainer_log.jsonl").read_text())

# A run goes on to the same bytes, in the middle of an epoch too; and by its run.json.
learning = ("--mask=stubborn", "--tau=0.1", "--weights=mean1", "--weight-power=0.5", "--tau-warmup=3", "--save-every=1",
            "--keep=99")
whole = trained("whole", *learning)
assert_that("some are left out", any(line["mask_share"] < 1 for line in whole[4:]), whole)
for step in (3, 4, 5, 8, 10):
    name = f"from-{step}"
    done = run(model, room / name, *usual, *learning, f"--resume-from={room}/whole/checkpoint-{step}", pairs)
    assert_exit(name, done, 0)
    assert_that(name, adapter(room / name) == adapter(room / "whole"))
# Epochs of different lengths, and a run that is made longer.
budget = ("--lr=0.02", "--step-tokens=330", "--size=8", "--dropout=0", "--schedule=constant", "--warmup=0", "-q", *learning)
assert_exit("budget", run(model, room / "budget", *budget, "--epochs=4", pairs), 0)
assert_exit("shorter", run(model, room / "shorter", *budget, "--epochs=2", pairs), 0)
assert_exit("longer", run(model, room / "shorter", *budget, "--epochs=4", "--resume", "--extend", pairs), 0)
assert_that("longer", adapter(room / "shorter") == adapter(room / "budget"))
assert_exit("again", run(model, room / "again", "-q", f"--config={room}/whole/run.json", pairs), 0)
assert_that("again", adapter(room / "again") == adapter(room / "whole"))
done = run(model, room / "whole", *usual, *learning, "--mask=soft", "--resume", pairs)
assert_exit("another mask", done, 2, "mask")

# A checkpoint that lost what it knew of tokens is refused.
shutil.copytree(room / "whole/checkpoint-6", room / "spoiled")
state = (room / "spoiled/state.safetensors").read_bytes()
assert_that("the checkpoint has it", b'"stubborn_tokens"' in state)
(room / "spoiled/state.safetensors").write_bytes(state.replace(b'"stubborn_tokens"', b'"stubborn_t0kens"'))
assert_exit("spoiled", run(model, room / "unused", *usual, *learning, f"--resume-from={room}/spoiled", pairs), 1,
            "spoiled: ", "missing")

# What a run of one epoch does not do; and the smallest weights that there may be.
done = run(model, room / "one epoch", "--epochs=1", "--mask=stubborn", pairs)
assert_exit("one epoch", done, 0, "leaves nothing out in the first epoch")
small = trained("small", "--weights=mean1", "--weight-power=8")
assert_that("small weights", all(line["grad_norm"] > 0 for line in small), small)
done = run(model, room / "unwatched", "--epochs=2", "--batch=2", "--tau=1", "--lr=1e-9", "--tau-warmup=20", pairs)
assert_exit("no warning while tau rises", done, 0)
assert_that("no warning while tau rises", b"untaught" not in done.stderr, done.stderr)

# The first line says when another objective is better; sft's does not.
for objective, wanted in (("cuset", True), ("sft", False)):
    done = run(model, room / f"note-{objective}", "--max-steps=1", f"--objective={objective}", pairs)
    assert_exit(objective, done, 0)
    first = done.stderr.decode().splitlines()[0]
    assert_that(objective, ("--objective sft did better" in first) == wanted, first)
record = json.loads((room / "whole/run.json").read_text())["settings"]
assert_that("run.json", [record[name] for name in ("mask", "tau_warmup", "weights", "weight_power")] ==
            ["stubborn", 3, "mean1", 0.5], record)
plain_record = json.loads((room / "plain/run.json").read_text())["settings"]
assert_that("run.json of the paper's", not {"mask", "tau_warmup", "weights", "weight_power"} & set(plain_record), plain_record)
