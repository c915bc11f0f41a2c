"""--resume --extend of cuset-train on a tiny model: a longer run of a constant rate is one long run, byte for byte; with
other schedules the steps that are left have the longer run's rates and the steps done stay; and what is refused."""

import json
import math
import shutil

import _tiny_model as tiny
from _train import adapter, assert_exit, assert_that, log, room, run, write_pairs

model = tiny.write(room / "model")
pairs = write_pairs(room / "pairs.jsonl")
constant = ("--schedule=constant", "--warmup=2", "--lr=0.05", "--batch=2", "--save-every=3")


def train(name, *options):
    return run(model, room / name, *options, pairs)


def record(name):
    return json.loads((room / name / "run.json").read_text())


def rates(name):
    return {line["current_steps"]: line["lr"] for line in log(room / name) if "lr" in line}


def without_times(lines):
    timed = ("elapsed_time", "remaining_time", "throughput")
    return [{k: v for k, v in line.items() if k not in timed} for line in lines]


# Constant: 2 epochs of 4 steps, with checkpoints at 6 and 8, the end; then 5 epochs.
assert_exit("long", train("long", *constant, "--epochs=5", "-q"), 0)
assert_exit("short", train("short", *constant, "--epochs=2", "-q"), 0)
short = adapter(room / "short")
assert_that("they differ", short != adapter(room / "long"))
for name in ("again", "stopped", "named"):
    shutil.copytree(room / "short", room / name)
done = train("short", *constant, "--epochs=5", "--resume", "-q")
assert_exit("without --extend", done, 2, "short holds a run with other settings: epochs 5", "(there 2",
            "; --extend makes a run longer")
assert_that("without --extend", record("short")["finished"] and adapter(room / "short") == short)
done = train("short", *constant, "--epochs=5", "--resume", "--extend")
assert_exit("extended", done, 0, "going on from", "checkpoint-8, step 8 of 20", "done after 20 steps")
assert_that("extended", adapter(room / "short") == adapter(room / "long"))
ours, theirs = record("short"), record("long")
assert_that("the record", ours["extended_at"] == [8] and ours["finished"] and "extended_at" not in theirs
            and ours["settings"] == theirs["settings"], ours)


def steps(name):
    return [{k: v for k, v in line.items() if k not in ("total_steps", "percentage")}
            for line in without_times(log(room / name))]


assert_that("the log", steps("short") == steps("long"), steps("short"), steps("long"))
# The same command again finds it finished; longer still goes on.
assert_exit("again", train("short", *constant, "--epochs=5", "--resume", "--extend"), 0, "finished already")
assert_exit("and again", train("short", *constant, "--max-steps=21", "--epochs=5", "--resume", "--extend", "-q"), 0)
assert_that("twice extended", record("short")["extended_at"] == [8, 20] and len(log(room / "short")) == 21,
            record("short"))
# From a checkpoint by name, into another folder.
assert_exit("named", train("elsewhere", *constant, "--epochs=5", f"--resume-from={room}/named/checkpoint-6", "--extend", "-q"), 0)
assert_that("named", adapter(room / "elsewhere") == adapter(room / "long") and record("elsewhere")["extended_at"] == [6])
# Killed before it saved: run.json has the new length, the checkpoint the old one.
later = record("stopped")
later["settings"]["epochs"], later["finished"], later["total_steps"] = 5, False, 20
(room / "stopped/run.json").write_text(json.dumps(later))
assert_exit("--resume alone", train("stopped", *constant, "--epochs=5", "--resume", "-q"), 2, "checkpoint-8 is of a run",
            "; --extend makes a run longer")
assert_exit("with --extend", train("stopped", *constant, "--epochs=5", "--resume", "--extend", "-q"), 0)
assert_that("with --extend", adapter(room / "stopped") == adapter(room / "long"))
# A new checkpoint of the longer run needs no --extend any more.
(room / "stopped/run.json").write_text(json.dumps(later))
assert_exit("a checkpoint of the longer run", train("stopped", *constant, "--epochs=5", "--resume", "-q"), 0)
assert_that("a checkpoint of the longer run", adapter(room / "stopped") == adapter(room / "long")
            and record("stopped")["extended_at"] == [8], record("stopped"))

