"""run.sh [PART...] [--minutes 9] [--out FOLDER] [--model FOLDER] [--on-cpu]

Tests and measures cuset on a GPU. Parts, in the order of what matters most; without any, all:

  kernels  every kernel at all sizes, ten times for its bits; compute-sanitizer over the small cases
  models   training and scoring on the GPU against the CPU, the same bits again, no step that waits
  speed    ceilings of the card; the loss head, scoring, training and sampling beside their peers
  judge    CUDABench's references and mutants, judged on the GPU and on the host backend
  learn    SFT, CuSeT and its ablations on examples/evidence, seed after seed; answers are kept

  --minutes M     when it is over: a part that hangs is ended, and the rest goes on
  --out FOLDER    where results go as they come ($OUT, else ./gpu-results): table.txt, results.jsonl,
                  log.txt, disagreements.jsonl, answers.jsonl.gz; those of an earlier run are replaced
  --model FOLDER  for learn: the folder that `kit.sh pack --model` made, or a model folder of SmolLM2;
                  without it, learn begins with random weights
  --on-cpu        a rehearsal without a GPU: tiny sizes, and what only a GPU can do is left out

What cannot run here is named in one line. Exit code: 0 where nothing was wrong or missed, else 1.
"""
import argparse
import datetime
import json
import os
import pathlib
import shutil
import subprocess
import sys
import tempfile
import time
import zipfile

kit = pathlib.Path(__file__).resolve().parent
sys.path[:0] = [str(kit), str(kit / "source/tests/gpu")]
import supervision  # noqa: E402
import table  # noqa: E402

SCRIPTS = kit / "source/tests/gpu"
SURVEY = """
import json, os, torch
found = {"torch": torch.__version__, "lib": os.path.join(os.path.dirname(torch.__file__), "lib"), "gpu": None}
if torch.cuda.is_available():
    p = torch.cuda.get_device_properties(0)
    found.update(gpu=p.name, memory=p.total_memory, capability=f"{p.major}.{p.minor}", cuda=torch.version.cuda)
print(json.dumps(found))
"""
LARGE_MODEL = 17 << 30  # bytes: Qwen2.5-7B's weights in bfloat16, and what is written beside them
RESULTS = ("table.txt", "results.jsonl", "log.txt", "disagreements.jsonl", "answers.jsonl.gz")
HEADROOM = 24 << 30  # bytes of memory that a model in /dev/shm leaves to others


def said(*command, seconds=60):
    """What a command prints; empty where it fails."""
    try:
        done = subprocess.run(command, capture_output=True, text=True, timeout=seconds, check=False)
        return done.stdout.strip() if done.returncode == 0 else ""
    except (OSError, subprocess.TimeoutExpired):
        return ""


class machine:
    """What this machine has."""

    def __init__(self):
        lines = said(sys.executable, "-c", SURVEY).splitlines()
        found = json.loads(lines[-1]) if lines else {}
        self.torch, self.lib, self.gpu = found.get("torch"), found.get("lib"), found.get("gpu")
        if not self.gpu and not self.torch:  # the kernels need no torch
            self.gpu = said("nvidia-smi", "--query-gpu=name", "--format=csv,noheader").partition("\n")[0] or None
        self.room = self.folder_for_programs()
        self.store = self.folder_for_models()
        self.cuda = first_of(os.environ.get("CUDA_HOME"), "/usr/local/cuda")
        path = os.pathsep.join([str(kit / "bwrap/bin"), str(self.room / "cuset/bin"), f"{self.cuda}/bin",
                                os.environ.get("PATH", "/usr/bin:/bin")])
        self.path = path
        self.nvcc = shutil.which("nvcc", path=path)
        self.compiler = shutil.which("g++", path=path)
        self.sanitizer = shutil.which("compute-sanitizer", path=path)
        driver = said("nvidia-smi", "--query-gpu=driver_version", "--format=csv,noheader") or "none"
        nvcc = said(self.nvcc, "--version").splitlines()[-1:] if self.nvcc else []
        self.head = [
            f"cuset {(kit / 'version').read_text().strip()}, commit {(kit / 'commit').read_text().strip()}",
            f"{datetime.date.today()}, {self.gpu or 'no GPU'}, driver {driver}, torch {self.torch or 'none'}, "
            f"nvcc {''.join(nvcc) or 'none'}, {os.cpu_count()} cores"]

    @staticmethod
    def folder_for_programs():
        """Where programs may run, which a folder in memory often forbids."""
        for place in (tempfile.gettempdir(), os.getcwd(), kit):
            if os.access(place, os.W_OK) and not os.statvfs(place).f_flag & os.ST_NOEXEC:
                return pathlib.Path(tempfile.mkdtemp(prefix="cuset-kit-", dir=place))
        sys.exit("run.sh: neither the folder for temporary files nor this one lets programs run (TMPDIR names one)")

    def folder_for_models(self):
        """In memory where that is large enough, since a large file is then read at once."""
        available = next((int(line.split()[1]) << 10 for line in open("/proc/meminfo", encoding="ascii")
                          if line.startswith("MemAvailable")), 0)
        shared = pathlib.Path("/dev/shm")
        if (shared.is_dir() and os.access(shared, os.W_OK) and shutil.disk_usage(shared).free > LARGE_MODEL
                and available > 2 * LARGE_MODEL + HEADROOM):
            return pathlib.Path(tempfile.mkdtemp(prefix="cuset-kit-", dir=shared))
        return self.room

    def close(self):
        for folder in (self.room, self.store):
            shutil.rmtree(folder, ignore_errors=True)


