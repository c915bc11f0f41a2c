"""This runs cuset-train on wrong command lines, data, adapters, checkpoints and folders: each gives
one line on stderr and the documented exit code, and nothing is lost."""

import json
import os
import shutil
import subprocess

import _tiny_model as tiny
from _tool import built
from _train import (adapter, assert_exit, assert_that, command, environment, pair, room, run, tensors, write_pairs,
                    write_text)

model = tiny.write(room / "model")
pairs = write_pairs(room / "pairs.jsonl")
quick = ("--max-steps=3", "-q", pairs)


def bad(name, exit_code, options, *words, out="new", data=None, base=model, **variables):
    """A run that must fail, and leave no adapter."""
    folder = room / out
    done = run(base, folder, *options, data=data, **variables)
    assert_exit(name, done, exit_code, *words)
    if out == "new":
        assert_that(name, not (folder / "adapter_model.safetensors").exists(), "left an adapter")
        shutil.rmtree(folder, ignore_errors=True)


# The command line.
for option, word in (("--tau=nan", "--tau"), ("--tau=1.5", "up to 1"), ("--lambda=-1", "--lambda"), ("--lr=0", "--lr"),
                     ("--epochs=0", "--epochs"), ("--epochs=1e18", "--epochs"), ("--warmup=-1", "--warmup"), ("--clip=-1", "--clip"),
                     ("--dropout=1", "--dropout"), ("--rank=-1", "--rank"), ("--size=0", "--size"),
                     ("--objective=ppo", "ppo"), ("--schedule=step", "step"), ("--batch=0", "--batch"),
                     ("--patience=2", "--eval"), ("--eval-every=2", "--eval"),
                     ("--device=tpu", "tpu")):
    bad(option, 2, (*quick, option), word)
bad("masks of another objective", 2, (*quick, "--objective=sft", "--no-reweight"), "--no-reweight")
bad("asft without a base", 2, (*quick, "--objective=asft", "--full"), "asft")
bad("an option of another objective", 2, (*quick, "--objective=sft", "--tau=0.5"), "--tau")
for options, word in ((("--objective=dft", "--mask=soft"), "--mask"), (("--objective=sft", "--tau-warmup=3"), "--tau-warmup"),
                      (("--objective=sft", "--weights=mean1"), "--weights"), (("--no-reweight", "--weights=mean1"), "--weights"),
                      (("--no-reweight", "--weight-power=2"), "--no-reweight"), (("--weight-power=-1",), "--weight-power"),
                      (("--no-confidence-mask", "--mask=soft"), "--mask"), (("--mask=soft", "--tau=-1"), "--mask"),
                      (("--no-confidence-mask", "--tau-warmup=3"), "--tau-warmup"), (("--mask=none",), "none"),
                      (("--weights=mean",), "mean"), (("--weights=mean1",), "one sample a step"), (("--weight-power=9",), "[0, 8]"),
                      (("--weights=mean1", "--batch=2", "--weight-power=0"), "--weight-power 0"),
                      (("--mask=stubborn", "--tau=0"), "--mask"), (("--tau=-1", "--tau-warmup=4"), "--tau-warmup"), (("--tau-warmup=-1",), "--tau-warmup"), (("--weight-power=nan",), "--weight-power")):
    bad(" ".join(options), 2, (*quick, *options), word)
bad("two ways to go on", 2, (*quick, "--resume", "--resume-from=x"), "--resume-from")
bad("rank and full", 2, (*quick, "--full", "--rank=4"), "--full")
bad("two batch sizes", 2, (*quick, "--step-tokens=100", "--batch=2"), "--step-tokens")
bad("two held-out sets", 2, (*quick, f"--eval={pairs}", "--eval-size=2"), "--eval-size")
bad("no model", 1, quick, "nowhere", base=room / "nowhere")

# Data.
untagged = [{k: v for k, v in pair(i).items() if k != "tag"} for i in range(3)]
text = "".join(json.dumps(p) + "\n" for p in untagged).encode()
bad("untagged", 1, ("-q", "--max-steps=1"), "cuset-tag", "--no-cuda-mask", data=text)
for option in ("--no-cuda-mask", "--lambda=0", "--objective=sft"):
    done = run(model, room / f"untagged{option}", "-q", "--max-steps=1", option, data=text)
    assert_exit(f"untagged with {option}", done, 0)
bad("no record", 1, ("-q",), "no record", data=b"")
bad("broken record", 1, ("-q",), ":1:", data=b"{\n")
bad("tag of another text", 1, ("-q",), "tag", data=json.dumps(
    {**pair(0), "response": "x"}).encode() + b"\n")
