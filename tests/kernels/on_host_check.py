"""The GPU kernels run on the host backend with every access checked: bounds, unset values, hazards
between barriers, races."""
import pathlib
import tempfile

import _suite  # first: it tells Python where _programs is
import _programs

with tempfile.TemporaryDirectory() as room:
    program = pathlib.Path(room) / "suite.cu"
    program.write_text(_suite.amalgamated("tiny"))
    result = _programs.run([program], "--check")[0]
print(_suite.outcome(result))
raise SystemExit(0 if _suite.passed(result) else 1)
