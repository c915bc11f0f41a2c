"""This runs cuset-train on a tiny model. It tests the files of a run, a falling loss, resuming,
evaluation, early stopping, the dry run, packing and token budgets."""

import json
import math
import os
import pty
import subprocess
import xml.etree.ElementTree as xml

import _tiny_model as tiny
from _train import adapter, assert_exit, assert_that, command, environment, log, pair, room, run, tensors, write_pairs

model = tiny.write(room / "model")
pairs = write_pairs(room / "pairs.jsonl")

# The files of a run.
out = room / "out"
done = run(model, out, "--lr=0.05", "--epochs=6", "--batch=2", "--save-every=5", pairs)
assert_exit("a run", done, 0, "objective cuset", "done after 24 steps", f"{out}/loss_curve.svg")
names = sorted(p.name for p in out.iterdir())
assert_that("files", names == [
    "adapter_config.json", "adapter_model.safetensors", "checkpoint-20", "checkpoint-24",
    "loss_curve.svg", "run.json", "trainer_log.csv", "trainer_log.jsonl"], names)
config = json.loads((out / "adapter_config.json").read_text())
assert_that("adapter_config.json", (config["r"], config["lora_alpha"], config["peft_type"]) ==
                  (8, 16, "LORA"), config)
lines = log(out)
assert_that("log", [line["current_steps"] for line in lines] == list(range(1, 25)))
wanted = {"current_steps", "total_steps", "loss", "lr", "epoch", "percentage", "elapsed_time",
          "remaining_time", "throughput", "total_tokens", "nll", "mask_share", "mean_confidence",
          "mean_weight", "grad_norm"}
assert_that("log keys", set(lines[0]) == wanted, set(lines[0]) ^ wanted)
assert_that("the loss falls", lines[-1]["nll"] < 0.9 * lines[0]["nll"],
                  (lines[0]["nll"], lines[-1]["nll"]))
assert_that("the end", (lines[-1]["percentage"], lines[-1]["epoch"]) == (100, 6), lines[-1])
# Linear over 3 steps of warm-up from 0, then a cosine to 0, as in transformers.
assert_that("warm-up", [line["lr"] for line in lines[:4]] == [0, 0.05 / 3, 0.1 / 3, 0.05] or
                  all(math.isclose(a["lr"], b, rel_tol=1e-6, abs_tol=1e-12)
                      for a, b in zip(lines, [0, 0.05 / 3, 0.1 / 3, 0.05])), lines[:4])
record = json.loads((out / "run.json").read_text())
assert_that("run.json", record["finished"] and record["settings"]["lr"] == 0.05 and
                  record["settings"]["seed"] == 42 and record["data"]["samples"] == 7 and
                  any("LibTorch" in line for line in record["libraries"]), record)
# The kernels that ran: the portable ones add in another order, which changes the last bits.
widest = next(line.split()[-1] for line in record["libraries"] if line.startswith("CPU kernels"))
assert_that("kernels", record["settings"]["kernels"] == widest, (record["settings"]["kernels"], widest))
run(model, room / "portable", "--lr=0.05", "--epochs=6", "--batch=2", "-q", pairs, CUSET_KERNELS="portable")
portable = json.loads((room / "portable/run.json").read_text())
assert_that("portable kernels", portable["settings"]["kernels"] == "portable", portable)
assert_that("portable kernels run", (adapter(room / "portable") == adapter(out)) == (widest == "portable"))
apart = max(abs(a["nll"] - b["nll"]) for a, b in zip(lines, log(room / "portable")))
assert_that("portable kernels agree", apart < 1e-4, apart)
assert_exit("unknown kernels", run(model, room / "none", pairs, CUSET_KERNELS="mmx"), 2, "CUSET_KERNELS")
# The products: a run that goes on keeps those that it began with.
def products(name):
    return json.loads((room / name / "run.json").read_text())["settings"]["products"]


run(model, room / "mkl", "--lr=0.05", "--epochs=6", "--batch=2", "--save-every=5", "-q", pairs,
    CUSET_PRODUCTS="mkl")
run(model, room / "own", "--lr=0.05", "--epochs=6", "--batch=2", "--save-every=5", "-q", pairs,
    CUSET_PRODUCTS="own")
assert_that("products", products("mkl") == "bf16 mkl, float mkl" and products("own") != products("mkl"),
            (products("mkl"), products("own")))
assert_that("other products run", adapter(room / "mkl") != adapter(room / "own"))
apart = max(abs(a["nll"] - b["nll"]) for a, b in zip(log(room / "mkl"), log(room / "own")))
assert_that("products agree", apart < 1e-4, apart)
for began, goes_on in (("mkl", "own"), ("own", "mkl")):
    name = f"{began}-resumed"
    done = run(model, room / name, "--lr=0.05", "--epochs=6", "--batch=2", "-q",
               f"--resume-from={room}/{began}/checkpoint-20/", pairs, CUSET_PRODUCTS=goes_on)
    assert_exit("a run goes on", done, 0)
    assert_that("a run keeps its products", products(name) == products(began), products(name))
    assert_that("and its bytes", adapter(room / name) == adapter(room / began))

