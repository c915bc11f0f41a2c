"""This runs cuset-score, cuset-sample and cuset-train with --quantize: records that say so, answers that do not depend
on how they are computed, kept answers and checkpoints of another form that are not taken, what is refused, and the
memory of a real model."""

import json
import math
import os
import pathlib
import sys

import _tiny_model as tiny
from _tool import assert_equal, assert_exit, assert_that, built, json_lines, room, run_tool

score, sample = built("cuset-score"), built("cuset-sample")
pairs = [{"id": i, "prompt": f"add {i}", "response": f"int x{i} = {i};\n" * (1 + i % 3)} for i in range(6)]
tasks = [{"id": i, "prompt": f"write kernel {i} " * (i % 4 + 1)} for i in range(5)]


def scores_of(*words):
    done = run_tool(score, "--plain", "-q", "--device=cpu", *words, data=pairs)
    assert_exit(f"{words}", done, 0)
    return [json.loads(line)["score"] for line in done.stdout.splitlines()]


def distance(ours, theirs):
    a, b = ([math.log(c) for s in scores for c in s["confidence"]] for scores in (ours, theirs))
    return sum(abs(x - y) for x, y in zip(a, b, strict=True)) / len(a)


def answers_of(model, *words):
    done = run_tool(sample, "--model", model, "--template=chatml", "--device=cpu", "--plain", "-q", "-n2",
                    "--max-new-tokens=20", *words, data=tasks)
    assert_exit(f"answers of {words}", done, 0)
    return done.stdout


# Blocks of 64 that cross rows, and rows of whole blocks.
models = {"crossing": tiny.write(room / "crossing")}
tiny.hidden, tiny.inner = 64, 192
models["whole"] = tiny.write(room / "whole")

for name, folder in models.items():
    chosen = ("--model", folder, "--template=chatml")
    plain = scores_of(*chosen)
    assert_equal(f"{name}: none", scores_of(*chosen, "--quantize=none"), plain)
    nf4, int8 = (scores_of(*chosen, "--quantize", form) for form in ("nf4", "int8"))
    assert_equal(f"{name}: models", [s[0]["model"] for s in (plain, nf4, int8)],
                 [name, f"{name}:nf4", f"{name}:int8"])
    assert_that(f"{name}: int8 is near, nf4 a little off", 0 < distance(int8, plain) < 0.2 * distance(nf4, plain)
                and distance(nf4, plain) < 1, distance(int8, plain), distance(nf4, plain))

    for form in "nf4", "int8":
        for dtype in "f32", "bf16":
            how = (f"--quantize={form}", f"--dtype={dtype}")
            first = answers_of(folder, *how, "--batch=1", "-t1")
            for options in (("--batch=16",), ("--batch=3", "-t3"), ("--draft=0",)):
                assert_equal(f"{name} {how} {options}", answers_of(folder, *how, *options), first)

# What was kept of another form is no answer of this one: the whole model, its codes, and the other ones.
for form in "none", "nf4", "int8":
    kept = room / f"kept-{form}.jsonl"
    how = ("--resume", kept, f"--quantize={form}")
    made = answers_of(models["whole"], *how)
    names = {json.loads(line)["model"] for line in made.splitlines()}
    assert_equal(f"{form}: names in candidates", names, {"whole" + ("" if form == "none" else f":{form}")})
    kept.write_bytes(b"".join(kept.read_bytes().splitlines(True)[:3]))
    assert_equal(f"{form}: continued", answers_of(models["whole"], *how), made)
    for other in {"none", "nf4", "int8"} - {form}:
        done = run_tool(sample, "--model", models["whole"], "--template=chatml", "--device=cpu", "-n2", "--resume", kept,
                        f"--quantize={other}", "--max-new-tokens=20", "-q", data=tasks)
        assert_exit(f"answers of {form} for {other}", done, 2, "another model, prompt or setting")

# An adapter on a quantised base.
train, base = built("cuset-train"), models["whole"]


def trained(folder, *words):
    return run_tool(train, "--model", base, "--template=chatml", "--device=cpu", "-q", "-t2", "--objective=sft",
                    "--lr=0.01", "--batch=2", "--max-steps=4", "--save-every=2", "-o", room / folder, *words, data=pairs)


def adapter_in(folder):
    return (room / folder / "adapter_model.safetensors").read_bytes()


