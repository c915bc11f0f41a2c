"""The kit for a machine with a GPU (tests/gpu/kit) goes on when a part of it hangs, falls over or is not
there, keeps what each had found, and stays within its minutes. gpu/rehearsal runs the real parts."""
import os
import pathlib
import subprocess
import sys
import tempfile
import time
import types
import zipfile

source = pathlib.Path(os.environ["CUSET_SOURCE"])
sys.path[:0] = [str(source / "tests/gpu/kit"), str(source / "tests/gpu")]
import run as kit  # noqa: E402
import supervision  # noqa: E402
import table  # noqa: E402
from _tool import assert_that, wait_for  # noqa: E402



def is_gone(process):
    try:
        return pathlib.Path(f"/proc/{process}/stat").read_text().rsplit(")", 1)[1].split()[0] == "Z"
    except FileNotFoundError:
        return True


def python(text):
    return lambda seconds: [sys.executable, "-c", text]


# Ignores SIGTERM, as a program that waits for a driver does, and so does its child.
HANGS = """
import signal, subprocess, sys, time
signal.signal(signal.SIGTERM, signal.SIG_IGN)
child = subprocess.Popen([sys.executable, "-c",
    "import signal, time; signal.signal(signal.SIGTERM, signal.SIG_IGN); time.sleep(600)"])
print("child", child.pid, flush=True)
import _results; _results.result("found before it hung", 7.5, "s", at_most=10)
time.sleep(600)
"""

with tempfile.TemporaryDirectory() as folder:
    out = pathlib.Path(folder)
    base = {**os.environ, "CUSET_KIT_RESULTS": str(out / "results.jsonl"), "PYTHONPATH": str(source / "tests/gpu")}
    parts = {
        "hangs": (16, None, [("hanging", None, 0.2, python(HANGS)), ("after it", None, 1, python("print('went on')"))]),
        "falls": (6, None, [("crash", None, 1, python("import os; print('last words', flush=True); os.abort()")),
                            ("absent", None, 1, lambda seconds: ["/nowhere/program"]),
                            ("refused", "there is no sanitizer", 1, python("raise SystemExit(1)"))]),
        "left": (6, "there is no GPU", [("never", None, 1, python("raise SystemExit(1)"))]),
        "talks": (6, None, [("much", None, 1, python(
            "import sys, _results\nfor i in range(2000): print('x' * 100)\n"
            "_results.result('slow', 12, 'ms', at_most=10)\n"
            "_results.check('sums', False, 'off by one'); sys.exit(1)"))]),
        "binary": (6, None, [("bytes", None, 1, python("import os; os.write(1, b'\\xff\\xfe\\n')"))])}
    start = time.monotonic()
    good = kit.run_parts(parts, list(parts), 0.9, start, out, base, ["head"])
    seconds = time.monotonic() - start
    found = {(r["part"], r["name"]): r for r in table.read(out / "results.jsonl")}

    def row(part, name):
        return found.get((part, name), {"value": "absent", "met": "absent", "note": ""})

    assert_that("it is bad", not good)
    hanging = row("hangs", "hanging")
    assert_that("the hanging step is wrong", hanging["met"] is False and "ended after" in hanging["note"], hanging)
    assert_that("what it had found is kept", row("hangs", "found before it hung")["value"] == 7.5, found)
    assert_that("the next step ran", row("hangs", "after it")["met"] is True, row("hangs", "after it"))
    crash = row("falls", "crash")
    assert_that("a crash is told with its last words", "exit code -6: last words" in crash["note"], crash)
    assert_that("an absent program is told", "exit code 127" in row("falls", "absent")["note"], row("falls", "absent"))
    assert_that("a step that cannot run is left out", row("falls", "refused")["note"] == "there is no sanitizer"
                and row("falls", "refused")["met"] is None, row("falls", "refused"))
    assert_that("a part that cannot run is left out", row("left", "left")["note"] == "there is no GPU", row("left", "left"))
    slow = row("talks", "slow")
    assert_that("a missed target", slow["met"] is False and slow["target"] == "<= 10", slow)
    assert_that("a wrong result is told once", ("talks", "much") not in found and row("talks", "sums")["met"] is False, found)
    assert_that("bytes that are no text", row("binary", "bytes")["met"] is True, row("binary", "bytes"))
    # The step that hangs would take 600 seconds. The bound leaves a busy machine as long again as the parts have.
    assert_that("it stays within its time", seconds < 108, seconds)
    log = (out / "log.txt").read_bytes()
    assert_that("the log has all", log.count(b"x" * 100) == 2000 and b"went on" in log and b"\xff\xfe" in log)
    child = int(log.split(b"child ")[1].split()[0])
    assert_that("the child of a hanging step is ended", is_gone(child))
    shown = (out / "table.txt").read_text()
    assert_that("the table", "head" in shown and "3 right or met, 5 wrong or missed, 2 left out" in shown, shown)
    assert_that("files", sorted(p.name for p in out.iterdir()) == ["log.txt", "results.jsonl", "table.txt"])

limit = supervision.limits([("a", 120), ("b", 60), ("rest", 90)], 9, reserve=0)
with tempfile.TemporaryDirectory() as folder:
    (pathlib.Path(folder) / "r").write_text('{"part":"a"}\n{"part":"b"}\n{"par')
    assert_that("a line that was cut", [r["part"] for r in table.read(pathlib.Path(folder) / "r")] == ["a", "b"])

assert_that("a part's time", limit("a", 0) == 180 and limit("b", 400) == 50 and limit("rest", 100) == 440,
            (limit("a", 0), limit("b", 400), limit("rest", 100)))
