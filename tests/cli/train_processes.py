"""Two and three processes train like one; if one is lost, the others end with a message."""

import json
import os
import re
import signal
import socket
import subprocess

import _tiny_model as tiny
from _processes import ends, free_port, started
from _tool import built
from _train import assert_exit, assert_that, command, environment, log, room, run, tensors, train, wait_for, write_pairs

model = tiny.write(room / "model")
host = socket.gethostname()
pairs = write_pairs(room / "pairs.jsonl", 11)


def write_lines(name, records):
    (room / name).write_text("".join(json.dumps(r) + "\n" for r in records))
    return room / name


def start(size, out, *options, files=None):
    return started([command(model, room / out, *options, files[rank] if files else pairs) for rank in range(size)])


def difference(a, b):
    x, y = (tensors(room / n / "adapter_model.safetensors") for n in (a, b))
    return max(max(abs(p - q) for p, q in zip(x[n], y[n])) / max(map(abs, x[n])) for n in x)


common = ("--lr=0.001", "--epochs=2", "--eval-size=2", "-q")
for batch in (2, 3):
    assert_exit("alone", run(model, room / f"alone{batch}", *common, f"--batch={batch}", pairs), 0)
    done = ends(start(batch, f"together{batch}", *common, "--batch=1"))
    assert_that(f"{batch} processes", [code for _, code in done] == [0] * batch, done)
    # Adam divides by the square root of past gradients, which enlarges small differences: the
    # losses agree as far as float sums allow, the weights somewhat less.
    assert_that("weights", difference(f"alone{batch}", f"together{batch}") < 1e-4,
                      difference(f"alone{batch}", f"together{batch}"))
    # The log has six digits; the last may differ by one.
    for one, many in zip(log(room / f"alone{batch}"), log(room / f"together{batch}")):
        for key in ("loss", "nll", "mask_share", "mean_confidence", "mean_weight", "eval_loss"):
            if key in one:
                assert_that(f"{key} of step {one['current_steps']}",
                                  abs(one[key] - many[key]) <= 1.1e-5 * abs(one[key]), (one[key], many[key]))

# So do those with a mask and weights that all processes make together.
pairs_again = write_pairs(room / "again.jsonl", 6)
for name, options in (("mean1", ("--weights=mean1", "--weight-power=1.5", "--mask=soft", "--tau-warmup=2")),
                      ("stubborn", ("--mask=stubborn", "--tau=0.9", "--no-cuda-mask", "--size=5"))):
    usual = ("--lr=0.001", "--epochs=3", "--dropout=0", "--no-shuffle", "-q", *options)
    assert_exit(name, run(model, room / f"alone-{name}", *usual, "--batch=4", pairs_again), 0)
    done = ends(start(2, f"together-{name}", *usual, "--batch=2", files=[pairs_again] * 2))
    assert_that(f"{name}, 2 processes", [code for _, code in done] == [0, 0], done)
    assert_that(f"{name}, weights", difference(f"alone-{name}", f"together-{name}") < 1e-4,
                difference(f"alone-{name}", f"together-{name}"))
    for one, many in zip(log(room / f"alone-{name}"), log(room / f"together-{name}"), strict=True):
        for key in ("loss", "mask_share", "mean_weight"):
            assert_that(f"{name}, {key} of step {one['current_steps']}",
                        abs(one[key] - many[key]) <= 1.1e-5 * abs(one[key]) + 1e-7, (one[key], many[key]))

# So do those that learn from verdicts: sums over the tokens that have a loss, and kept log-probabilities.
kernel = "__global__ void f(float* x) { x[threadIdx.x] %s %d; }\n"
preferences = write_lines("preferences.jsonl", [
    {"id": f"p{i}", "prompt": f"set {i}", "chosen": kernel % ("*=", i), "rejected": kernel % ("+=", i) + "//\n"} for i in range(6)])
sampled = subprocess.run(
    [built("cuset-sample"), "--model", model, "--template=chatml", "--device=cpu", "-t1", "-n", "3", "--confidence",
     "--max-new-tokens=12", "--plain", "-q"], input=b'{"id":"a","prompt":"set 1"}\n{"id":"b","prompt":"set 2"}\n',
    capture_output=True, env=environment(), check=True)
answers = write_lines("answers.jsonl", [
    json.loads(line) | {"id": str(i), "prompt": "set", "finish": "stop", "advantage": (-1) ** i}
    for i, line in enumerate(sampled.stdout.splitlines())])
