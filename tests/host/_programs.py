"""Runs CUDA programs on the host model: see host_program.cpp. Programs that check themselves share
check.h, and end with a line that says how many checks they made."""
import concurrent.futures
import json
import os
import pathlib
import re
import subprocess
import sys
import tempfile

folder = pathlib.Path(__file__).resolve().parent
sys.path.append(str(folder.parent / "cli"))
import _host_runtime  # noqa: E402
from _rotation import third  # noqa: E402
driver = pathlib.Path(os.environ["CUSET_BUILD"]) / "tests/host_program"
is_long = bool(os.environ.get("CUSET_LONG"))
# The headers of CUDA's libraries are in no package that cuset installs.
has_toolkit = pathlib.Path("/usr/local/cuda/include/cublas_v2.h").exists()
_runtimes = set()  # the variants of the runtime that are compiled
_all_results = []


def need_toolkit(what):
    if not has_toolkit:
        print(f"skipped: {what} need the headers of CUDA's libraries in /usr/local/cuda/include")
        sys.exit(77)


def programs(*folders, least=1):
    """The programs of some folders here, sorted."""
    files = [path for name in folders for path in sorted((folder / name).glob("*.cu"))]
    assert len(files) >= least, f"programs are missing: {len(files)} in {folders}"
    return files


def cache(files=(), options=()):
    """The cache, kept between tests of one build: compiling the runtime takes a while, and so does the part of it that
    these programs need if they name CUDA's libraries."""
    place = pathlib.Path(os.environ["CUSET_BUILD"]) / "tests/host-cache"
    place.mkdir(parents=True, exist_ok=True)
    named = any(re.search("cublas|cufft|cusolver|cusparse", path.read_text()) for path in files)
    variant = "checked" if "--check" in options else "plain"  # what is searched links plain libraries
    _host_runtime.fill(place, [variant] if named and "--forms" not in options else [])
    return str(place)


def _run_in_one(files, options):
    if not files:
        return []
    done = subprocess.run([driver, *options, cache(files, options), *map(str, files)], capture_output=True, text=True)
    if done.returncode != 0:
        sys.exit(f"host_program failed: {done.stderr}")
    return [json.loads(line) for line in done.stdout.splitlines()]


def run(files, *options):
    """One result, a dict, for each file. Two processes run at once, but never compile one runtime."""
    files = list(files)
    if not files:
        return []
    results = [None] * len(files)
    variant = "--check" in options, "--races" in options
    first = 0 if variant in _runtimes else 1
    results[:first] = _run_in_one(files[:first], options)
    _runtimes.add(variant)
    with concurrent.futures.ThreadPoolExecutor(2) as pool:
        starts = range(first, first + 2)
        for start, part in zip(starts, pool.map(lambda n: _run_in_one(files[n::2], options), starts)):
            results[start::2] = part
    _all_results.extend(results)
    return results


def faulty():
    """The programs of faulty/, each wrong in one place."""
    return programs("faulty")


def twins():
    """Their correct twins, made from them: lines ending in "// wrong" are left out, and those
    beginning with "//= " are put in."""
    place = pathlib.Path(os.environ["CUSET_BUILD"]) / "tests/host-twins"
    place.mkdir(parents=True, exist_ok=True)
    made = []
    for program in faulty():
        lines = ["// finds: nothing"]
        for line in program.read_text().splitlines()[1:]:
            if not line.endswith("// wrong"):
                lines.append(line[4:] if line.startswith("//=") else line)
        made.append(place / f"{program.stem}.good.cu")
        with tempfile.NamedTemporaryFile("w", dir=place, delete=False) as new:  # other tests read them
            new.write("\n".join(lines) + "\n")
        os.replace(new.name, made[-1])
    return made


def failure_line(result):
    """The first line that says what was wrong."""
    if not result["compiled"]:
        return "does not compile: " + result["diagnostic"]
    lines = (result["err"] + result["out"]).strip().splitlines()
    return f"exit code {result['code']}: {lines[0] if lines else ''}"


def failed(results, how):
    """A line for each result of a program that did not end with exit code 0."""
    return [f"{r['file']} ({how}): {failure_line(r)}" for r in results
            if not r["compiled"] or not r["exited"] or r["code"] != 0]


def right_in_orders(files):
    """What fails in the plain order, or in the descending one with asynchronous streams; in the long
    form in others too."""
    wrong = failed(run(files, "--seed", "0"), "seed 0")
    wrong += failed(run(files, "--seed", "1", "--asynchronous"), "seed 1, asynchronous")
    for seed in "1234567" if is_long else "":
        wrong += failed(run(files, "--seed", seed), f"seed {seed}")
    return wrong


def wrongly_accepted(kind):
    """A line for each program of refused/ or unmodelled/ that does not get the verdict which its first
    line has: `// refused: WORDS` of the diagnostic, `// unmodelled: NAME`, all of it."""
    wrong = []
    files = programs(kind)
    for path, r in zip(files, run(files)):
        words = path.read_text().splitlines()[0].removeprefix(f"// {kind}: ")
        is_right = words == r["diagnostic"] if kind == "unmodelled" else words in r["diagnostic"]
        if r["compiled"] or r["unsupported"] != (kind == "unmodelled") or not is_right:
            wrong.append(f"{path.name}: must be {kind}: {words}: {failure_line(r)}")
    return wrong


def finish(wrong, what):
    """Ends the suite: says what is wrong, and what its time went into."""
    compiled = [(r["compile_seconds"], r["file"]) for r in _all_results if "code" in r and not r["cached"]]
    ran = [(r["seconds"], r["file"]) for r in _all_results if "code" in r]
    checks = sum(int(n) for r in _all_results for n in re.findall(r"^(\d+) checks, ", r.get("out", ""), re.M))
    for name, spent in ("compile", compiled), ("run", ran):
        slowest = ", ".join(f"{pathlib.Path(file).name} {seconds:.1f}" for seconds, file in sorted(spent)[:-6:-1])
        print(f"{len(spent)} to {name}: {sum(s for s, _ in spent):.0f} s; the slowest: {slowest or 'none'}")
    print("".join(line + "\n" for line in wrong) + f"{what}: {len(wrong)} wrong, {checks} checks")
    raise SystemExit(1 if wrong else 0)