short = supervision.limits([("a", 120), ("b", 60)], 1, reserve=0)
assert_that("fewer minutes", abs(short("a", 0) - 40) < 1e-6 and abs(short("b", 40) - 20) < 1e-6,
            (short("a", 0), short("b", 40)))


def left_out(**lacks):
    """Why parts and steps are left out on a machine that lacks something: {name: why}."""
    has = {"torch": "2.11.0+cu130", "lib": "/lib", "gpu": "a card", "nvcc": "/nvcc", "compiler": "/g++",
           "sanitizer": "/compute-sanitizer", "torch_sees_gpu": True, "why_not": "",
           "room": pathlib.Path("/tmp"), "store": pathlib.Path("/tmp")}
    kit.MODELS = lacks.pop("models", {28: 0, 14: 0})
    options = types.SimpleNamespace(on_cpu=False, out=pathlib.Path("/tmp"), model=None)
    found = {}
    for name, (_, why, steps) in kit.parts(types.SimpleNamespace(**{**has, **lacks}), options).items():
        found[name] = why
        found.update({f"{name}/{step}": why for step, why, _, _ in steps})
    return {name: why for name, why in found.items() if why}


assert_that("a machine that has all", left_out() == {}, left_out())
none = left_out(gpu=None)
assert_that("no GPU", set(none) == {"kernels", "models", "speed", "large", "judge", "time", "learn"}
            and set(none.values()) == {"there is no GPU"}, none)
none = left_out(torch=None, lib=None)
assert_that("no torch", set(none) == {"models", "speed", "large", "learn"} and "has no torch" in none["models"], none)
none = left_out(torch="2.10.1")
assert_that("another torch", set(none) == {"models", "speed", "large", "learn"}
            and "the programs need 2.11" in none["speed"], none)
none = left_out(nvcc=None)
assert_that("no nvcc", none == {"judge": "there is no nvcc", "time": "there is no nvcc"}, none)
none = left_out(compiler=None)
assert_that("no g++", set(none) == {"judge"} and "there is no g++" in none["judge"], none)
none = left_out(sanitizer=None)
assert_that("no compute-sanitizer", len(none) == 4 and set(none.values()) == {"there is no compute-sanitizer"}, none)
none = left_out(torch_sees_gpu=False, why_not="no CUDA-capable device")
assert_that("a GPU that torch does not see", set(none) == {"models", "speed", "large", "learn"}
            and none["learn"] == "torch does not see the GPU: no CUDA-capable device", none)
none = left_out(models={28: 1 << 60, 14: 0})
assert_that("room for half a model", none == {}, none)
none = left_out(models={28: 1 << 61, 14: 1 << 60})
assert_that("no disk", set(none) == {"speed/cuset", "speed/peers", "large/large"}
            and "GiB free" in none["speed/cuset"], none)

# What it has started ends with it, and its folders go.
with tempfile.TemporaryDirectory() as folder:
    place = pathlib.Path(folder)
    for name in ("run.py", "run.sh", "supervision.py", "table.py"):
        (place / name).write_bytes((source / "tests/gpu/kit" / name).read_bytes())
    for name in ("build", "bwrap", "source/tests", "temporary"):
        (place / name).mkdir(parents=True)
    (place / "source/tests/gpu").symlink_to(source / "tests/gpu")
    for name in ("version", "commit"):
        (place / name).write_text("0\n")
    with zipfile.ZipFile(place / "cuset-0-py3-none-any.whl", "w") as wheel:
        wheel.writestr("cuset-0.data/scripts/cuset", "")
    (place / "sleeps.py").write_text(
        "import subprocess, sys, time\nchild = subprocess.Popen(['sleep', '601'])\n"
        f"open({str(place / 'child')!r}, 'w').write(str(child.pid))\ntime.sleep(600)\n")
    wrapped = place / "wrapped.py"
    wrapped.write_text(
        f"import sys\nsys.path.insert(0, {folder!r})\nimport run\n"
        f"command = [sys.executable, {str(place / 'sleeps.py')!r}]\n"
        "run.parts = lambda m, a: {'kernels': (60, None, [('sleeps', None, 1, lambda seconds: command)])}\n"
        "sys.exit(run.main())\n")
    process = subprocess.Popen([sys.executable, wrapped, "kernels", "--out", place / "out"], stdout=subprocess.DEVNULL,
                               env={**os.environ, "TMPDIR": str(place / "temporary")})
    wait_for("the step's child", lambda: (place / "child").exists() and (place / "child").read_text())
    process.terminate()
    assert_that("an ended run", process.wait(600) == 1, process.returncode)
    child = int((place / "child").read_text())
    wait_for("the end of its children", lambda: is_gone(child))
    assert_that("its folders are gone", list((place / "temporary").iterdir()) == [], list((place / "temporary").iterdir()))
    bad = subprocess.run(["bash", "run.sh", "--out", "/proc/x"], cwd=place, capture_output=True, text=True, check=False)
    assert_that("a folder that cannot be", bad.returncode == 1 and bad.stderr.count("\n") == 1
                and "/proc/x" in bad.stderr, bad)
    (place / "link.sh").symlink_to("run.sh")
    bad = subprocess.run(["bash", place / "link.sh", "dance"], capture_output=True, text=True, check=False)
    assert_that("a part that is not there, by a link", bad.returncode == 1 and "there is no part dance" in bad.stderr, bad)

usage = subprocess.run(["bash", source / "tests/gpu/kit.sh"], capture_output=True, text=True, check=False)
assert_that("usage", usage.returncode == 2 and "usage: tests/gpu/kit.sh pack" in usage.stderr, usage)
