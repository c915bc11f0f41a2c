"""This trains on pairs of responses (--objective dpo): the forms of a record, what a run reports, that it goes on to the
same bytes, what is refused. tests/oracle/preference_losses.py holds the numbers against TRL's."""

import functools
import json
import math
import shutil

import _tiny_model as tiny
from _train import adapter, assert_exit, assert_that, bad_run, log, room, run, write_pairs

model = tiny.write(room / "model")
CHOSEN, REJECTED = "x = %d;\n", "y = %d * 2;\n\n"


def record(i):
    return {"id": f"p{i}", "prompt": f"set {i}", "chosen": CHOSEN % i, "rejected": REJECTED % i}


def write(name, records):
    path = room / f"{name}.jsonl"
    path.write_text("".join(json.dumps(r) + "\n" for r in records))
    return path


records = [record(i) for i in range(6)]
plain = write("plain", records)
usual = ("--objective=dpo", "--lr=0.02", "--batch=2", "--epochs=4", "-q")

out = room / "out"
done = run(model, out, *usual, "--save-every=5", plain)
assert_exit("a run", done, 0)
lines = log(out)
assert_that("steps", len(lines) == 12, len(lines))
assert_that("the first loss", abs(lines[0]["loss"] - math.log(2)) < 1e-6 and abs(lines[0]["reward_margin"]) < 1e-5, lines[0])
assert_that("it learns", lines[-1]["loss"] < 0.6 and lines[-1]["reward_margin"] > 0.1 and lines[-1]["accuracy"] == 1, lines[-1])
assert_that("weights", all(line["mean_weight"] == 1 and line["mask_share"] == 1 for line in lines), lines[0])
settings = json.loads((out / "run.json").read_text())["settings"]
assert_that("run.json", (settings["objective"], settings["beta"], settings["label_smoothing"], settings["samples"]) ==
            ("dpo", 0.1, 0, 6), settings)
sft = run(model, room / "sft", "--objective=sft", "--max-steps=1", "-q", write_pairs(room / "pairs.jsonl"))
assert_exit("sft", sft, 0)
assert_that("log of other objectives", not {"reward_margin", "accuracy"} & set(log(room / "sft")[0]), log(room / "sft")[0])

# TRL's other forms of the same records make the same run.
user = [{"role": "user", "content": r["prompt"]} for r in records]
turns = [[{"role": "assistant", "content": r[side]} for side in ("chosen", "rejected")] for r in records]
forms = {
    "lists": [r | {"prompt": [u], "chosen": [c], "rejected": [b]} for r, u, (c, b) in zip(records, user, turns)],
    "whole": [{"id": r["id"], "chosen": [u, c], "rejected": [u, b]} for r, u, (c, b) in zip(records, user, turns)]}
for name, form in forms.items():
    assert_exit(name, run(model, room / name, *usual, write(name, form)), 0)
    assert_that(name, adapter(room / name) == adapter(out), "is another run")

# A run that goes on has the reference of its start, not of its checkpoint. --full is the harder case: there the
# parameters that the checkpoint replaces are the reference's own.
for name, options in (("adapter", ()), ("full", ("--full", "--lr=0.001"))):
    whole, cut = room / f"whole-{name}", room / f"cut-{name}"
    weights = "model.safetensors" if options else "adapter_model.safetensors"
    assert_exit(name, run(model, whole, *usual, *options, "--save-every=5", plain), 0)
    shutil.copytree(whole, cut)
    (cut / weights).unlink()
    record_of_run = json.loads((cut / "run.json").read_text())
    (cut / "run.json").write_text(json.dumps(record_of_run | {"finished": False}))
    last = max(cut.glob("checkpoint-*"), key=lambda point: int(point.name.split("-")[1]))
    shutil.rmtree(last)
    assert_exit(f"{name}, resumed", run(model, cut, *usual, *options, "--resume", "--save-every=5", plain), 0)
    assert_that(f"{name}, resumed", (cut / weights).read_bytes() == (whole / weights).read_bytes(), "is another run")
    assert_that(f"{name}, log", [line["loss"] for line in log(cut)] == [line["loss"] for line in log(whole)])

# Both sides of a pair share a pass however small passes are; packing changes only rounding.
assert_exit("small passes", run(model, room / "small", *usual, "--pass-tokens=1", plain), 0)
apart = max(abs(a["loss"] - b["loss"]) for a, b in zip(log(room / "small"), lines))
assert_that("small passes", apart < 1e-4, apart)

# Options that change the loss.
for option in ("--beta=0.5", "--label-smoothing=0.3", "--length-normalise"):
    assert_exit(option, run(model, room / option, *usual, option, plain), 0)
    assert_that(option, log(room / option)[-1]["loss"] != lines[-1]["loss"], "has no effect")

# Held-out pairs have the same loss.
assert_exit("held out", run(model, room / "held", *usual, f"--eval={plain}", plain), 0)
held = [line for line in log(room / "held") if "eval_loss" in line]
assert_that("held out at first", abs(held[0]["eval_loss"] - math.log(2)) < 1e-6, held[0])
assert_that("held out at last", held[-1]["eval_loss"] < 0.6 and held[-1]["eval_accuracy"] == 1 and
            held[-1]["eval_reward_margin"] > 0.1, held[-1])

# The dry run shows the chosen response; a coefficient is beta / 2 where nothing is learned yet.
done = run(model, room / "none", "--objective=dpo", "--dry-run", plain)
assert_exit("dry run", done, 0)
assert_that("dry run", b"of the chosen response" in done.stdout and b"0.05  " in done.stdout, done.stdout)


bad = functools.partial(bad_run, model, "--objective=dpo")
def without(key):
    return [record(0), {k: v for k, v in record(1).items() if k != key}]


for key in ("prompt", "chosen", "rejected"):
    bad(f"no {key}", 1, (":2:", f'"{key}" is missing'), data=without(key))
bad("no text", 1, (":1:", '"chosen" is neither'), data=[record(0) | {"chosen": 1}])
bad("no text or list", 1, (":1:", "are a string and a list"), data=[record(0) | {"chosen": [turns[0][0]]}])
bad("no answer", 1, (":1:", '"rejected" does not end with the assistant'),
    data=[forms["whole"][0] | {"rejected": [user[0]]}])
bad("other beginnings", 1, (":1:", "differ before"), data=[forms["whole"][0] | {"rejected": [user[1], turns[0][1]]}])
bad("two prompts", 1, (":1:", '"chosen" has more'), data=[forms["whole"][0] | {"prompt": "x"}])
bad("no content", 1, (":1:", '"prompt" has a message'), data=[forms["lists"][0] | {"prompt": [{"role": "user"}]}])
for option, word in (("--label-smoothing=0.5", "--label-smoothing"), ("--beta=-1", "--beta"), ("--norm=sum", "--norm"),
                     ("--tau=0.5", "--tau"), ("--no-reweight", "--no-reweight"), ("--response-field=x", "--response-field")):
    bad(option, 2, (word,), option, data=[record(0)])
for option in ("--label-smoothing=0.1", "--length-normalise"):
    done = run(model, room / "new", "--objective=sft", "-q", option, plain)
    assert_exit(f"{option} of sft", done, 2, option.split("=")[0])
