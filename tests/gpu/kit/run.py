"""run.sh [PART...] [--minutes 9] [--out FOLDER] [--model FOLDER] [--on-cpu]

Tests and measures cuset on a GPU. Parts, in the order of what matters most; without any, all:

  kernels  every kernel at all sizes, ten times for its bits; compute-sanitizer over the small cases
  models   training and scoring on the GPU against the CPU, the same bits again, no step that waits
  speed    ceilings of the card; the loss head, scoring, training and sampling beside their peers
  large    training on a base of 7 billion weights in 4 and 8 bits, beside bfloat16
  judge    CUDABench's references and mutants, judged on the GPU and on the host backend
  time     cuset-eval --time: bench.cu beside itself, kernels of a known time, programs that hide work; --profile ncu
  learn    SFT, CuSeT and its ablations on examples/evidence, seed after seed; answers are kept

  --minutes M     when it is over: a part that hangs is ended, and the rest goes on
  --out FOLDER    where results go as they come ($OUT, else ./gpu-results): table.txt, results.jsonl,
                  log.txt, disagreements.jsonl, verdicts.jsonl.gz, answers.jsonl.gz; those of an earlier
                  run are replaced
  --model FOLDER  for learn: the folder that `kit.sh pack --model` made, or a model folder of SmolLM2;
                  without it, learn begins with random weights
  --on-cpu        a rehearsal without a GPU: tiny sizes, and what only a GPU can do is left out

All parts take some 13 minutes; in fewer, each gets its share, and what has no time left is left out. With 9
minutes, run `kernels models speed large` first and `judge time learn` after it.

What cannot run here is named in one line. Exit code: 0 where something ran, and nothing was wrong or
missed, else 1.
"""
import argparse
import datetime
import os
import pathlib
import shutil
import signal
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
# Says where torch is without importing it, and then whether it sees a GPU: importing it for the first
# time may take a minute.
FIND_TORCH = """
import importlib.util, pathlib, re
spec = importlib.util.find_spec("torch")
folder = pathlib.Path(spec.origin).parent
version = re.search(r"__version__ = '([^']*)'", (folder / "version.py").read_text())[1]
print(version, folder / "lib", sep="\\n")
"""
SEE_GPU = "import torch; torch.cuda.init(); print(torch.cuda.get_device_name(0))"
IMPORT_SECONDS = 150
# Qwen2.5-7B's layers: bytes of its weights in bfloat16 with so many, and of what is written beside them.
MODELS = {28: 17 << 30, 14: 10 << 30}
RESULTS = ("table.txt", "results.jsonl", "log.txt", "disagreements.jsonl", "verdicts.jsonl.gz", "answers.jsonl.gz")
HEADROOM = 24 << 30  # bytes of memory that a model in /dev/shm leaves to others


def asked(*command, seconds=60):
    """(what a command prints, or None where it fails, why it failed)."""
    try:
        done = subprocess.run(command, capture_output=True, text=True, timeout=seconds, check=False)
    except (OSError, subprocess.TimeoutExpired) as error:
        return None, str(error)
    lines = done.stderr.strip().splitlines()
    return (done.stdout.strip(), "") if done.returncode == 0 else (None, lines[-1] if lines else "no reason given")


def said(*command):
    return asked(*command)[0] or ""


