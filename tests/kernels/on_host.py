"""The GPU kernels run on the host backend's model of a GPU, in the plain order of threads and in
others, on the cases that their CPU versions run too."""
import os
import pathlib
import tempfile

import _suite  # first: it tells Python where _programs is
import _programs

seeds = ["0", "3", "8"] + (["1", "2", "4", "5"] if os.environ.get("CUSET_LONG") else [])
with tempfile.TemporaryDirectory() as room:
    program = pathlib.Path(room) / "suite.cu"
    program.write_text(_suite.amalgamated("small"))
    results = [(seed, _programs.run([program], "--seed", seed)[0]) for seed in seeds]
for seed, result in results:
    print(f"seed {seed}: {_suite.outcome(result)}")
raise SystemExit(1 if any(not _suite.passed(result) for _, result in results) else 0)