for name, data, options in (("dpo", preferences, ("--objective=dpo", "--blame=code")),
                            ("grpo", answers, ("--objective=grpo", "--kl=0.1", "--blame=window", "--size=5"))):
    usual = ("--lr=0.001", "--epochs=2", "--dropout=0", "--no-shuffle", "-q", *options)
    assert_exit(name, run(model, room / f"alone-{name}", *usual, "--batch=2", data), 0)
    done = ends(start(2, f"together-{name}", *usual, "--batch=1", files=[data, data]))
    assert_that(f"{name}, 2 processes", [code for _, code in done] == [0, 0], done)
    assert_that(f"{name}, weights", difference(f"alone-{name}", f"together-{name}") < 1e-4,
                difference(f"alone-{name}", f"together-{name}"))
    for one, many in zip(log(room / f"alone-{name}"), log(room / f"together-{name}"), strict=True):
        for key in ("loss", "mask_share", "reward_margin", "accuracy", "ratio", "clip_share", "kl"):
            if key in one:
                assert_that(f"{name}, {key} of step {one['current_steps']}",
                            abs(one[key] - many[key]) <= 1.1e-5 * abs(one[key]) + 1e-7, (one[key], many[key]))

# One process has other data.
done = ends(start(2, "mixed", *common, files=[pairs, write_pairs(room / "fewer.jsonl", 10)]))
assert_that("other data", [code for _, code in done] == [2, 2] and "the data" in done[1][0], done)

# One process is killed: the others name it within seconds, and the checkpoint stays.
for size, victim in ((2, 0), (3, 2), (3, 1)):
    out = f"lost{victim}"
    processes = start(size, out, "--lr=0.001", "--epochs=100000", "--save-every=5", "-q")
    wait_for("a checkpoint", lambda: list((room / out).glob("checkpoint-*")))
    # Those that are left stand still meanwhile, so that they often write to the lost process's sockets
    # before they read from them: SIGPIPE must not end them.
    others = [p for rank, p in enumerate(processes) if rank != victim]
    for process in others:
        process.send_signal(signal.SIGSTOP)
    processes[victim].kill()
    processes[victim].wait()
    for process in others:
        process.send_signal(signal.SIGCONT)
    for rank, (message, code) in enumerate(ends(processes)):
        assert_that(f"process {victim} is lost to {rank}", rank == victim or
                          (code == 1 and f"process {victim} on {host} is lost" in message), code, message)
    assert_that("the checkpoint", list((room / out).glob("checkpoint-*")))

processes = start(2, "hanging", "--lr=0.001", "--epochs=100000", "-q")
wait_for("the first step", (room / "hanging/trainer_log.jsonl").exists)
processes[1].send_signal(signal.SIGSTOP)
message = processes[0].communicate(timeout=900)[1].decode()
assert_that("process 1 hangs", processes[0].returncode == 1 and "no sign of life" in message, message)
processes[1].kill()
processes[1].communicate()

# One that is alone says for whom it waits.
port = free_port()
alone = subprocess.Popen(command(model, room / "alone", pairs), stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True,
                         env=environment(WORLD_SIZE=2, RANK=0, LOCAL_RANK=0, MASTER_ADDR="localhost", MASTER_PORT=port))
told = next((line for line in alone.stderr if "waiting" in line), "")
assert_that("a lone process", f"waiting for process 1 of 2 at localhost, port {port}" in told, told)
alone.kill()
alone.communicate()

# Asked to stop, all stop after the same step, and continue as one process.
processes = start(2, "stopped", "--lr=0.001", "--epochs=100000", "--save-every=100000", "-q")
wait_for("the first step", lambda: (room / "stopped/trainer_log.jsonl").exists() and log(room / "stopped"))
processes[1].send_signal(signal.SIGTERM)
done = ends(processes)
assert_that("stopped", [code for _, code in done] == [-signal.SIGTERM] * 2, done)
assert_that("stopped", len(list((room / "stopped").glob("checkpoint-*"))) == 1)

# Debian's Gloo headers are older than the Gloo within LibTorch. A class made from them would
# replace LibTorch's own, whose table of virtual functions is longer.
# UndefinedBehaviorSanitizer makes type information of whatever it checks.
if not os.environ.get("CUSET_SANITIZERS"):
    symbols = subprocess.run(["nm", "--defined-only", train], capture_output=True, text=True,
                             check=True).stdout
    made = re.findall(r"\S*(?:_ZT[VISC]\S*[Gg]loo|_ZNK?4gloo|GlooStore)\S*", symbols)
    assert_that("nothing of Gloo is compiled", symbols and not made, made)
