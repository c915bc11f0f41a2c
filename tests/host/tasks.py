"""CUDABench's reference programs pass on the host model: here the smallest of each family, with
CUSET_LONG all sizes. _judge_tasks.py reports more, and also spoils them."""
import os
import pathlib
import subprocess
import sys

folder = pathlib.Path(__file__).resolve().parent
tasks = folder.parent.parent / "../shared/data/cudabench/cudabench-100.jsonl"
if not tasks.exists():
    print("skipped:", tasks, "is not here")
    sys.exit(77)
sizes = "0,1,2,3,4" if os.environ.get("CUSET_LONG") else "0"
os.environ["XDG_CACHE_HOME"] = os.environ["CUSET_BUILD"] + "/tests/host-cache-eval"
sys.path.append(str(folder.parent / "cli"))
from _host_runtime import seed  # noqa: E402
seed(os.environ["XDG_CACHE_HOME"])
done = subprocess.run([sys.executable, folder / "_judge_tasks.py", "--what=references", f"--sizes={sizes}",
                       "--", "--nvcc=none"])
sys.exit(done.returncode)