for form in "none", "nf4", "int8":
    assert_exit(f"training on {form}", trained(form, f"--quantize={form}"), 0)
    settings = json.loads((room / form / "run.json").read_text())["settings"]
    assert_equal(f"{form}: settings", (settings.get("quantize"), settings["recompute"]),
                 (None if form == "none" else form, False))
    assert_exit(f"{form}: recomputed", trained(f"{form}-again", f"--quantize={form}", "--recompute"), 0)
    assert_that(f"{form}: recomputed to the same adapter", adapter_in(f"{form}-again") == adapter_in(form))
    checkpoint = f"--resume-from={room}/{form}/checkpoint-2"
    assert_exit(f"{form}: gone on", trained(f"{form}-resumed", f"--quantize={form}", checkpoint), 0)
    assert_that(f"{form}: gone on to the same adapter", adapter_in(f"{form}-resumed") == adapter_in(form))
    done = trained(f"{form}-other", f"--quantize={'int8' if form == 'nf4' else 'nf4'}", checkpoint)
    assert_exit(f"{form}: no checkpoint of another form", done, 2, "quantize")
assert_equal("adapters differ", len({adapter_in(form) for form in ("none", "nf4", "int8")}), 3)
config = room / "nf4" / "run.json"
assert_exit("run.json as --config", run_tool(train, "--config", config, "--device=cpu", "-q", "-o", room / "again",
                                             "--dry-run", data=pairs), 0)
assert_exit("all weights", trained("full", "--quantize=nf4", "--full"), 2, "--quantize", "--full")
learnt = scores_of("--model", base, "--template=chatml", "--quantize=nf4", "--adapter", room / "nf4")
assert_equal("an adapter's name", learnt[0]["model"], "whole:nf4+nf4")
assert_that("an adapter helps", sum(math.log(c) for s in learnt for c in s["confidence"])
            > sum(math.log(c) for s in nf4 for c in s["confidence"]))

# What cannot be quantised, or not here.
spoilt = tiny.tensors()
spoilt["model.layers.1.mlp.down_proj.weight"][1][7] = math.nan
folder = tiny.write(room / "spoilt", weights=tiny.safetensors(spoilt))
for form in "nf4", "int8":
    done = run_tool(score, "--model", folder, "--template=chatml", f"--quantize={form}", "--device=cpu", data=pairs)
    assert_exit(f"{form} of NaN", done, 1, 'tensor "model.layers.1.mlp.down_proj.weight"', "not finite")
assert_exit("another form", run_tool(score, "--quantize=fp4", data=pairs), 2, "--quantize")
for tool in score, sample:
    assert_exit("a server decides", run_tool(tool, "--endpoint=http://localhost:1", "--quantize=nf4", data=tasks), 2,
                "--quantize", "the server decides")

# A real model: its losses, and the memory that is no longer needed.
model = pathlib.Path(os.environ["CUSET_DEPS"]) / "models/SmolLM2-135M-Instruct"
if not (model / "model.safetensors").exists():
    print(f"without {model}")
    sys.exit(0)
pairs = [{"prompt": "Add two vectors.", "response": pathlib.Path(__file__).read_text(encoding="utf-8")[:1500]}]


def loss(form):
    (one,) = scores_of("--model", model, "-t2", "--quantize", form)
    return -sum(map(math.log, one["confidence"])) / len(one["confidence"])


def peak_megabytes(tool, words, data):
    """The program's largest resident set, which a process of its own waits for."""
    child = os.fork()
    if child == 0:
        with open(room / "input", "wb") as file:
            file.write(data)
        os.dup2(os.open(room / "input", os.O_RDONLY), 0)
        os.dup2(os.open(os.devnull, os.O_WRONLY), 1)
        os.execv(tool, [str(tool), *map(str, words)])
    _, status, used = os.wait4(child, 0)
    assert_equal("exit code", os.waitstatus_to_exitcode(status), 0)
    return used.ru_maxrss / 1024


exact, nf4, int8 = map(loss, ("none", "nf4", "int8"))
assert_that("losses of SmolLM2", exact < nf4 < exact + 0.5 and abs(int8 - exact) < 0.03, exact, nf4, int8)
# 106 of its 135 million weights are in linear layers: 212 MB, of which nf4 takes 55 and int8 106.
one = json_lines([{"prompt": "Add.", "response": "x = y + z;"}])
peaks = {form: peak_megabytes(score, ["--model", model, "-q", "-t1", "--device=cpu", f"--quantize={form}"], one)
         for form in ("none", "nf4", "int8")}
assert_that("memory", peaks["none"] - peaks["nf4"] > 90 and peaks["none"] - peaks["int8"] > 50, peaks)