bad("no file", 1, ("-q", room / "absent.jsonl"), "absent.jsonl")
done = run(model, room / "rejecting", "-q", "--max-steps=1", "--no-confidence-mask", "--on-error=skip",
           f"--rejects={room}/bad.jsonl", data=b"{\n" + json.dumps(pair(0)).encode() + b"\n")
assert_exit("rejected records", done, 3, "1 of 2")
assert_that("rejects", (room / "bad.jsonl").read_bytes() == b"{\n")

done = run(model, room / "rejecting2", "-q", "--max-steps=1", "--no-confidence-mask", "--on-error=skip", f"--eval={pairs}",
           f"--rejects={room}/bad2.jsonl", data=b"{\n" + json.dumps(pair(0)).encode() + b"\n")
assert_exit("rejected records beside held-out ones", done, 3, "1 of 2")
assert_that("rejects beside held-out ones", (room / "bad2.jsonl").read_bytes() == b"{\n")
bad("one sample, and one to hold out", 1, ("-q", "--eval-size=0.5"), "hold out",
    data=json.dumps(pair(0)).encode())

words = tiny.tokenizer()
words["added_tokens"] += [{**words["added_tokens"][0], "id": 258, "content": "<|beyond|>"}]
beyond = tiny.write(room / "beyond", words=words)
bad("a token that the model has not", 1, ("-q", "--objective=sft"), ":2:", "token 258 is outside the model's 258 tokens",
    data=b"".join(json.dumps({**pair(i), "prompt": text}).encode() + b"\n" for i, text in enumerate(["x", "<|beyond|>"])),
    base=beyond)
(room / "words.gguf").write_bytes(b"GGUF\3\0\0\0")
bad("a GGUF file", 4, quick, "words.gguf: a GGUF model", "cuset(7)", base=room / "words.gguf")
(room / "folder").mkdir()
shutil.copy(room / "words.gguf", room / "folder")
bad("a folder with a GGUF file", 4, quick, "words.gguf: a GGUF model", base=room / "folder")

# Adapters.
assert_exit("a good run", run(model, room / "good", *quick), 0)
other = tiny.write(room / "wide", model_config=tiny.config(vocab_size=258, intermediate_size=32),
                   weights=tiny.safetensors({
                       name: ((32, 16), values + values[:128]) if "gate" in name or "up_proj" in name
                       else ((16, 32), values + values[:128]) if "down" in name else (shape, values)
                       for name, (shape, values) in tiny.tensors().items()}))
bad("adapter of another model", 4, (*quick, f"--init-adapter={room}/good"), "shape", base=other)
bad("adapter of another rank", 2, (*quick, f"--init-adapter={room}/good", "--rank=4"), "rank 8",
    "--rank 4")
bad("adapter of another scale", 2, (*quick, f"--init-adapter={room}/good", "--rslora"), "--rslora")
stable = (*quick, "--rslora", "--alpha=12")
assert_exit("a rank-stabilised run", run(model, room / "stable", *stable), 0)
assert_exit("one that goes on", run(model, room / "stable on", *stable, f"--init-adapter={room}/stable"), 0)
for name in ("stable", "stable on"):
    settings = json.loads((room / name / "adapter_config.json").read_text())
    assert_that(name, settings["use_rslora"] is True and settings["lora_alpha"] == 12, settings)
