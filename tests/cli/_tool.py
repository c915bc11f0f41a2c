"""The tests of the tools share these: the tool, a folder that is removed with the test, and checks."""

import os
import pathlib
import re
import sys
import tempfile

_kept = tempfile.TemporaryDirectory(prefix="cuset-test-")
room = pathlib.Path(_kept.name)
failures = []


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


def that(name, right, *details):
    if not right:
        failures.append(name)
        print(f"FAILED: {name}:", *details)


def expect(name, done, code, *words, faults=()):
    """Checks a run's exit code and its message, which is one line if the run failed."""
    message = done.stderr.decode().rstrip("\n")
    faults = [*faults, *(f"does not say {word!r}" for word in words if word not in message)]
    if done.returncode != code:
        faults.append(f"exit code {done.returncode}, not {code}")
    if code != 0 and ("\n" in message or not re.match(r"cuset-\w+: ", message)):
        faults.append("not one line that names the tool")
    that(name, not faults, f"{'; '.join(faults)}\n    stderr: {message}")


def finish():
    print(f"{len(failures)} failed")
    sys.exit(bool(failures))