# With the default of --save-every a short run has its last step alone to go on from. Evaluations at the end that the
# longer run would not make are not counted by its patience.
few = ("--schedule=constant", "--warmup=0", "--lr=0.05", "--batch=2", f"--eval={pairs}", "--eval-every=4")
for name, options in (("few", ()), ("patient", ("--patience=1",))):
    assert_exit(f"{name}, long", train(f"{name} long", *few, *options, "--max-steps=7", "-q"), 0)
    assert_exit(name, train(name, *few, *options, "--max-steps=5", "-q"), 0)
    assert_that(name, [p.name for p in (room / name).glob("checkpoint-*")] == ["checkpoint-5"])
    assert_exit(f"{name}, extended", train(name, *few, *options, "--max-steps=7", "--resume", "--extend", "-q"), 0)
    assert_that(f"{name}, extended", adapter(room / name) == adapter(room / f"{name} long"))
# Killed after its last checkpoint and before its adapter was there: it has this only to finish.
unfinished = record("few")
unfinished["finished"] = False
(room / "few/run.json").write_text(json.dumps(unfinished))
(room / "few/adapter_model.safetensors").unlink()
assert_exit("finished later", train("few", *few, "--max-steps=7", "--resume", "--extend", "-q"), 0)
assert_that("finished later", adapter(room / "few") == adapter(room / "few long"))
assert_exit("no checkpoint wanted", train("none", *few, "--max-steps=2", "--save-every=0", "-q"), 0)
assert_that("no checkpoint wanted", not list((room / "none").glob("checkpoint-*")))

# Cosine with a share of warm-up: the formula of transformers with 8 steps, then with 20.
def cosine(step, total, warmup):
    if step < warmup:
        return 0.05 * step / warmup
    return 0.05 * (1 + math.cos(math.pi * (step - warmup) / (total - warmup))) / 2


falling = ("--schedule=cosine", "--warmup=0.25", "--lr=0.05", "--batch=2", "--save-every=3")
assert_exit("cosine", train("cosine", *falling, "--epochs=2", "-q"), 0)
assert_exit("cosine, long", train("cosine long", *falling, "--epochs=5", "-q"), 0)
assert_exit("cosine, extended", train("cosine", *falling, "--epochs=5", "--resume", "--extend", "-q"), 0)
wanted = {step: cosine(step - 1, 8, 2) if step <= 8 else cosine(step - 1, 20, 5) for step in range(1, 21)}
found = rates("cosine")
assert_that("the rates", found.keys() == wanted.keys() and
            all(math.isclose(found[step], wanted[step], rel_tol=1e-6, abs_tol=1e-12) for step in wanted), found, wanted)
assert_that("not the long run", adapter(room / "cosine") != adapter(room / "cosine long"))
done = train("repeated", "--config", room / "cosine/run.json")
assert_exit("its run.json", done, 0, "its settings alone may not give the same result")

# Refused.
for name, options, *message in (
        ("no --resume", ("--epochs=5", "--extend"), "--extend needs --resume or --resume-from"),
        ("shorter", ("--epochs=1", "--resume", "--extend"), "holds a run of 8 steps, and 4 are fewer"),
        ("other rate", ("--epochs=5", "--lr=0.1", "--resume", "--extend"), "other settings: lr 0.1 (there 0.05)")):
    done = train("again", *constant, *options, "-q")
    assert_exit(name, done, 2, *message)
    assert_that(name, b"epochs" not in done.stderr, done.stderr)
done = train("new", *constant, "--epochs=1", f"--resume-from={room}/again/checkpoint-6", "--extend", "-q")
assert_exit("a checkpoint that has more", done, 2, "checkpoint-6 has done 6 steps already, and 4 are no more")
for checkpoint in ("checkpoint-6", "checkpoint-8"):
    shutil.rmtree(room / "again" / checkpoint)
assert_exit("no checkpoint", train("again", *constant, "--epochs=5", "--resume", "--extend", "-q"), 2,
            "finished run without a checkpoint", "--init-adapter")
assert_that("nothing is lost", adapter(room / "again") == short and record("again")["finished"])
