"""cuset-train --keep-optimizer: runs of one step each, every one on data of its own, are one long run for AdamW."""

import json
import shutil

import _tiny_model as tiny
from _train import adapter, assert_exit, assert_that, log, pair, room, run

model = tiny.write(room / "model")
usual = ("--objective=sft", "--lr=0.02", "--batch=2", "--no-shuffle", "--schedule=constant", "--warmup=0", "--dropout=0",
         "--epochs=1")


def trained(name, first, count, *options):
    data = "".join(json.dumps(pair(i)) + "\n" for i in range(first, first + count)).encode()
    done = run(model, room / name, *usual, *options, data=data)
    assert_exit(name, done, 0)
    return done.stderr.decode()


trained("whole", 0, 8)
said = [trained("1", 0, 2, "--keep-optimizer")]
for i in (2, 3, 4):
    said.append(trained(str(i), 2 * (i - 1), 2, "--keep-optimizer", f"--init-adapter={room}/{i - 1}"))
assert_that("four runs are one", adapter(room / "4") == adapter(room / "whole"))
assert_that("it is said", "AdamW goes on" not in said[0] and "AdamW goes on from 3 steps" in said[3], said[3])
assert_that("the log's steps are the run's own", [line["current_steps"] for line in log(room / "4")] == [1], log(room / "4"))
trained("anew", 6, 2, f"--init-adapter={room}/3")
assert_that("without it AdamW begins anew", adapter(room / "anew") != adapter(room / "whole")
            and not (room / "anew/optimizer.safetensors").exists())

# Resumed from a checkpoint in its middle, a run that began with moments has the same bytes.
on = ("--keep-optimizer", f"--init-adapter={room}/2")
trained("rest", 4, 4, *on, "--save-every=1")
assert_that("two steps more", adapter(room / "rest") == adapter(room / "whole"))
kept = (room / "rest/optimizer.safetensors").read_bytes()
assert_that("the moments too", kept == (room / "4/optimizer.safetensors").read_bytes())
trained("again", 4, 4, *on, f"--resume-from={room}/rest/checkpoint-1")
assert_that("resumed", adapter(room / "again") == adapter(room / "rest")
            and (room / "again/optimizer.safetensors").read_bytes() == kept)


def bad(name, exit_code, words, *options):
    data = json.dumps(pair(0)).encode() + b"\n"
    assert_exit(name, run(model, room / "new", *usual, "-q", "--keep-optimizer", *options, data=data), exit_code, *words)
    shutil.rmtree(room / "new", ignore_errors=True)


bad("the best weights", 2, ["--keep-optimizer and --patience"], "--patience=1", "--eval-size=1")
# Moments of a shorter run are not left beside a longer one's adapter.
trained("longer", 0, 6, "--keep-optimizer", "--max-steps=2", "--save-every=1")
assert_that("moments", (room / "longer/optimizer.safetensors").exists())
trained("longer", 0, 6, "--max-steps=3", "--save-every=1", "--resume", "--extend")
assert_that("no moments", not (room / "longer/optimizer.safetensors").exists())

shutil.copytree(room / "4", room / "cut")
(room / "cut/optimizer.safetensors").write_bytes(kept[:100])
bad("cut off", 1, ["cut/optimizer.safetensors"], f"--init-adapter={room}/cut")
trained("small", 0, 2, "--keep-optimizer", "--rank=2")
shutil.copy(room / "4/optimizer.safetensors", room / "small/optimizer.safetensors")
bad("of another rank", 1, ["small/optimizer.safetensors: tensor exp_avg is of another model"], f"--init-adapter={room}/small")
done = run(model, room / "rest", *usual, "-q", f"--init-adapter={room}/2", "--resume",
           data="".join(json.dumps(pair(i)) + "\n" for i in range(4, 8)).encode())
assert_exit("resumed without its moments", done, 2, "moments_hash")
