"""The host backend's runtime takes g++ half a minute, and the part of it that calls of CUDA's libraries need longer. This
compiles each once for all tests and builds of a source tree, into build/host-runtime, and gives each test a copy in a cache
of its own; the libraries' part where a test asks for it first.

usage: _host_runtime.py CACHE-HOME     (what XDG_CACHE_HOME is set to)
"""

import fcntl
import hashlib
import json
import os
import pathlib
import shutil
import subprocess
import sys

source = pathlib.Path(os.environ["CUSET_SOURCE"])
shared = source / "build/host-runtime"


def sources():
    """A hash of what the runtime is made of, and when CUDA's headers were written. A tool that was built from other
    sources compiles its own."""
    files = [p for p in sorted((source / "lib/host/runtime").rglob("*")) if p.is_file()]
    text = hashlib.sha256()
    for path in [*files, source / "lib/host/build/toolchain.cpp"]:
        text.update(path.read_bytes())
    for include in pathlib.Path("/usr/local/cuda/include"), pathlib.Path(os.environ["CUSET_DEPS"]) / "cuda/include":
        for path in include / "cuda_runtime_api.h", include / "cccl/cuda/std/version":
            text.update(str(path.stat().st_mtime_ns if path.exists() else 0).encode())
    return text.hexdigest()


def variant_of(entry):
    """plain, checked (with --check), or searched and counted: what passed runs in them once more."""
    key = (entry / "key").read_text()
    for word, variant in ("CHECK", "checked"), ("RACES", "searched"), ("COUNT", "counted"):
        if f"-DCUSET_HOST_{word}" in key:
            return variant
    return "plain"


def toolkits():
    """cuset-eval's option for each set of CUDA's headers that tests compile with, and the headers' folder (None: any):
    those that it finds by itself, and those beside the nvcc in the PATH, where that belongs to another toolkit."""
    nvcc = shutil.which("nvcc")
    beside = nvcc and pathlib.Path(nvcc).resolve().parent.parent / "include"
    if beside and beside.exists() and beside.resolve() != pathlib.Path("/usr/local/cuda/include").resolve():
        return ("--nvcc=none", None), (f"--nvcc={nvcc}", beside.resolve())
    return (("--nvcc=none", None),)


def compile_entries(tool, name, program, variants):
    """The cache's entry of that name for each variant and toolkit, by judging a program that needs it: the searched one by
    a program that passes. Where that fails, a test says why better."""
    task = shared / "task.jsonl"
    task.write_text(json.dumps({"id": 1, "task_name": "t", "inputs": [], "outputs": [{"name": "out"}],
                                "bench.cu": "int main() {}", "gen.py": "pass", "compare.py": "print('T')"}) + "\n")
    answer = shared / "answer.jsonl"
    answer.write_text(json.dumps({"task": 1, "sample": 0, "response": f"```cpp\n{program}\n```"}) + "\n")
    for option, include in toolkits():
        there = {variant_of(entry) for entry in (shared / "cuset").glob(name)
                 if include is None or f"{include}\n" in (entry / "key").read_text()}
        for variant in sorted(set(variants) - there):
            subprocess.run([tool, "-q", "--backend=host", option, "--accept-no-launch",
                            *["--check"] * (variant == "checked"), *["--no-confirm"] * (variant != "searched"), *["--count"] * (variant == "counted"),
                            "--tasks", task, answer],
                           env=dict(os.environ, XDG_CACHE_HOME=str(shared)), capture_output=True)


passing = '#include <cstdio>\nint main() { return std::fclose(std::fopen("data/out.bin", "w")); }'


def seed(cache_home):
    """Puts the runtime into the cache of this home."""
    fill(pathlib.Path(cache_home) / "cuset")


def fill(cache, libraries=(), counted=False):
    """Puts the runtime into a cache, and the program by which each evaluation tries the compiler, if there is a cuset-eval
    to compile them; also the part for CUDA's libraries in these variants, and the variant that counts. What the cache has
    stays."""
    tool = pathlib.Path(os.environ["CUSET_BIN"]) / "cuset-eval"
    if not tool.exists():
        return
    shared.mkdir(parents=True, exist_ok=True)
    with open(shared / "lock", "w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        stamp, state = shared / "sources", sources()
        if not stamp.exists() or stamp.read_text() != state:
            shutil.rmtree(shared / "cuset", ignore_errors=True)
            compile_entries(tool, "host-[!l]*", passing, ("plain", "checked", "searched"))
            if list((shared / "cuset").glob("host-*")):
                stamp.write_text(state)
        if counted:
            compile_entries(tool, "host-[!l]*", passing, ("counted",))
        compile_entries(tool, "host-libraries-*", "#include <cublas_v2.h>\nint main() { cublasHandle_t h; cublasCreate(&h); }",
                        libraries)
        wanted = [entry for pattern in ("host-[!l]*", "compile/*/*") for entry in (shared / "cuset").glob(pattern)
                  if pattern[0] == "c" or counted or variant_of(entry) != "counted"]
        wanted += [entry for entry in (shared / "cuset").glob("host-libraries-*") if variant_of(entry) in libraries]
        for entry in wanted:
            place = cache / entry.relative_to(shared / "cuset")
            if not place.exists():
                place.parent.mkdir(parents=True, exist_ok=True)
                partial = place.parent / f".{entry.name}.{os.getpid()}"
                shutil.copytree(entry, partial, symlinks=True)
                partial.rename(place)


def quick_gxx(folder, libraries=()):
    """A g++ in this folder that takes the runtime's objects from the shared archives, for tests that have the runtime
    compiled many times: what is tested there is when it is made, and that it is whole. What else it compiles, such as
    the precompiled header, is compiled. Compiles the shared runtime where it is missing. `libraries` as of fill()."""
    fill(folder / "seed", libraries)
    program = folder / "bin/g++"
    program.parent.mkdir(parents=True)
    program.write_text(f"""#!/bin/sh
for last; do :; done
case "$*" in *" -c "*".cpp -o object"*) ;; *) exec {shutil.which("g++")} "$@" ;; esac
case "$*" in *-DCUSET_HOST_CHECK*) kind=checked ;; *-DCUSET_HOST_RACES*) kind=searched ;; *-DCUSET_HOST_COUNT*) kind=counted ;; *) kind=plain ;; esac
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
        kind = "libraries-" if entry.name.startswith("host-libraries-") else ""
        kind += variant_of(entry)
        archive, = entry.glob("*.a")
        for name in subprocess.run(["ar", "t", archive], capture_output=True, text=True).stdout.split():
            with open(folder / f"{runtime}-{kind}-{name}", "wb") as out:
                subprocess.run(["ar", "p", archive, name], stdout=out, check=True)
    return program


if __name__ == "__main__":
    seed(sys.argv[1])
