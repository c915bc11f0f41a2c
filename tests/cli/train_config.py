"""Config files of cuset-train and other names of its options, on a tiny model: a file gives the same run as the same
words on the command line, the command line wins, a run.json gives its run again, LLaMA-Factory's names mean what they
mean there, and everything else is refused with file and line."""

import json
import subprocess

import _tiny_model as tiny
from _train import adapter, assert_exit, assert_that, environment, room, run, train, write_pairs

model = tiny.write(room / "model")
pairs = write_pairs(room / "pairs.jsonl")


def settings(name):
    return json.loads((room / name / "run.json").read_text())["settings"]


def config(text, name="config.yaml"):
    path = room / name
    path.write_text(text)
    return path


def same_run(name, *options, of="plain"):
    """The run ends in the bytes of another and has its settings."""
    done = run(model, room / name, *options, "-q", pairs)
    assert_exit(name, done, 0)
    if done.returncode == 0:
        ours, theirs = settings(name), settings(of)
        assert_that(name, adapter(room / name) == adapter(room / of), "other bytes",
                    {k: (ours.get(k), theirs.get(k)) for k in ours | theirs if ours.get(k) != theirs.get(k)})


plain = ("--lr=0.05", "--epochs=2", "--batch=2", "--rank=4", "--alpha=12", "--dropout=0.1", "--no-shuffle",
         "--warmup=2", "--clip=0.5", "--max-tokens=90", "--log-every=2", "--save-every=3", "--keep=1", "--size=16")
assert_exit("plain", run(model, room / "plain", *plain, "-q", pairs), 0)

# The command line alone: LLaMA-Factory's names, and the last word wins whatever it is called.
same_run("foreign words", "--learning-rate=0.05", "--num-train-epochs", "2", "--per-device-train-batch-size=2",
         "--lora-rank=4", "--lora-alpha=12", "--lora-dropout=0.1", "--disable-shuffling", "--warmup-steps=2",
         "--max-grad-norm=0.5", "--cutoff-len=90", "--logging-steps=2", "--save-steps=3", "--save-total-limit=1",
         "--size=16")
same_run("the last word", *plain, "--lr=1", "--learning-rate=0.05")
assert_that("accumulation", run(model, room / "accumulated", *plain, "--gradient-accumulation-steps=2", "-q",
                                pairs).returncode == 0 and settings("accumulated")["accumulate"] == 2)
done = run(model, room / "nothing", "--learning_rate=1", pairs)
assert_exit("an underscore", done, 2, "--learning_rate: there is no such option; did you mean --learning-rate?")
done = subprocess.run([train, "--help"], capture_output=True, check=True)
words = " ".join(done.stdout.decode().split())
assert_that("help names them", "Default: 0.0001. Also --learning-rate." in words
            and "Also --per-device-train-batch-size." in words, words)

# A file of our own names, with dashes and underscores, and one of LLaMA-Factory's.
ours = config("""# what a user writes
lr: 5.0e-2
epochs: 2
batch: 2
rank: 4
alpha: 12
dropout: "0.1"
no-shuffle: true
warmup: 2
clip: .5
max_tokens: 90
log-every: 2
save_every: 3
keep: 1
size: 16
full: false
init-adapter:
""")
same_run("our names", "--config", ours)
theirs = f"""### model
model_name_or_path: {model}
stage: sft
do_train: true
finetuning_type: lora
lora_rank: 4
lora_alpha: 12
lora_dropout: 0.1
lora_target: all
cutoff_len: 90
output_dir: {room}/nowhere
learning_rate: 5.0e-2
num_train_epochs: 2.0
lr_scheduler_type: cosine
warmup_steps: 2
max_grad_norm: 0.5
per_device_train_batch_size: 2
gradient_accumulation_steps: 1
disable_shuffling: true
logging_steps: 2
save_steps: 3
save_total_limit: 1
plot_loss: true
trust_remote_code: true
overwrite_cache: true
preprocessing_num_workers: 16
dataloader_num_workers: 4
per_device_eval_batch_size: 1
ddp_timeout: 180000000
resume_from_checkpoint: null
adam_beta2: 0.9990
size: 16
"""
same_run("their names", "--config", config(theirs))
# The output and the model may come from the file; what the file lacks has cuset-train's defaults.
done = subprocess.run([train, "--config", config(theirs), "--template=chatml", "--device=cpu", "-t1", "-q", pairs],
                      capture_output=True, check=False, env=environment())
assert_exit("model and output of the file", done, 0)
assert_that("model and output of the file", adapter(room / "nowhere") == adapter(room / "plain"))
# The command line wins, over flags too.
same_run("the command line wins", f"--config={config('full: true' + chr(10) + 'shuffle: true' + chr(10) + 'lr: 7')}",
         *plain, "--full=false")
