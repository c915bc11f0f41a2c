"""Small programs made from public bug reports, which lie beside the checkout, get the verdicts that their
heads ask for, plainly and with --check."""
import os
import pathlib
import subprocess
import sys
import tempfile

folder = pathlib.Path(__file__).resolve().parent
cases = folder.parent.parent / "../shared/data/cases"
if not (cases / "run.py").exists():
    print("skipped:", cases, "is not here")
    sys.exit(77)
os.environ["XDG_CACHE_HOME"] = os.environ["CUSET_BUILD"] + "/tests/host-cache-eval"
os.environ["PATH"] = os.environ["CUSET_BIN"] + os.pathsep + os.environ["PATH"]
sys.path.append(str(folder.parent / "cli"))
from _host_runtime import seed  # noqa: E402
seed(os.environ["XDG_CACHE_HOME"])
with tempfile.TemporaryDirectory() as room:
    done = subprocess.run([sys.executable, cases / "run.py", room], capture_output=True, text=True)
print(done.stdout + done.stderr)
lines = done.stdout.splitlines()
wanted = 2 * len(list(cases.glob("*.cu")))
right = sum(line.split()[1:2] == ["ok"] for line in lines)
print(f"{right} of {wanted} verdicts are right")
sys.exit(0 if done.returncode == 0 and right == wanted == len(lines) else 1)
