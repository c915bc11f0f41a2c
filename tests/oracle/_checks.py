"""The oracle scripts share these: their checks, and the programs of this folder that they run."""
import os
import sys

failures = []


def check(what, good, detail=""):
    print(f"{'ok  ' if good else 'FAIL'} {what} {detail}", flush=True)
    if not good:
        failures.append(what)


def finish():
    sys.exit(f"{len(failures)} checks failed: {failures[:5]}" if failures else 0)


def driver(name):
    """The program's path. The test is skipped if it is not built."""
    path = os.path.join(os.environ["CUSET_BUILD"], "tests", name)
    if not os.path.exists(path):
        print(f"skipped: {path} is not built")
        sys.exit(77)
    return path