assert_that("shuffle: false", run(model, room / "still", "--config", config("shuffle: false\nreweight: false\n"),
                                  "--max-steps=1", "-q", pairs).returncode == 0
            and settings("still")["shuffle"] is False and settings("still")["reweight"] is False)
for name, text, key, wanted in (("warmup_ratio", "warmup_ratio: 0.25", "warmup", 0.25),
                                ("constant_with_warmup", "lr_scheduler_type: constant_with_warmup", "schedule",
                                 "constant"),
                                ("finetuning_type", "finetuning_type: full", "full", True),
                                ("nothing", "# nothing\n", "lr", 1e-4),
                                ("a start", "--- # a document\nlr: 3\n", "lr", 3)):
    assert_exit(name, run(model, room / name, "--config", config(text), "--max-steps=1", "-q", pairs), 0)
    assert_that(name, settings(name)[key] == wanted, settings(name))

# The run.json of a run gives that run, to the byte; its words can be replaced.
same_run("run.json", "--config", room / "plain/run.json")
rich = ("--objective=cuset", "--tau=0.02", "--lambda=0.5", "--norm=sum", "--schedule=linear", "--no-reweight",
        "--step-tokens=400", "--seed=7", "--recompute", "--lr=0.02", "--max-steps=3", "--eval-size=2",
        "--eval-every=1", "--patience=5", f"--init-adapter={room}/plain", "--weight-decay=0.01")
assert_exit("rich", run(model, room / "rich", *rich, "-q", pairs), 0)
same_run("rich run.json", "--config", room / "rich/run.json", of="rich")
assert_that("the same settings", settings("rich run.json") == settings("rich"))
done = run(model, room / "replaced", "--config", room / "plain/run.json", "--lr=0.01", pairs)
assert_exit("replaced", done, 0)
assert_that("replaced", settings("replaced")["lr"] == 0.01 and settings("replaced")["rank"] == 4 and
            b"is of a run" not in done.stderr, done.stderr)
# The fields of the records are settings too.
renamed = room / "renamed.jsonl"
renamed.write_text(pairs.read_text().replace('"prompt"', '"question"').replace('"response"', '"answer"'))
fields = ("--prompt-field=question", "--response-field=answer")
assert_exit("fields", run(model, room / "fields", *fields, "--max-steps=2", "-q", renamed), 0)
done = run(model, room / "fields again", "--config", room / "fields/run.json", renamed)
assert_exit("fields again", done, 0)
assert_that("fields again", adapter(room / "fields") == adapter(room / "fields again"))
fewer = write_pairs(room / "fewer.jsonl", 4)
done = run(model, room / "other data", "--config", room / "plain/run.json", fewer)
assert_exit("other data", done, 0, "plain/run.json is of a run with other data than this one's")
other = tiny.write(room / "other", weights=tiny.safetensors(
    {name: (shape, [value / 2 for value in values]) for name, (shape, values) in tiny.tensors().items()}))
done = run(other, room / "other model", "--config", room / "plain/run.json", pairs)
assert_exit("other model", done, 0, "plain/run.json is of a run with another model than this one's")

# A usual file of LLaMA-Factory runs as it is: its data sets, and what it says of the machine.
data = room / "sets"
data.mkdir()
alpaca = [{"instruction": f"scale by {i}", "input": "", "output": f"int main() {{ f<<<1, {i}>>>(p); }}\n"} for i in range(12)]
(data / "mini.json").write_text(json.dumps(alpaca[:8], indent=1))
(data / "more.jsonl").write_text("".join(json.dumps(r) + "\n" for r in alpaca[8:]))
(data / "talk.json").write_text(json.dumps([{"conversations": [
    {"from": "human", "value": r["instruction"]}, {"from": "gpt", "value": r["output"]}]} for r in alpaca]))
(data / "dataset_info.json").write_text(json.dumps({
    "mini": {"file_name": "mini.json"}, "more": {"file_name": "more.jsonl", "split": "train"},
    "talk": {"file_name": "talk.json", "formatting": "sharegpt"}, "far": {"hf_hub_url": "who/what"},
    "part": {"file_name": "mini.json", "num_samples": 3}}))


def usual(name, *changes):
    """A file as LLaMA-Factory's examples have it; a change replaces the line of its name, or adds one."""
    lines = {line.split(":")[0]: line for line in f"""model_name_or_path: {model}
trust_remote_code: true
flash_attn: auto
stage: sft
do_train: true
finetuning_type: lora
lora_rank: 8
lora_target: all
dataset: mini,more
dataset_dir: {data}
template: chatml
cutoff_len: 2048
max_samples: 5
overwrite_cache: true
preprocessing_num_workers: 16
dataloader_num_workers: 4
output_dir: {room}/usual {name}
logging_steps: 10
save_steps: 500
plot_loss: true
overwrite_output_dir: true
save_only_model: false
report_to: none
per_device_train_batch_size: 1
gradient_accumulation_steps: 8
learning_rate: 1.0e-4
num_train_epochs: 1.0
lr_scheduler_type: cosine
warmup_ratio: 0.1
bf16: true
ddp_timeout: 180000000
resume_from_checkpoint: null
gradient_checkpointing: true
val_size: 0.1
per_device_eval_batch_size: 1
eval_strategy: steps
eval_steps: 500
""".splitlines()}
    for change in changes:
        lines[change.split(":")[0]] = change
    return config("\n".join(lines.values()) + "\n", f"{name}.yaml")


