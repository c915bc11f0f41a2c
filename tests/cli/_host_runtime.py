"""The host backend's runtime takes g++ half a minute. This compiles it once for all tests and builds of a source tree,
into build/host-runtime, and gives each test a copy in a cache of its own.

usage: _host_runtime.py CACHE-HOME     (what XDG_CACHE_HOME is set to)
"""

import fcntl
import hashlib
import itertools
import json
import os
import pathlib
import shutil
import subprocess
import sys

source = pathlib.Path(os.environ["CUSET_SOURCE"])
shared = source / "build/host-runtime"


def sources():
    """A hash of what the runtime is made of. A tool that was built from other sources compiles its own."""
    files = [p for p in sorted((source / "lib/host/runtime").rglob("*")) if p.is_file()]
    text = hashlib.sha256()
    for path in [*files, source / "lib/host/build/toolchain.cpp"]:
        text.update(path.read_bytes())
    return text.hexdigest()


def compile_runtime(tool):
    """All variants, by judging a program that ends at once: with --check and without, and with an nvcc to ask, whose
    version is a part of the key, and without. Where that fails, a test says why better."""
    task = shared / "task.jsonl"
    task.write_text(json.dumps({"id": 1, "task_name": "t", "inputs": [], "outputs": [], "bench.cu": "int main() {}",
                                "gen.py": "", "compare.py": "print('T')"}) + "\n")
    answer = shared / "answer.jsonl"
    answer.write_text(json.dumps({"task": 1, "sample": 0, "response": "```cpp\nint main() {}\n```"}) + "\n")
    for options in itertools.product(([], ["--nvcc=none"]), ([], ["--check"])):
        subprocess.run([tool, "-q", "--backend=host", *sum(options, []), "--tasks", task, answer],
                       env=dict(os.environ, XDG_CACHE_HOME=str(shared)), capture_output=True)


def seed(cache_home):
    """Puts the runtime into the cache of this home."""
    fill(pathlib.Path(cache_home) / "cuset")


def fill(cache):
    """Puts the runtime into a cache, and the program by which each evaluation tries the compiler, if there is a cuset-eval
    to compile them. What the cache has stays."""
    tool = pathlib.Path(os.environ["CUSET_BIN"]) / "cuset-eval"
    if not tool.exists():
        return
    shared.mkdir(parents=True, exist_ok=True)
    with open(shared / "lock", "w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        stamp, state = shared / "sources", sources()
        if not stamp.exists() or stamp.read_text() != state:
            shutil.rmtree(shared / "cuset", ignore_errors=True)
            compile_runtime(tool)
            if list((shared / "cuset").glob("host-*")):
                stamp.write_text(state)
        for pattern in ("host-*", "compile/*/*"):
            for entry in (shared / "cuset").glob(pattern):
                place = cache / entry.relative_to(shared / "cuset")
                if not place.exists():
                    place.parent.mkdir(parents=True, exist_ok=True)
                    partial = place.parent / f".{entry.name}.{os.getpid()}"
                    shutil.copytree(entry, partial, symlinks=True)
                    partial.rename(place)


def quick_gxx(folder):
    """A g++ in this folder that takes the runtime's objects from the shared archives, for tests that have the runtime
    compiled many times: what is tested there is when it is made, and that it is whole. What else it compiles, such as
    the precompiled header, is compiled. Compiles the shared runtime where it is missing."""
    fill(folder / "seed")
    program = folder / "bin/g++"
    program.parent.mkdir(parents=True)
    program.write_text(f"""#!/bin/sh
for last; do :; done
case "$*" in *" -c "*".cpp -o object"*) ;; *) exec {shutil.which("g++")} "$@" ;; esac
case "$*" in *-DCUSET_HOST_CHECK*) kind=checked ;; *) kind=plain ;; esac
case "$*" in */libraries/cu*) kind=libraries-$kind ;; esac
read -r runtime < key || runtime=
kept="{folder}/$runtime-$kind-$last"
if [ ! -s "$kept" ]; then
    {shutil.which("g++")} "$@" && cp "$last" "$kept.$$" && mv "$kept.$$" "$kept"
else
    cp "$kept" "$last"
fi
""")
    program.chmod(0o755)
    for entry in (folder / "seed").glob("host-*"):
        runtime = (entry / "key").read_text().split("\n")[0]  # a tool of other sources compiles its own
        kind = "checked" if "-DCUSET_HOST_CHECK" in (entry / "key").read_text() else "plain"
        archive = entry / "libcuset_host.a"
        for name in subprocess.run(["ar", "t", archive], capture_output=True, text=True).stdout.split():
            with open(folder / f"{runtime}-{kind}-{name}", "wb") as out:
                subprocess.run(["ar", "p", archive, name], stdout=out, check=True)
    return program


if __name__ == "__main__":
    seed(sys.argv[1])