def first_of(*folders):
    return next((f for f in folders if f and os.path.isdir(f)), folders[-1])


def unpack(room):
    """The wheel as pip would put it into an environment, and the programs of the tests beside it."""
    wheel = next(kit.glob("cuset-*.whl"))
    with zipfile.ZipFile(wheel) as archive:
        for member in archive.infolist():
            where, _, rest = member.filename.partition(".data/")
            kind, _, path = rest.partition("/")
            if not path or kind not in ("scripts", "data"):
                continue
            target = room / "cuset" / ("bin" if kind == "scripts" else "") / path
            target.parent.mkdir(parents=True, exist_ok=True)
            target.write_bytes(archive.read(member))
            target.chmod(0o755)
    shutil.copytree(kit / "build", room / "build")


def parts(m, a):
    """name -> (usual seconds, why it is left out or None, steps). A step is (name, why it is left out
    or None, share of what is left of the part's time, command as a function of its seconds)."""
    no_gpu = None if m.gpu else "there is no GPU"
    no_torch = None if m.torch else f"{sys.executable} has no torch"
    if m.torch and not m.torch.startswith("2.11."):
        no_torch = f"this is torch {m.torch}, and the programs need 2.11"
    needs_gpu = no_torch or (None if a.on_cpu else no_gpu)
    device = ["--device", "cpu" if a.on_cpu else "cuda"]
    suite = m.room / "build/tests/kernel_suite"
    free = shutil.disk_usage(m.store).free
    no_disk = None
    if not a.on_cpu and free < LARGE_MODEL:
        no_disk = f"{m.store} has {free / 2**30:.0f} GiB free, and the model needs {LARGE_MODEL / 2**30:.0f}"
    no_sanitizer = None if m.sanitizer else "there is no compute-sanitizer"

    def script(name, *options):
        return lambda seconds: [sys.executable, "-B", SCRIPTS / name, *device, "--seconds", f"{seconds:.0f}", *options]

    model_room = m.store / "model"
    return {
        "kernels": (120, no_gpu, [
            ("all sizes", None, 0.6, lambda seconds: [suite, "full"]),
            *((tool, no_sanitizer, 1 / (4 - i), lambda seconds, tool=tool: [
                m.sanitizer, "--tool", tool, "--error-exitcode", "9", "--print-limit", "5", suite, "tiny"])
              for i, tool in enumerate(("memcheck", "racecheck", "initcheck", "synccheck")))]),
        "models": (60, needs_gpu, [("models", None, 1, script("models.py"))]),
        "speed": (180, needs_gpu, [
            ("kernels", None, 0.35, script("_kernel_times.py")),
            ("cuset", no_disk, 0.55, script("_model_speed.py", "--room", model_room)),
            ("peers", no_disk, 1, script("_model_peers.py", "--room", model_room))]),
        "judge": (120, (None if a.on_cpu else no_gpu or (None if m.nvcc else "there is no nvcc")) or
                  (None if m.compiler else "there is no g++, which the host backend needs"),
                  [("kinds", None, 0.3, script("eval_programs.py")),
                   ("judge", None, 1, script("judge.py", "--out", a.out))]),
        "learn": (90, needs_gpu, [("learn", None, 1, script(
            "_learn.py", "--out", a.out, "--room", m.store / "learn", "--seeds", "1" if a.on_cpu else "10",
            *(["--model", a.model] if a.model else [])))]),
    }


