"""The tests of the tools share these: the tool, a folder that is removed with the test, and checks.

A test is a script whose cases follow one another. A check has a name; case() names what follows it, for bare asserts and
for errors that are raised. A script in which a check has failed ends with exit code 1."""

import atexit
import json
import os
import pathlib
import re
import subprocess
import sys
import tempfile
import time

failures, _case = [], ""


@atexit.register
def _end():
    if failures:
        print(f"{len(failures)} failed")
        sys.stdout.flush()
        os._exit(1)


_kept = tempfile.TemporaryDirectory(prefix="cuset-test-")
room = pathlib.Path(_kept.name)


def case(name):
    global _case
    _case = name


def _name_the_case(kind, error, trace):
    print(f"FAILED: {_case}" if _case else "FAILED")
    sys.__excepthook__(kind, error, trace)


sys.excepthook = _name_the_case


def skip(reason):
    print(f"skipped: {reason}")
    sys.exit(77)


def built(name):
    """The tool's path. The test is skipped if it is not built."""
    path = pathlib.Path(os.environ["CUSET_BIN"]) / name
    if not path.exists():
        skip(f"{path} is absent")
    return path


def environment(**variables):
    """This process's variables without those that the tools read."""
    kept = {k: v for k, v in os.environ.items() if k not in ("CUSET_MODEL", "CUSET_PLAIN")}
    return kept | {k: str(v) for k, v in variables.items()}


def json_lines(records):
    return "".join(json.dumps(r, ensure_ascii=False) + "\n" for r in records).encode()


def run_tool(tool, *words, data=b"", **variables):
    """Runs the tool on an input: bytes, or a list of records."""
    return subprocess.run([tool, *map(str, words)], input=json_lines(data) if isinstance(data, list) else data,
                          capture_output=True, env=environment(**variables), check=False)


def wait_for(what, ready, seconds=600):
    """Waits until ready() is true. The bound is for a machine that does much else."""
    end = time.monotonic() + seconds
    while not ready():
        if time.monotonic() > end:
            raise TimeoutError(what)
        time.sleep(0.02)


def kill_at(lines, log, process):
    """Kills the process when its log has that many lines, if it has not ended before."""
    while process.poll() is None and not (log.exists() and log.read_bytes().count(b"\n") >= lines):
        time.sleep(0.005)
    process.kill()
    process.wait()


def fail(name, *details):
    failures.append(name)
    print(f"FAILED: {_case + ': ' if _case else ''}{name}:", *details)


def assert_that(name, right, *details):
    if not right:
        fail(name, *details)


def assert_equal(name, found, wanted):
    assert_that(name, found == wanted, f"{found!r}, not {wanted!r}")


def assert_exit(name, done, code, *words):
    """Checks a run's exit code and its message, which is one line if the run failed, and what it says."""
    message = done.stderr.decode().rstrip("\n")
    faults = [f"does not say {word!r}" for word in words if word not in message]
    if done.returncode != code:
        faults.append(f"exit code {done.returncode}, not {code}")
    if code != 0 and ("\n" in message or not re.match(r"cuset-\w+: ", message)):
        faults.append("not one line that names the tool")
    assert_that(name, not faults, f"{'; '.join(faults)}\n    stderr: {message}")
