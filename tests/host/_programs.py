"""Runs CUDA programs on the host model: see host_program.cpp."""
import json
import os
import pathlib
import subprocess
import sys
import tempfile

folder = pathlib.Path(__file__).resolve().parent
sys.path.append(str(folder.parent / "cli"))
import _host_runtime  # noqa: E402
driver = pathlib.Path(os.environ["CUSET_BUILD"]) / "tests/host_program"


# Some programs need the toolkit's own headers.
has_toolkit = pathlib.Path("/usr/local/cuda/include/cuda_runtime.h").exists()


def cache():
    """The cache, kept between tests of one build: compiling the runtime takes a while."""
    place = pathlib.Path(os.environ["CUSET_BUILD"]) / "tests/host-cache"
    place.mkdir(parents=True, exist_ok=True)
    _host_runtime.fill(place)
    return str(place)


def run(files, *options):
    """One result, a dict, for each file."""
    if not files:
        return []
    done = subprocess.run([driver, *options, cache(), *map(str, files)], capture_output=True, text=True)
    if done.returncode != 0:
        sys.exit(f"host_program failed: {done.stderr}")
    return [json.loads(line) for line in done.stdout.splitlines()]


def faulty():
    """The programs of faulty/, each wrong in one place."""
    return sorted(folder.glob("faulty/*.cu"))


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


def said(result):
    """The first line that says what was wrong."""
    if not result["compiled"]:
        return "does not compile: " + result["diagnostic"]
    lines = (result["err"] + result["out"]).strip().splitlines()
    return f"exit code {result['code']}: {lines[0] if lines else ''}"


def halves(files):
    """The files in two parts, for two processors."""
    files = list(files)
    return files[: len(files) // 4 * 2], files[len(files) // 4 * 2 :]
