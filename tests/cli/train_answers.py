"""This trains on sampled answers with advantages (--objective grpo), from cuset-sample --confidence to an adapter: what a
run reports, that it goes on to the same bytes, what is masked, what is refused. tests/oracle/preference_losses.py holds
the numbers against TRL's."""

import functools
import json
import shutil
import subprocess

import _tiny_model as tiny
from _tool import built
from _train import adapter, assert_exit, assert_that, bad_run, environment, log, room, run

model = tiny.write(room / "model")
tasks = [{"id": f"t{i}", "prompt": f"set {i}"} for i in range(3)]
sampled = subprocess.run(
    [built("cuset-sample"), "--model", model, "--template=chatml", "--device=cpu", "-t1", "-n", "4", "--confidence",
     "--max-new-tokens=12", "--plain", "-q"], input="".join(json.dumps(t) + "\n" for t in tasks).encode(),
    capture_output=True, env=environment(), check=False)
assert_exit("cuset-sample", sampled, 0)
prompts = {t["id"]: t["prompt"] for t in tasks}
# The advantages of a group of four: two were right.
answers = [a | {"id": f"{a['task']}/{a['sample']}", "prompt": prompts[a["task"]], "finish": "stop",
                "advantage": 1.0 if a["sample"] % 2 else -1.0}
           for a in map(json.loads, sampled.stdout.splitlines())]
assert_that("answers", len(answers) == 12 and all(a["score"]["id"] for a in answers), answers)


def write(name, records):
    path = room / f"{name}.jsonl"
    path.write_text("".join(json.dumps(r) + "\n" for r in records))
    return path


usual = ("--objective=grpo", "--lr=0.02", "--batch=4", "--epochs=4", "--no-shuffle", "--dropout=0", "-q")
plain = write("plain", answers)
out = room / "out"
assert_exit("a run", run(model, out, *usual, "--save-every=5", plain), 0)
lines = log(out)
# The model that drew the answers is the one that is trained: all ratios are 1 at first, but for 6 digits.
assert_that("the first ratio", abs(lines[0]["ratio"] - 1) < 1e-4 and lines[0]["clip_share"] == 0, lines[0])
assert_that("the last step", lines[-1]["loss"] < lines[2]["loss"] and lines[-1]["clip_share"] > 0, lines[-1])
assert_that("no divergence", "kl" not in lines[0] and "reward_margin" not in lines[0], lines[0])
settings = json.loads((out / "run.json").read_text())["settings"]
assert_that("run.json", (settings["clip_low"], settings["clip_high"], settings["kl"], settings["keep_truncated"]) ==
            (0.2, 0.2, 0, False), settings)
assert_that("tokens", json.loads((out / "run.json").read_text())["data"]["response_tokens"] ==
            sum(len(a["score"]["id"]) for a in answers))

# A run of --kl that goes on has the reference of its start.
for name, options in (("adapter", ()), ("full", ("--full", "--lr=0.001"))):
    whole, cut = room / f"whole-{name}", room / f"cut-{name}"
    drop = tuple(o for o in usual if not (options and o.startswith("--dropout")))
    weights = "model.safetensors" if options else "adapter_model.safetensors"
    assert_exit(name, run(model, whole, *drop, "--kl=0.5", *options, "--save-every=5", plain), 0)
    assert_that(f"{name}, divergence", abs(log(whole)[0]["kl"]) < 1e-6 < log(whole)[-1]["kl"], log(whole)[-1])
    shutil.copytree(whole, cut)
    (cut / weights).unlink()
    (cut / "run.json").write_text(json.dumps(json.loads((cut / "run.json").read_text()) | {"finished": False}))
    last = max(cut.glob("checkpoint-*"), key=lambda point: int(point.name.split("-")[1]))
    shutil.rmtree(last)
    assert_exit(f"{name}, resumed", run(model, cut, *drop, "--kl=0.5", *options, "--save-every=5", "--resume", plain), 0)
    assert_that(f"{name}, resumed", (cut / weights).read_bytes() == (whole / weights).read_bytes(), "is another run")

