"""examples/slurm.sbatch starts processes that train as one, and queues itself again where one of them was lost. Slurm's
commands are stand-ins here, which run everything on this machine."""

import os
import pathlib
import signal
import subprocess

import _tiny_model as tiny
from _processes import ends, free_port, started
from _tool import assert_equal, case
from _train import adapter, assert_that, command, environment, room, train, wait_for, write_pairs

script = pathlib.Path(os.environ["CUSET_SOURCE"]) / "examples/slurm.sbatch"
model = tiny.write(room / "model")
pairs = write_pairs(room / "pairs.jsonl", 11)
options = ("--model", model, "--template=chatml", "--device=cpu", "-t1", "--objective=sft", "--lr=0.001", "--max-steps=200",
           "--save-every=2", "-q")
calls, ids = room / "calls", room / "ids"

bin_folder = room / "bin"
bin_folder.mkdir()
(bin_folder / "cuset-train").symlink_to(train.resolve())
# Two tasks on each of two nodes; its exit code is the highest one, and 128 + N for a task that ended by signal N.
(bin_folder / "srun").write_text(f"""#!/usr/bin/env bash
[[ "$1 $2" == "--kill-on-bad-exit=1 --cpus-per-task=8" ]] || exit 99
shift 2
code=0
for task in 0 1 2 3; do
    SLURM_PROCID=$task SLURM_LOCALID=$((task % 2)) "$@" &
    tasks+=($!)
done
echo "${{tasks[@]}}" >{ids}
for task in "${{tasks[@]}}"; do
    wait "$task" || code=$(($? > code ? $? : code))
done
exit "$code"
""")
(bin_folder / "scontrol").write_text(f"""#!/usr/bin/env bash
if [[ $1 == show ]]; then
    [[ "$*" == "show hostnames localhost,other" ]] && printf '%s\\n' localhost other
else
    echo "$*" >>{calls}
fi
""")
for name in ("srun", "scontrol"):
    (bin_folder / name).chmod(0o755)


def job_id():
    while not 20000 <= (port := free_port()) < 30000:
        pass
    return port - 20000


def start(out, data=pairs):
    calls.write_text("")
    ids.write_text("")
    return subprocess.Popen(
        ["bash", script, room / out, data, *options], stdout=subprocess.DEVNULL, stderr=subprocess.PIPE,
        env=environment(PATH=f"{bin_folder}:{os.environ['PATH']}", SLURM_JOB_ID=job_id(), SLURM_JOB_NODELIST="localhost,other",
                        SLURM_NTASKS=4, SLURM_NTASKS_PER_NODE=2, GLOO_SOCKET_IFNAME="lo"))


def signal_tasks(job, out, number, which):
    """Sends a signal when there is a checkpoint."""
    wait_for("a checkpoint", lambda: job.poll() is not None or list((room / out).glob("checkpoint-*")))
    for task in [int(i) for i in ids.read_text().split()][which]:
        os.kill(task, number)


def check_end(job, code, requeued):
    message, found = ends([job], patience=300)[0]
    assert_equal("the exit code", found, code)
    assert_equal("calls", bool(calls.read_text()), requeued)
    return message


case("a job that ends trains as four processes do")
done = ends(started([command(model, room / "direct", *options[4:], pairs)] * 4))
assert_equal("exit codes", [code for _, code in done], [0] * 4)
check_end(start("job"), 0, False)
assert_equal("the adapter", adapter(room / "job"), adapter(room / "direct"))

case("a process is lost")
job = start("lost")
signal_tasks(job, "lost", signal.SIGKILL, slice(3, 4))
message = check_end(job, 137, True)
assert_that("it is named", "process 3 on " in message, message)
check_end(start("lost"), 0, False)
assert_equal("the adapter", adapter(room / "lost"), adapter(room / "direct"))

case("the time is over")
job = start("late")
signal_tasks(job, "late", signal.SIGTERM, slice(None))
check_end(job, 143, False)
check_end(start("late"), 0, False)
assert_equal("the adapter", adapter(room / "late"), adapter(room / "direct"))

case("what fails before a checkpoint is not tried again")
(room / "bad.jsonl").write_text("no record\n")
check_end(start("bad", room / "bad.jsonl"), 1, False)
