"""Processes on two machines train like as many on one. Where a machine dies, stands still or loses its network, those on
the other one name it and end, and a new start goes on to the same bytes."""

import re
import signal
import time

import _machines  # isort: skip  # first: it may start this script anew
import _tiny_model as tiny
from _processes import ends, started
from _tool import assert_equal, case
from _train import adapter, assert_that, command, log, room, wait_for, write_pairs

model = tiny.write(room / "model")
pairs = write_pairs(room / "pairs.jsonl", 11)
keys = ("loss", "nll", "grad_norm", "mask_share", "mean_confidence", "eval_loss")


def words(out, *options):
    return command(model, room / out, "--objective=sft", "--lr=0.001", f"--max-steps={steps}", "--save-every=2", "--eval-size=2", "-q", *options, pairs)


def start(out, *options):
    return _machines.started_on_both(words(out, *options), each)


def finished(processes):
    done = ends(processes, patience=300)
    assert_that("all processes end well", [code for _, code in done] == [0] * len(processes), done)


def kill(processes, _):
    for process in processes:
        process.kill()


def cut(*_):
    _machines.cut()


def stop(processes, _):
    for process in processes:
        process.send_signal(signal.SIGSTOP)


def check_named(machine, processes, since):
    """The processes of a machine end with one line each, which names the other machine."""
    # Process 0 serves the store: who loses it can name no other one.
    ranks = "0" if machine == 1 else f"[{each}-{2 * each - 1}]"
    reason = "(no sign of life for [37] s|no answer from its store for [37] s|no connection to it)"
    line = rf"cuset-train: process {ranks} on {_machines.machines[1 - machine].name} is lost: {reason}\n"
    for message, code in ends(processes, patience=300):
        assert_that("the lost machine is named", code == 1 and re.fullmatch(line, message), code, message)
    print(f"{name}: machine {machine} ended after {time.monotonic() - since:.1f} s")


def lose(what, victim, *options):
    """Does something to a machine; the other one, or both if the cable is cut, must end."""
    out = f"{name} {what.__name__} {victim}"
    case(out)
    processes = start(out, *options)
    wait_for("a checkpoint", lambda: list((room / out).glob("checkpoint-*")))
    parts = [processes[:each], processes[each:]]
    since = time.monotonic()
    what(parts[victim], victim)
    check_named(1 - victim, parts[1 - victim], since)
    if what is cut:
        check_named(victim, parts[victim], since)
        _machines.connect()
    kill(parts[victim], victim)
    ends(parts[victim])
    assert_that("the run was not over", not (room / out / "adapter_model.safetensors").exists())
    finished(start(out, "--resume", *options))
    assert_equal("it goes on to the same adapter", adapter(room / out), adapter(room / name))


for each, steps, options, losses in (
        (1, 200, (), ((kill, 1), (kill, 0), (cut, 1), (stop, 1), (stop, 0))),
        (2, 100, ("--shard-base",), ((kill, 1), (kill, 0), (cut, 1)))):
    name = " ".join((f"{2 * each} processes", *options))
    case(name)
    finished(started([words(f"{name} on one", *options)] * (2 * each)))
    finished(start(name, *options))
    assert_equal("the adapter of one machine", adapter(room / name), adapter(room / f"{name} on one"))
    for one, other in zip(log(room / f"{name} on one"), log(room / name), strict=True):
        for key in keys:
            assert_equal(f"{key} of step {one['current_steps']}", other.get(key), one.get(key))
    for what, victim in losses:
        lose(what, victim, *options)