drawing = xml.parse(out / "loss_curve.svg").getroot()
assert_that("loss_curve.svg", any(e.tag.endswith("polyline") for e in drawing.iter()))

# The same command makes the same bytes; another seed does not.
for name, seed, same in (("again", 42, True), ("reseeded", 43, False)):
    run(model, room / name, "--lr=0.05", "--epochs=6", "--batch=2", f"--seed={seed}", "-q", pairs)
    assert_that(name, (adapter(room / name) == adapter(out)) == same)

# Resumes from a named checkpoint; the checkpoint's own adapter can be used too.
done = run(model, room / "named", "--lr=0.05", "--epochs=6", "--batch=2", "-q",
           f"--resume-from={out}/checkpoint-20", pairs)
assert_exit("from a named checkpoint", done, 0)
assert_that("from a named checkpoint", adapter(room / "named") == adapter(out))
assert_that("a checkpoint's adapter", tensors(out / "checkpoint-20/adapter_model.safetensors").keys()
                  == tensors(out / "adapter_model.safetensors").keys())


def closest(a, b):
    """Largest difference relative to the largest entry, over all tensors."""
    x, y = tensors(room / a / "adapter_model.safetensors"), tensors(room / b / "adapter_model.safetensors")
    return max(max(abs(p - q) for p, q in zip(x[n], y[n])) / max(map(abs, x[n])) for n in x)


# Packing, accumulation and the micro-batch change only rounding. (Adam divides by past gradients,
# so it enlarges rounding if gradients are small.)
plain = ("--lr=0.01", "--epochs=2", "-q", pairs)
run(model, room / "batch", "--batch=4", *plain)
for name, options in (("accumulated", ("--batch=1", "--accumulate=4")),
                      ("unpacked", ("--batch=4", "--pass-tokens=1")),
                      ("recomputed", ("--batch=4", "--recompute"))):
    assert_exit(name, run(model, room / name, *options, *plain), 0)
    assert_that(name, closest("batch", name) < 1e-4, closest("batch", name))

# A token budget: fewer, fuller steps.
assert_exit("a budget", run(model, room / "budget", "--step-tokens=400", *plain), 0)
assert_that("a budget", 2 < len(log(room / "budget")) < 14, len(log(room / "budget")))

# Held-out loss before training and after each epoch; patience keeps the best weights.
assert_exit("held out", run(model, room / "held", "--lr=0.05", "--epochs=3", "--eval-size=2", "-q",
                                  pairs), 0)
evaluations = [line for line in log(room / "held") if "eval_loss" in line]
assert_that("held out", [line["current_steps"] for line in evaluations] == [0, 5, 10, 15], evaluations)
assert_that("held out", evaluations[-1]["eval_loss"] < evaluations[0]["eval_loss"], evaluations)
assert_that("held out", json.loads((room / "held/run.json").read_text())["data"]["samples"] == 5)
# A terminal shows what the first evaluation does, before its result.
ours, theirs = pty.openpty()
subprocess.run(command(model, room / "shown", "--max-steps=1", "--eval-size=2", pairs), stderr=theirs, check=True,
               env=environment())
os.close(theirs)
shown = os.read(ours, 1 << 16).decode()
os.close(ours)
assert_that("shown", "cuset-train: evaluating 2 held-out samples" in shown.split("step 0: held-out loss")[0], shown)
random_text = room / "other.jsonl"
random_text.write_text(json.dumps(pair(0, "zqj xvk wpf ~~ 0x0x0x")) + "\n")
early = ("--lr=0.3", "--epochs=40", f"--eval={random_text}", "--eval-every=2", "--patience=2", pairs)
assert_exit("early stop", run(model, room / "early", *early), 0, "no better than step")
losses = {line["current_steps"]: line["eval_loss"] for line in log(room / "early")
          if "eval_loss" in line}
best = min(losses, key=losses.get)
assert_that("early stop", list(losses)[-3] == best, losses)
held = run(model, room / "best", "--lr=0.3", "--epochs=40", f"--eval={random_text}", "--max-steps=1",
           "--warmup=0", f"--init-adapter={room}/early", "--objective=sft", "-q", pairs)
assert_exit("the best weights", held, 0)
restarted = [line["eval_loss"] for line in log(room / "best") if "eval_loss" in line][0]
assert_that("the best weights", math.isclose(restarted, losses[best], rel_tol=1e-6),
                  (restarted, losses))

# The dry run prints its plan and writes nothing.
done = run(model, room / "dry", "--dry-run", "-q", pairs)
assert_exit("dry run", done, 0)
text = done.stdout.decode()
shown = [line for line in text.splitlines() if line.lstrip()[:1].isdigit()]
assert_that("dry run", not (room / "dry").exists() and "trained parameters" in text and
                  "peak memory" in text and "<|im_start|>" in text, text)