class machine:
    """What this machine has."""

    def __init__(self):
        found = said(sys.executable, "-c", FIND_TORCH).splitlines()
        self.torch, self.lib = found if len(found) == 2 else (None, None)
        self.gpu = said("nvidia-smi", "--query-gpu=name", "--format=csv,noheader").partition("\n")[0] or None
        self.torch_sees_gpu, self.why_not = False, ""  # why torch does not see it
        if self.gpu and self.torch:
            name, self.why_not = asked(sys.executable, "-c", SEE_GPU, seconds=IMPORT_SECONDS)
            self.torch_sees_gpu = name is not None
        self.room = self.folder_for_programs()
        self.store = self.folder_for_models()
        self.cuda = first_of(os.environ.get("CUDA_HOME"), "/usr/local/cuda")
        path = os.pathsep.join([str(self.room / "bwrap/bin"), str(self.room / "cuset/bin"), f"{self.cuda}/bin",
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
        if (shared.is_dir() and os.access(shared, os.W_OK) and shutil.disk_usage(shared).free > MODELS[28]
                and available > 2 * MODELS[28] + HEADROOM):
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
    for name in ("build", "bwrap"):
        shutil.copytree(kit / name, room / name)
        for file in (room / name).rglob("*"):  # however the kit travelled
            file.chmod(0o755)


def parts(m, a):
    """name -> (usual seconds, why it is left out or None, steps). A step is (name, why it is left out
    or None, share of what is left of the part's time, command as a function of its seconds)."""
    no_gpu = None if m.gpu else "there is no GPU"
    no_torch = None if m.torch else f"{sys.executable} has no torch"
    if m.torch and not m.torch.startswith("2.11."):
        no_torch = f"this is torch {m.torch}, and the programs need 2.11"
    unseen = None if m.torch_sees_gpu or not m.gpu else f"torch does not see the GPU: {m.why_not}"
    needs_gpu = no_torch or (None if a.on_cpu else no_gpu or unseen)
    device = ["--device", "cpu" if a.on_cpu else "cuda"]
    suite = m.room / "build/tests/kernel_suite"
    free = shutil.disk_usage(m.store).free
    layers = next((n for n, needed in MODELS.items() if free >= needed), None)
    no_disk, sized = None, []
    if not a.on_cpu:
        sized = [] if layers == 28 else ["--layers", str(layers)]
        if layers is None:
            no_disk = f"{m.store} has {free / 2**30:.0f} GiB free, and half a model needs {MODELS[14] / 2**30:.0f}"
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
        "models": (100, needs_gpu, [("models", None, 1, script("models.py"))]),
        "speed": (180, needs_gpu, [
            ("kernels", None, 0.28, script("_kernel_times.py")),
            ("cuset", no_disk, 0.5, script("_model_speed.py", "--room", model_room, *sized)),
            ("peers", no_disk, 1, script("_model_peers.py", "--room", model_room, *sized))]),
        "large": (90, needs_gpu, [
            ("large", no_disk, 1, script("_large_base.py", "--room", model_room, "--steps", "8", *sized))]),
        "judge": (120, (None if a.on_cpu else no_gpu or (None if m.nvcc else "there is no nvcc")) or
                  (None if m.compiler else "there is no g++, which the host backend needs"),
                  [("kinds", None, 0.3, script("eval_programs.py")),
                   ("judge", None, 1, script("judge.py", "--out", a.out))]),
        "time": (90, no_gpu or (None if m.nvcc else "there is no nvcc"), [("time", None, 1, script("timing.py"))]),
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
    minutes begin. Returns whether something ran, and nothing was wrong or missed."""
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
    found = table.read(base["CUSET_KIT_RESULTS"])
    return any(r["value"] is not None for r in found) and all(r["met"] is not False for r in found)


def main():
    a = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter,
                                usage="run.sh [PART...] [options]")
    a.add_argument("parts", nargs="*", metavar="PART")
    a.add_argument("--minutes", type=float, default=9)
    a.add_argument("--out", type=pathlib.Path, default=pathlib.Path(os.environ.get("OUT") or "gpu-results"))
    a.add_argument("--model", type=pathlib.Path)
    a.add_argument("--on-cpu", action="store_true")
    a = a.parse_args()
    names = ["kernels", "models", "speed", "large", "judge", "time", "learn"]
    for name in a.parts:
        if name not in names:
            sys.exit(f"run.sh: there is no part {name} ({', '.join(names)})")
    if a.model and not a.model.is_dir():
        sys.exit(f"run.sh: {a.model} is no folder")
    start = time.monotonic()
    # What it has started ends with it, and its folders go.
    for number in (signal.SIGTERM, signal.SIGHUP):
        signal.signal(number, lambda *_: sys.exit(1))
    try:
        a.out.mkdir(parents=True, exist_ok=True)
        for name in RESULTS:
            (a.out / name).unlink(missing_ok=True)
    except OSError as error:
        sys.exit(f"run.sh: {error.filename}: {error.strerror}")
    a.out = a.out.resolve()
    path = a.out / "results.jsonl"
    m = machine()
    try:
        for line in m.head:
            print(line, flush=True)
        unpack(m.room)
        good = run_parts(parts(m, a), [n for n in names if n in a.parts or not a.parts], a.minutes, start, a.out,
                         environment(m, path, a.on_cpu), m.head)
        shown = table.text(table.read(path), m.head)
        (a.out / "table.txt").write_text(shown)
        print(shown, end="", flush=True)
    finally:
        m.close()
    return 0 if good else 1


if __name__ == "__main__":
    sys.exit(main())