partial = shutil.copytree(room / "good", room / "partial")
whole = tensors(partial / "adapter_model.safetensors")
shapes = {name: (8, len(v) // 8) if "lora_A" in name else (len(v) // 8, 8) for name, v in whole.items()}
(partial / "adapter_model.safetensors").write_bytes(tiny.safetensors(
    {name: (shapes[name], list(v)) for name, v in whole.items() if "q_proj" not in name}))
bad("adapter of other layers", 2, (*quick, f"--init-adapter={partial}", "--target=all"), "--target all")
bad("no such layer", 2, (*quick, "--target=q_proj,query"), '"query"', "q_proj, k_proj")
bad("layers of all weights", 2, (*quick, "--target=q_proj", "--full"), "--target")
bad("no adapter there", 1, (*quick, f"--init-adapter={room}/nowhere"), "nowhere")

# cuset-merge makes the folders above its output, and names it where it cannot.
merge = subprocess.run([built("cuset-merge"), "--model", model, "--adapter", partial, "-o", room / "a/b/merged"],
                       capture_output=True, check=False)
assert_exit("merged", merge, 0, "largest logit difference")
assert_that("merged", (room / "a/b/merged/model.safetensors").exists() and len(list((room / "a/b").iterdir())) == 1)
# Updates that an adapter's config does not name are left out, and every tool says so.
fewer = shutil.copytree(room / "good", room / "fewer")
settings = json.loads((fewer / "adapter_config.json").read_text())
(fewer / "adapter_config.json").write_text(json.dumps(settings | {"target_modules": ["q_proj"]}))
for tool, options in (("cuset-merge", ("-o", room / "few")), ("cuset-score", ("--template=chatml", pairs, "-o", room / "s")),
                      ("cuset-sample", ("--template=chatml", "--max-new-tokens=1", pairs, "-o", room / "c")),
                      ("cuset-train", (*quick[:1], "--objective=sft", "--template=chatml", pairs, "-o", room / "t"))):
    word = "--init-adapter" if tool == "cuset-train" else "--adapter"
    done = subprocess.run([built(tool), "--model", model, word, fewer, *options], capture_output=True, check=False,
                          env=environment())
    assert_exit(f"{tool} leaves out", done, 0, "left out, as in peft: 24 tensors of the adapter")
# Whole modules are read and merged; training would lose them.
keeps = shutil.copytree(room / "good", room / "keeps")
(keeps / "adapter_config.json").write_text(json.dumps(settings | {"modules_to_save": ["model.norm"], "use_rslora": False}))
(keeps / "adapter_model.safetensors").write_bytes(tiny.safetensors(
    {name: (shapes[name], list(v)) for name, v in whole.items()} |
    {"base_model.model.model.norm.weight": ((16,), [0.5] * 16)}))
bad("whole modules", 4, (*quick, f"--init-adapter={keeps}"), "modules_to_save", "cuset-merge")
merge = subprocess.run([built("cuset-merge"), "--model", model, "--adapter", keeps, "-o", room / "kept"],
                       capture_output=True, check=False)
assert_exit("merged whole modules", merge, 0)
assert_that("merged whole modules", tensors(room / "kept/model.safetensors")["model.norm.weight"] == (0.5,) * 16)
merge = subprocess.run([built("cuset-merge"), "--model", model, "--adapter", partial, "-o", f"{pairs}/x"],
                       capture_output=True, check=False)
assert_exit("merged below a file", merge, 1, f"{pairs}/x: Not a directory")

# Folders.
before = adapter(room / "good")
bad("a folder that holds a run", 2, quick, "holds run.json", "--resume", out="good")
assert_that("the run in it", adapter(room / "good") == before)
assert_exit("a finished run, resumed", run(model, room / "good", *quick, "--resume"), 0)
assert_that("the finished run", adapter(room / "good") == before)
bad("other settings", 2, (*quick, "--resume", "--lr=0.01", "--tau=0.5"), "lr 0.01 (there 0.0001)",
    "tau 0.5 (there 0.1)", out="good")
done = run(model, room / "good", *(word for word in quick if word != "-q"), "--resume", "--lr=0.01")
assert_that("other settings, and no list of all before", done.returncode == 2 and b"adam_beta1" not in done.stderr
            and b"lr 0.01 (there 0.0001)" in done.stderr, done.stderr)
assert_exit("a run with checkpoints", run(model, room / "steps", *quick, "--save-every=1"), 0)
done = run(model, room / "other steps", *(word for word in quick if word != "-q"), "--lr=0.01",
           f"--resume-from={next((room / 'steps').glob('checkpoint-*'))}")
assert_that("a checkpoint of other settings", done.returncode == 2 and b"adam_beta1" not in done.stderr
            and b"lr 0.01 (there 0.0001)" in done.stderr, done.stderr)
retagged = room / "retagged.jsonl"
retagged.write_text("".join(json.dumps({**pair(i), "tag": {"spans": []}}) + "\n" for i in range(7)))
bad("other tags", 2, ("--max-steps=3", "-q", "--resume", retagged), "data_hash", out="good")
stranger = shutil.copytree(room / "good", room / "stranger")
bad("another start", 2, (*quick, "--resume", f"--init-adapter={stranger}"), "start_hash", out="good")
(stranger / "run.json").unlink()
bad("no run to go on with", 2, (*quick, "--resume"), "no run.json", out="stranger")
assert_that("what was there", adapter(stranger) == before)
weights = (model / "model.safetensors").read_bytes()
bad("the model's own folder", 2, (*quick, "--resume", "--full"), "model's own folder", out="model")
assert_that("the model's own folder", (model / "model.safetensors").read_bytes() == weights)
bad("the output is a file", 1, quick, "pairs.jsonl", out="pairs.jsonl")

# Checkpoints.
saved = ("--max-steps=4", "--save-every=2", "-q", pairs)
assert_exit("a run with checkpoints", run(model, room / "saved", *saved), 0)
point = room / "saved" / "checkpoint-2"


def spoiled(name, exit_code, *words, options=saved, base=model, edit=lambda folder: None):
    folder = room / "spoiled"
    shutil.copytree(point, folder)
    edit(folder)
    bad(name, exit_code, (*options, f"--resume-from={folder}"), *words, base=base)
    shutil.rmtree(folder)


def cut(file):
    def edit(folder):
        whole = (folder / file).read_bytes()
        (folder / file).write_bytes(whole[:len(whole) // 2])
    return edit


spoiled("checkpoint's tensors are cut", 1, "state.safetensors", edit=cut("state.safetensors"))
spoiled("checkpoint's state is cut", 1, "trainer_state.json", edit=cut("trainer_state.json"))
spoiled("checkpoint without tensors", 1, "state.safetensors",
        edit=lambda folder: (folder / "state.safetensors").unlink())
spoiled("checkpoint of other settings", 2, "seed 7 (there 42)", options=(*saved, "--seed=7"))
spoiled("checkpoint of another model", 2, "model_hash", base=tiny.write(
    room / "reseeded", weights=tiny.safetensors(tiny.tensors(2))))
bad("no checkpoint there", 1, (*saved, f"--resume-from={room}/nowhere"), "nowhere")

# A pass that needs more memory than this machine has is refused before it begins, with a size that
# would fit. Each token of the response is a byte, and each layer keeps 800 bytes for it.
tiny.layers = 200
deep = tiny.write(room / "deep", model_config=tiny.config(num_hidden_layers=200))
tiny.layers = 2
installed = os.sysconf("SC_PHYS_PAGES") * os.sysconf("SC_PAGE_SIZE")
long = write_text(room / "long.jsonl", "x = 1;\n" * (installed // (200 * 800 * 7) + 1))
for options in ((), ("--dry-run",)):
    bad("a pass too large", 4, ("-q", "--objective=sft", "--max-tokens=16777216", long, *options),
        "tokens takes about", "are free", "--recompute", "would fit", base=deep)

# Memory runs out while an adapter of some gigabytes is made, though a small one has enough.
# AddressSanitizer reserves terabytes of addresses; LibTorch's GPU libraries alone take more than
# these.


def within_2_gb(rank, *options):
    return subprocess.run(["prlimit", "--as=2000000000", *command(
        deep, room / "no-memory", *quick, f"--rank={rank}", *options)],
        capture_output=True, env=environment(), check=False)


if not os.environ.get("CUSET_SANITIZERS"):
    small = within_2_gb(1, "--dry-run")
    if small.returncode == 127:
        print("     an adapter without memory left out: the program does not load within 2 GB")
    else:
        assert_exit("memory for an adapter", small, 0)
        for options in ((), ("--dry-run",)):
            assert_exit("no memory for an adapter", within_2_gb(65536, *options), 4, "out of memory")
            assert_that("no memory for an adapter",
                              not (room / "no-memory/adapter_model.safetensors").exists())

# A learning rate that diverges: the guard names the samples, checkpoints stay.
done = run(model, room / "diverging", "--lr=1e30", "--warmup=1", "--schedule=constant", "--save-every=1",
           "--max-steps=50", "--clip=0", "-q", pairs)
assert_exit("diverging", done, 1, "is not finite; its samples: k")
assert_that("diverging", any((room / "diverging").glob("checkpoint-*")), "no checkpoint stayed")
assert_that("diverging", not (room / "diverging" / "adapter_model.safetensors").exists())

# Processes.
bad("several without an address", 2, quick, "MASTER_ADDR", WORLD_SIZE=2, RANK=0)
bad("several without a rank", 2, quick, "RANK", WORLD_SIZE=2, MASTER_ADDR="localhost")
bad("rank out of range", 2, quick, "RANK=2", WORLD_SIZE=2, RANK=2, MASTER_ADDR="localhost")
bad("no process", 2, quick, "LOCAL_WORLD_SIZE", WORLD_SIZE=2, RANK=0, MASTER_ADDR="localhost",
    LOCAL_WORLD_SIZE=0)
bad("no number", 2, quick, "WORLD_SIZE=two", WORLD_SIZE="two")
bad("several on standard input", 2, ("-q",), "standard input", data=text, WORLD_SIZE=2, RANK=0,
    MASTER_ADDR="localhost")
