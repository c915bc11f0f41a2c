"""A run that is killed at random moments and resumed ends with the same bytes as one that was not;
SIGTERM and SIGINT leave a checkpoint; a full disk leaves the last one. CUSET_LONG=1 kills more
often."""

import json
import os
import pathlib
import random
import resource
import shutil
import signal
import subprocess
import sys
import time

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1] / "cli"))
import _tiny_model as tiny
from _train import adapter, assert_exit, assert_that, command, environment, log, room, run, write_pairs

seed = int(os.environ.get("CUSET_SEED", random.SystemRandom().randrange(1 << 30)))
print(f"seed {seed}")
chance = random.Random(seed)
kills = 60 if os.environ.get("CUSET_LONG") == "1" else 20
if os.environ.get("CUSET_SANITIZERS"):
    kills = 5

model = tiny.write(room / "model")
pairs = write_pairs(room / "pairs.jsonl")
options = ("--lr=0.01", "--max-steps=120", "--save-every=7", "--batch=2", "--eval-size=2",
           "--patience=1000", "--eval-every=10", "-q", pairs)
begin = time.monotonic()
assert_exit("the run that is never killed", run(model, room / "whole", *options), 0)
whole_seconds = time.monotonic() - begin
whole = adapter(room / "whole")

# One run, killed again and again: most kills fall into steps, some into a checkpoint or the end.
killed = resumed_from = 0
folder = room / "killed"
for attempt in range(5 * kills):
    if killed == kills:
        break
    process = subprocess.Popen(command(model, folder, *options, "--resume"),
                               stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, env=environment())
    try:
        process.wait(timeout=chance.uniform(0.05, whole_seconds * 1.1))
    except subprocess.TimeoutExpired:
        process.kill()
        killed += 1
    message = process.communicate()[1].decode()
    assert_that(f"attempt {attempt}", process.returncode in (0, -signal.SIGKILL),
                      (process.returncode, message))
    if (folder / "adapter_model.safetensors").exists() and process.returncode == 0:
        assert_that(f"attempt {attempt}", adapter(folder) == whole, "other bytes")
        shutil.rmtree(folder)
        resumed_from += 1
# A kill while a file is written leaves its temporary one; another program's stays.
for name in ".run.json.cuset-123", ".loss_curve.svg.cuset-9", ".other.cuset-1":
    folder.mkdir(exist_ok=True)
    (folder / name).touch()
assert_exit("the last resumption", run(model, folder, *options, "--resume"), 0)
assert_that("the last resumption", adapter(folder) == whole, "other bytes")
print(f"{killed} kills, {resumed_from + 1} runs came to their end")
assert_that("the kills", killed == kills, killed)
steps = [line["current_steps"] for line in log(folder) if "loss" in line]
assert_that("the log", steps == list(range(1, 121)), steps)
leftovers = [p.name for p in folder.iterdir() if p.name.startswith(".")]
assert_that("nothing half made", leftovers == [".other.cuset-1"], leftovers)

# A requested stop.
for number in (signal.SIGTERM, signal.SIGINT):
    folder = room / f"stopped{number}"
    process = subprocess.Popen(command(model, folder, *options), stderr=subprocess.PIPE,
                               env=environment(),
                               preexec_fn=lambda: signal.signal(signal.SIGINT, signal.SIG_DFL))
    while not (folder / "trainer_log.jsonl").exists() or not log(folder):
        assert process.poll() is None, process.stderr.read()
        time.sleep(0.002)
    process.send_signal(number)
    words_expected = process.communicate()[1].decode()
    assert_that(f"signal {number}", process.returncode == -number, process.returncode)
    assert_that(f"signal {number} is answered", words_expected.count("stopping after this step; once more stops now\n") == 1, words_expected)
    points = sorted(int(p.name.split("-")[1]) for p in folder.glob("checkpoint-*"))
    state = json.loads((folder / f"checkpoint-{points[-1]}/trainer_state.json").read_text())
    assert_that(f"signal {number}", state["global_step"] == points[-1] ==
                      max(line["current_steps"] for line in log(folder)), points)
    assert_exit(f"after signal {number}", run(model, folder, *options, "--resume"), 0)
    assert_that(f"after signal {number}", adapter(folder) == whole, "other bytes")

# The disk is full during a checkpoint (simulated by a limit on file size): the last one stays.
folder = room / "full"
state_size = next((room / "whole").glob("checkpoint-*/state.safetensors")).stat().st_size
process = subprocess.Popen(command(model, folder, *options), stderr=subprocess.PIPE,
                           env=environment(),
                           preexec_fn=lambda: signal.signal(signal.SIGXFSZ, signal.SIG_IGN))
while not list(folder.glob("checkpoint-*")):
    assert process.poll() is None, process.stderr.read()
    time.sleep(0.002)
resource.prlimit(process.pid, resource.RLIMIT_FSIZE, (state_size - 100,) * 2)
message = process.communicate()[1].decode()
assert_that("full disk", process.returncode == 1 and "File too large" in message, message)
points = list(folder.glob("checkpoint-*"))
assert_that("full disk", points and not list(folder.glob(".*")), [p.name for p in folder.iterdir()])
assert_exit("after the full disk", run(model, folder, *options, "--resume"), 0)
assert_that("after the full disk", adapter(folder) == whole, "other bytes")