def started(name, *options, changes=()):
    return subprocess.run([train, "--config", usual(name, *changes), "--device=cpu", "-t1", "--objective=sft", *options],
                          capture_output=True, check=False, env=environment())


done = started("whole")
assert_exit("a usual file", done, 0, "takes bf16 as dtype: bf16; gradient_checkpointing as recompute; eval_steps as eval_every",
            f"; the data are {data}/mini.json, {data}/more.jsonl", "no result depends on trust_remote_code, flash_attn")
found = settings("usual whole")
assert_that("a usual file", (found["dtype"], found["samples"], found["held_out_samples"], found["eval_every"], found["recompute"],
                             found["step_samples"], found["rank"]) == ("bf16", 8, 1, 500, True, 8, 8), found)
text = usual("no objective").read_text()
done = subprocess.run([train, "--config", config(text, "piped.yaml"), "--device=cpu", "-t1", "-"], capture_output=True,
                      check=False, env=environment(), input=pairs.read_bytes())
assert_exit("a file, and standard input", done, 0, "stage does not choose the objective")
assert_that("standard input replaces the data sets", settings("usual no objective")["samples"] == 4
            and settings("usual no objective")["columns"] == "", settings("usual no objective"))
for name, change, key, wanted in (
        ("one data set", "dataset: more", "samples", 3), ("conversations", "dataset: talk", "samples", 4),
        ("all of them", "max_samples: 100000", "samples", 10), ("no limit", "max_samples: null", "samples", 10),
        ("half", "fp16: false", "dtype", "bf16"), ("float", "bf16: false", "dtype", "f32"),
        ("some layers", "lora_target: q_proj,v_proj", "target", "q_proj,v_proj"), ("all weights", "finetuning_type: full", "full", True),
        ("their template", "template: deepseekcoder", "template", "lf:deepseekcoder"), ("no evaluation", "eval_strategy: no", "eval_every", 0),
        ("each epoch", "eval_strategy: epoch", "eval_every", 0), ("old name", "evaluation_strategy: steps", "eval_every", 500),
        ("attention", "flash_attn: fa2", "samples", 8), ("liger", "enable_liger_kernel: true", "samples", 8),
        ("unsloth", "use_unsloth: true", "samples", 8), ("told to others", "report_to: wandb", "samples", 8),
        ("linear", "lr_scheduler_type: linear", "schedule", "linear"), ("clipped", "max_grad_norm: 0.3", "clip", 0.3),
        ("no recomputing", "gradient_checkpointing: false", "recompute", False),
        ("steps", "max_steps: 1", "max_steps", 1), ("seed", "seed: 7", "seed", 7)):
    changes = [change] + (["lora_rank:", "lora_target:"] if name == "all weights" else [])
    changes += ["eval_strategy:"] if name == "old name" else []
    done = started(name, changes=changes)
    assert_exit(f"a usual file, {name}", done, 0)
    found = settings(f"usual {name}") if done.returncode == 0 else {}
    assert_that(f"a usual file, {name}", found.get(key) == wanted, found, done.stderr.decode()[:600])

