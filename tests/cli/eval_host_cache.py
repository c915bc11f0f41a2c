"""This tests the host backend's runtime in the cache: half written, by two at once, its libraries' part, and compilers
that cannot make it."""

import json
import os
import pathlib
import shutil
import subprocess

from _eval import assert_that, room, tool, write, write_candidates
from _host_answers import candidate, gxx, host, kernels, one, prelude, real_gxx, right, tasks
from _host_runtime import variant_of

# A half-written runtime is made anew.
runtimes = {variant_of(entry): entry for entry in (room / "cache/cuset").glob("host-*")}
library = runtimes["plain"] / "libcuset_host.a"
whole = library.read_bytes()
library.write_bytes(whole[:100])
done = host("--nvcc=none", "--tasks", tasks, "--json", one)
assert_that("half a runtime", json.loads(done.stdout)["funnel"]["correct"] == 1, done)
assert_that("half a runtime", library.stat().st_size > 100)

# What calls of libraries need is compiled where a program first has them, and anew where it is half written.
if pathlib.Path("/usr/local/cuda/include/cublas_v2.h").exists():
    stream = write_candidates(room / "libraries.jsonl", candidate(1, 0, right + """
    cublasHandle_t handle = nullptr;
    return cublasCreate(&handle) || cublasDestroy(handle);""", "#include <cublas_v2.h>\n" + prelude + kernels))
    for state in "missing", "half written", "whole":
        done = host("--nvcc=none", "--tasks", tasks, "--json", stream)
        assert_that(f"libraries, {state}", done.returncode == 0 and json.loads(done.stdout)["funnel"]["correct"] == 1, done)
        assert_that(f"libraries, {state}", (b"compiling the host backend's libraries first" in done.stderr) == (state != "whole"),
                    done.stderr.decode())
        library, = (room / "cache/cuset").glob("host-libraries-*/libcuset_host_libraries.a")
        shutil.rmtree(room / "cache/cuset/compile")
        if state == "missing":
            library.write_bytes(library.read_bytes()[:100])

# Two at once with nothing in the cache.
both = [subprocess.Popen([tool, "--backend=host", "--nvcc=none", "--json", "--tasks", tasks, one],
                         stdout=subprocess.PIPE, stderr=subprocess.PIPE,
                         env=dict(os.environ, XDG_CACHE_HOME=str(room / "cold"), TMPDIR=str(room / "scratch")))
        for _ in range(2)]
for process in both:
    out, err = process.communicate()
    assert_that("two at once", process.returncode == 0 and json.loads(out)["funnel"]["correct"] == 1, err.decode())
    assert_that("the wait is explained", b"compiling the host backend's runtime first" in err, err.decode())
warm = subprocess.run(both[0].args, capture_output=True, check=False,
                      env=dict(os.environ, XDG_CACHE_HOME=str(room / "cold"), TMPDIR=str(room / "scratch")))
assert_that("there is none then", warm.returncode == 0 and b"compiling" not in warm.stderr, warm)
left = [p.name for p in (room / "cold/cuset").iterdir()]
assert_that("two at once", sorted(n[:5] for n in left) == ["compi", "host-", "host-", "remov"], left)

# A g++ that cannot compile the runtime; and whether the precompiled header is used.
fake = write(room / "fake/bin/g++", f"""#!/bin/sh
case "$*" in *textures.cpp*) echo "device/textures.cpp:1:1: error: out of order" >&2; exit 1 ;; esac
exec {gxx} "$@"
""")
fake.chmod(0o755)
path = f"{fake.parent}:{os.environ['PATH']}"
done = host("-q", "--nvcc=none", "--tasks", tasks, one, PATH=path)
assert_that("no runtime", done.returncode == 4 and b"out of order" in done.stderr
            and done.stderr.count(b"\n") == 1, done)
# One that cannot compile the part that searches for races: the verdict stays, and one line says so.
write(fake, f"""#!/bin/sh
case "$*" in
  *program.cu*) exec {real_gxx} "$@" ;;
  *CUSET_HOST_RACES*textures.cpp*) echo "textures.cpp:1:1: error: no races" >&2; exit 1 ;;
esac
exec {gxx} "$@"
""")
twice = write_candidates(room / "twice.jsonl", candidate(1, 0, right), candidate(1, 1, right + "return 0;"))
done = host("--nvcc=none", "--tasks", tasks, "--json", twice, PATH=path)
assert_that("no search", done.returncode == 0 and json.loads(done.stdout)["funnel"]["correct"] == 2
            and done.stderr.count(b"no search for races: g++ does not compile the host runtime: ") == 1, done)
write(fake, f"""#!/bin/sh
case "$*" in *program.cu*) ;; *) exec {gxx} "$@" ;; esac
{real_gxx} -H "$@" 2> said || {{ cat said >&2; exit 1; }}
grep -q '^! .*program.h.gch' said || {{ echo "program.cu:1:1: error: no precompiled header" >&2; exit 1; }}
""")
done = host("-q", "--nvcc=none", "--tasks", tasks, "--json", one, PATH=path)
assert_that("precompiled header", done.returncode == 0 and json.loads(done.stdout)["funnel"]["correct"] == 1, done)
