"""The GPU kernels run on the host backend with every access checked: bounds, unset values, hazards
between barriers, races."""
import pathlib
import tempfile

import _suite

with tempfile.TemporaryDirectory() as room:
    program = pathlib.Path(room) / "suite.cu"
    program.write_text(_suite.amalgamated("tiny"))
    result = _suite.only_run(program, "--check")
print(_suite.outcome(result))
raise SystemExit(0 if _suite.passed(result) else 1)