# An answer that a limit ended changes nothing, unless it is kept.
cut = write("cut", [a | {"finish": "length"} if i == 1 else a for i, a in enumerate(answers)])
assert_exit("cut", run(model, room / "cut", *usual, cut), 0)
kept = sum(len(a["score"]["id"]) for i, a in enumerate(answers[:4]) if i != 1)
share = kept / sum(len(a["score"]["id"]) for a in answers[:4])
assert_that("cut", abs(log(room / "cut")[0]["mask_share"] - share) < 1e-6, (log(room / "cut")[0], share))
assert_exit("kept", run(model, room / "kept", *usual, "--keep-truncated", cut), 0)
assert_that("kept", adapter(room / "kept") == adapter(out) != adapter(room / "cut"))
all_cut = write("all-cut", [a | {"finish": "length"} for a in answers])
assert_exit("all cut", run(model, room / "all-cut", *usual, all_cut), 0)
assert_that("all cut", all((line["loss"], line["grad_norm"]) == (0, 0) for line in log(room / "all-cut")))

for option in ("--clip-low=0", "--clip-high=0", "--norm=sample", "--norm=sum"):
    assert_exit(option, run(model, room / option, *usual, option, plain), 0)
    assert_that(option, adapter(room / option) != adapter(out), "has no effect")
# A step in which no token is to blame changes nothing. A random model's answers hold no kernel.
for norm in ("tokens", "sample", "sum"):
    done = run(model, room / f"blame-{norm}", *usual[:-1], "--blame=code", f"--norm={norm}", plain)
    assert_exit(f"no code, {norm}", done, 0, "no response has a kernel or a launch")
    assert_that(f"no code, {norm}", all((line["loss"], line["grad_norm"]) == (0, 0) for line in log(room / f"blame-{norm}")))
assert_exit("window", run(model, room / "window", *usual, "--blame=window", "--size=4", plain), 0)
shares = [line["mask_share"] for line in log(room / "window")]
assert_that("window", 0 < shares[0] < 0.5 and adapter(room / "window") != adapter(out), shares)
assert_exit("dry run", run(model, room / "none", "--objective=grpo", "--dry-run", plain), 0)


bad = functools.partial(bad_run, model, "--objective=grpo")
good = answers[0]


def scored(**changes):
    return [good, good | {"score": good["score"] | changes}]


def changed(**changes):
    return [good, good | changes]


ids = good["score"]["id"]
for key in ("prompt", "response", "advantage", "score"):
    bad(f"no {key}", 1, (":2:", f'"{key}" is missing'), data=[good, {k: v for k, v in good.items() if k != key}])
bad("no number", 1, (":2:", '"advantage" is no finite number'), data=changed(advantage="1"))
bad("temperature", 1, (":2:", '"temperature" is 0.7'), data=changed(temperature=0.7))
bad("top_p", 1, (":2:", '"score.top_p" is 0.95'), data=scored(top_p=0.95))
bad("top_k", 1, (":2:", '"top_k" is 50'), data=changed(top_k=50))
bad("another model's tokens", 1, (":2:", "token 1 of", "another model"), data=scored(id=[(ids[0] + 1) % 97, *ids[1:]]))
bad("no such token", 1, (":2:", "lacks"), data=scored(id=[100000, *ids[1:]]))
bad("another answer", 1, (":2:",), data=changed(response=good["response"] + "x"))
bad("too few", 1, (":2:", "differ in length"), data=scored(id=ids[1:]))
bad("no probability", 1, (":2:", "(0, 1]"), data=scored(confidence=[0, *good["score"]["confidence"][1:]]))
bad("too long", 1, (":1:", "--max-tokens 16"), "--max-tokens=16", data=[good])
plain_values = changed(temperature=1, top_p=1.0, top_k=0)
done = run(model, room / "plain-values", "--objective=grpo", "-q", "--max-steps=1",
           data="".join(json.dumps(r) + "\n" for r in plain_values).encode())
assert_exit("the plain distribution, told", done, 0)
for option, word in (("--clip-low=2", "--clip-low"), ("--clip-high=-1", "--clip-high"), ("--kl=-1", "--kl"),
                     ("--beta=0.2", "--beta"), ("--size=9", "--size"), ("--eval-size=1", "--eval-size"), ("--label-smoothing=0.1", "--label")):
    bad(option, 2, (word,), option, data=[good])
for option in ("--blame=code", "--clip-low=0.1", "--kl=0.1", "--keep-truncated"):
    done = run(model, room / "new", "--objective=sft", "-q", option, plain)
    assert_exit(f"{option} of sft", done, 2, option.split("=")[0])