def environment(m, results, on_cpu):
    """For the scripts: where things are, and where results go."""
    e = {**os.environ, "PATH": m.path, "CUSET_BIN": str(m.room / "cuset/bin"), "CUSET_SOURCE": str(kit / "source"),
         "CUSET_BUILD": str(m.room / "build"), "CUSET_KIT_RESULTS": str(results), "PYTHONUNBUFFERED": "1",
         "PYTHONPATH": os.pathsep.join(filter(None, [str(kit / "site"), os.environ.get("PYTHONPATH")])),
         "XDG_CACHE_HOME": str(m.room / "cache"), "TMPDIR": str(m.room), "HF_HUB_OFFLINE": "1"}
    if on_cpu:
        e["CUSET_KIT_REHEARSAL"] = "1"
    if m.lib:
        nvidia = sorted(str(f) for f in pathlib.Path(m.lib).parents[1].glob("nvidia/*/lib"))
        e["CUSET_TORCH_LIB"] = m.lib
        e["LD_LIBRARY_PATH"] = os.pathsep.join(filter(None, [m.lib, *nvidia, os.environ.get("LD_LIBRARY_PATH")]))
    return e


def run_parts(all_parts, wanted, minutes, start, out, base, head):
    """Runs the wanted parts; results go to `out` as they come. `start`, by the monotonic clock, is when the
    minutes begin. Returns whether nothing was wrong or missed."""
    import _results as results
    os.environ["CUSET_KIT_RESULTS"] = base["CUSET_KIT_RESULTS"]
    limit = supervision.limits([(name, all_parts[name][0]) for name in wanted], minutes)
    with open(out / "log.txt", "ab") as log:
        for name in wanted:
            _, why, steps = all_parts[name]
            os.environ["CUSET_KIT_PART"] = name
            if why:
                results.left_out(name, why)
                continue
            end = limit(name, time.monotonic() - start)
            begun = time.monotonic()
            for step, step_why, share, command in steps:
                left = end - (time.monotonic() - begun)
                if step_why or left < 3:
                    results.left_out(step, step_why or "no time is left")
                    continue
                seconds = left * share
                print(f"== {name}: {step}, at most {seconds:.0f} s", flush=True)
                log.write(f"== {name}: {step}\n".encode())
                log.flush()
                had = len(table.read(base["CUSET_KIT_RESULTS"]))
                # A script that knows its seconds ends by itself; the supervisor waits a little longer.
                done = supervision.run(command(seconds - 2), seconds + 2, log, {**base, "CUSET_KIT_PART": name})
                new = table.read(base["CUSET_KIT_RESULTS"])[had:]
                if done.code != 0 or done.overdue:
                    # Its own results say what was wrong, unless it fell over.
                    if done.overdue or all(r["met"] is not False for r in new):
                        results.check(step, False, done.why)
                elif not new:
                    results.check(step, True, f"{done.last_line} ({done.seconds:.0f} s)")
                (out / "table.txt").write_text(table.text(table.read(base["CUSET_KIT_RESULTS"]), head))
    return all(r["met"] is not False for r in table.read(base["CUSET_KIT_RESULTS"]))


def main():
    a = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter,
                                usage="run.sh [PART...] [options]")
    a.add_argument("parts", nargs="*", metavar="PART")
    a.add_argument("--minutes", type=float, default=9)
    a.add_argument("--out", type=pathlib.Path, default=pathlib.Path(os.environ.get("OUT") or "gpu-results"))
    a.add_argument("--model", type=pathlib.Path)
    a.add_argument("--on-cpu", action="store_true")
    a = a.parse_args()
    names = ["kernels", "models", "speed", "judge", "learn"]
    for name in a.parts:
        if name not in names:
            sys.exit(f"run.sh: there is no part {name} ({', '.join(names)})")
    start = time.monotonic()
    a.out.mkdir(parents=True, exist_ok=True)
    a.out = a.out.resolve()
    m = machine()
    for line in m.head:
        print(line, flush=True)
    path = a.out / "results.jsonl"
    for name in RESULTS:
        (a.out / name).unlink(missing_ok=True)
    try:
        unpack(m.room)
        good = run_parts(parts(m, a), [n for n in names if n in a.parts or not a.parts], a.minutes, start, a.out,
                         environment(m, path, a.on_cpu), m.head)
    finally:
        m.close()
    shown = table.text(table.read(path), m.head)
    (a.out / "table.txt").write_text(shown)
    print(shown, end="")
    return 0 if good else 1


if __name__ == "__main__":
    sys.exit(main())