response = pair(0)["response"]
assert_that("dry run's tokens", len(shown) == len(response) + 2, len(shown))
marked = "".join(response[i] for i, line in enumerate(shown[:len(response)]) if line.split()[3] == "+")
assert_that("dry run's CUDA mask", marked == "{ x[threadIdx.x] *= 2; }<<<1, 32>>>", marked)

# All objectives and switches run, and no two make the same adapter. They start from a trained
# adapter, which has confidences on both sides of tau.
made = {}
start = ("--lr=0.01", "--epochs=1", "--batch=2", f"--init-adapter={out}", "-q", pairs)
low = "--tau=0.02"
for options in (("cuset", low), ("sft",), ("dft",), ("eaft",), ("asft",), ("profit", low),
                ("cuset", "--no-confidence-mask"), ("cuset", low, "--no-cuda-mask"),
                ("cuset", low, "--no-reweight"), ("cuset", low, "--norm=sum"),
                ("cuset", low, "--norm=sample"), ("cuset", "--tau=0.03"), ("cuset", low, "--size=8"),
                ("cuset", low, "--lambda=0.5")):
    name = "objective" + "".join(options)
    assert_exit(name, run(model, room / name, f"--objective={options[0]}", *start, *options[1:]), 0)
    made.setdefault(adapter(room / name), []).append(name)
assert_that("objectives differ", len(made) == 14, [names for names in made.values() if len(names) > 1])
# CuSeT with all switches off is plain fine-tuning, bit for bit.
run(model, room / "off", *start, "--tau=-1", "--lambda=0", "--no-reweight")
assert_that("all off is sft", adapter(room / "off") == adapter(room / "objectivesft"))

# All weights: the result is a model folder that can be trained again.
assert_exit("full", run(model, room / "full", "--full", "--lr=0.01", "--epochs=2", "-q", pairs), 0)
assert_that("full", {"config.json", "tokenizer.json", "model.safetensors"} <=
                  {p.name for p in (room / "full").iterdir()})
assert_exit("full, used", run(room / "full", room / "used", "--max-steps=1", "-q", pairs), 0)

# Tokens that the confidence mask leaves out, before the first step and after the first epoch. At a tau of 1 that is all
# but CUDA code; the rate is too small to learn anything.
def watched(name, *options):
    done = run(model, room / name, "--epochs=2", "--batch=2", "--tau=1", "--lr=1e-9", *options, pairs)
    lines = [line for line in log(room / name) if "watched_tokens" in line]
    return done, [(line["current_steps"], line["watched_tokens"], line["dropped_at_first"], line["dropped_still"])
                  for line in lines]


responses = json.loads((room / "out/run.json").read_text())["data"]["response_tokens"]
done, seen = watched("cold", "--save-every=2", "--keep=9")
assert_that("watched tokens", len(seen) == 1 and seen[0][:2] == (4, responses) and 0 < seen[0][2] == seen[0][3] < responses,
            seen, responses)
assert_exit("a cold start", done, 0, "the confidence mask (tau 1) leaves", f"of {responses} watched tokens", "cold start",
            "after step 4 (the first steps left out ")
share = 100 * seen[0][3] / responses
assert_that("the share", f"leaves {share:.1f} % of" in done.stderr.decode(), share, done.stderr)
first = [1 - line["mask_share"] for line in log(room / "cold")[:4]]
assert_that("the first steps", ", ".join(f"{100 * part:.1f}" for part in first) + " %)" in done.stderr.decode(), first,
            done.stderr)
gone_on, resumed = watched("gone-on", f"--resume-from={room}/cold/checkpoint-2")
assert_that("resumed", resumed == seen and adapter(room / "gone-on") == adapter(room / "cold"), resumed, seen)
assert_that("the same warning", b"the first steps left out" in gone_on.stderr
            and [line for line in gone_on.stderr.splitlines() if b"untaught" in line]
            == [line for line in done.stderr.splitlines() if b"untaught" in line], gone_on.stderr)
assert_that("later nothing", watched("later", f"--resume-from={room}/cold/checkpoint-4")[1] == [])
assert_that("at the end of a short run", [line[0] for line in watched("short", "--max-steps=3", "--log-every=2")[1]] == [3])
assert_that("between two lines", [line["current_steps"] for line in log(room / "short")] == [2, 3])
for name, options in (("sft", ["--objective=sft"]), ("no mask", ["--no-confidence-mask"])):
    done = run(model, room / name, "--epochs=1", *options, pairs)
    assert_that(name, "watched_tokens" not in (room / name / "trainer_log.jsonl").read_text()
                and b"untaught" not in done.stderr, done.stderr)
# The tokens are those that the loss leaves out.
done, seen = watched("all", "--no-cuda-mask")
assert_that("all tokens", seen == [(4, responses, responses, responses)], seen)