# What is refused: one line with file and line.
for name, text, line, *message in (
        ("unknown", "lr: 1\nlearning_rat: 1\n", 2, '"learning_rat" is no setting of cuset-train', "did you mean learning_rate?"),
        ("unknown, dashes", "num-train-epoch: 1\n", 1, "did you mean num-train-epochs?"),
        ("far from all", "# x\n\nfoo: 1\n", 3, '"foo" is no setting of cuset-train'),
        ("no integer", "lr: 1\nbatch: two\n", 2, "\"batch\": 'two' is no integer from 1 to 1048576"),
        ("no integer, theirs", "per_device_train_batch_size: 0\n", 1, "\"per_device_train_batch_size\": '0' is no integer"),
        ("no number", "lr: fast\n", 1, "\"lr\": 'fast' is no number"),
        ("no word", "objective: cust\n", 1, "\"objective\": 'cust' is none of cuset,", "did you mean cuset?"),
        ("no truth", "full: 1\n", 1, "\"full\": '1' is neither true nor false"),
        ("no truth either", "shuffle: no way\n", 1, "\"shuffle\": 'no way' is neither"),
        ("empty", 'template: ""\n', 1, "\"template\": the value is empty"),
        ("a list", "lr: [1, 2]\n", 1, '"lr" is a list or a mapping'),
        ("a mapping", "train:\n  lr: 1\n", 1, '"train" is a list or a mapping'),
        ("no mapping", "- lr\n", 1, "no settings"),
        ("text", "lr\n", 1, "no settings"),
        ("two documents", "lr: 1\n---\nlr: 2\n", 3, "a second document"),
        ("no YAML", "lr: 1\n\tbatch: 2\n", 2),
        ("open quotes", 'lr: "1\n', 1),
        ("twice", "lr: 1\nbatch: 1\nlr: 2\n", 3, '"lr" sets --lr, as line 1 does'),
        ("twice, theirs", "lr: 1\nlearning_rate: 2\n", 2, '"learning_rate" sets --lr, as line 1 does'),
        ("a config", "config: other.yaml\n", 1, '"config" cannot stand in a config file'),
        ("two strategies", "eval_strategy: steps\nevaluation_strategy: epoch\n", 2, "stands in line 1 already"),
        ("two sets", f"dataset: mini\ndataset: more\n", 2, '"dataset" stands in line 1 already'),
        ("no folder of data sets", "stage: sft\ndataset: mine\n", 2, "data/dataset_info.json: No such file"),
        ("no such data set", f"dataset: mine\ndataset_dir: {data}\n", 1, 'dataset_info.json has no data set "mine"'),
        ("a data set to download", f"dataset_dir: {data}\ndataset: far\n", 2, "nothing is downloaded here"),
        ("a part of a data set", f"dataset_dir: {data}\ndataset: part\n", 2, '"num_samples" takes a part'),
        ("data sets of two forms", f"dataset_dir: {data}\ndataset: mini, talk\n", 2, "different columns"),
        ("stage", "stage: dpo\n", 1, '"stage: dpo" cannot be had'),
        ("packing", "packing: true\n", 1, '"packing: true" cannot be had', "step_tokens"),
        ("bf16", "bf16: yes\n", 1, "neither true nor false"),
        ("two types", "dtype: f32\nbf16: true\n", 2, '"bf16" sets --dtype, as line 1 does'),
        ("eval_strategy", "eval_strategy: best\n", 1, "use eval_every"),
        ("dft", "use_dft_loss: true\n", 1, "use objective: dft"),
        ("deepspeed", "deepspeed: x.json\n", 1, '"deepspeed" has no counterpart in cuset-train'),
        ("constant", "lr_scheduler_type: constant\n", 1, "no warm-up", "warmup: 0"),
        ("polynomial", "lr_scheduler_type: polynomial\n", 1, "cosine, linear or constant"),
        ("freeze", "finetuning_type: freeze\n", 1, "lora and full"),
        ("a whole ratio", "warmup_ratio: 1\n", 1, "a share is below 1"),
        ("adam", "adam_beta1: 0.8\n", 1, "it is 0.9 here"),
        ("a run's fact", "data_hash: 12\n", 1, '"data_hash" is no setting'),
        ("merged", "a: &a\n  lr: 1\n", 1, '"a" is a list or a mapping')):
    inputs = () if "data set" in name else (pairs,)
    done = run(model, room / f"refused {name}", "--config", config(text, "c.yaml"), *inputs)
    assert_exit(name, done, 1 if "folder" in name else 2, f"{room}/c.yaml:{line}: ", *message)
    assert_that(name, not (room / f"refused {name}").exists())
several = config("lr: 1\nref_model: mine\nfp16: true\nlr: fast\n", "c.yaml")
done = run(model, room / "refused all", "--config", several, pairs)
assert_that("all at once", done.returncode == 2, done.returncode)
assert_that("all at once, a line each", [words in line for words, line in zip(
    ('c.yaml:2: "ref_model" has no counterpart', 'c.yaml:3: "fp16: true" cannot be had', "c.yaml:4: \"lr\": 'fast' is no number"),
    done.stderr.decode().splitlines(), strict=True)] == [True] * 3, done.stderr)
record = json.loads((room / "plain/run.json").read_text())
record["settings"]["unheard_of"] = 1
assert_exit("a setting of another version", run(model, room / "newer", "--config", config(json.dumps(record, indent=1)), pairs),
            2, '"unheard_of" is no setting')
assert_exit("no file", run(model, room / "absent", "--config", room / "absent.yaml", pairs), 1, "absent.yaml: No such file")
assert_exit("contradiction", run(model, room / "both", "--config", config("step_tokens: 90\nbatch: 2\n"), pairs), 2,
            "--step-tokens replaces --batch")
# Help comes before the file.
done = subprocess.run([train, "--config", room / "absent.yaml", "--version"], capture_output=True, check=False)
assert_exit("version", done, 0)
