"""--check finds the error in programs that are wrong in one place, and finds nothing in their
correct twins, of which a third rotates. A program's first line says what must be found: `// finds: KIND[,KIND] line
N[,N]`."""
import re

import _programs
from _rotation import third

files = sorted(_programs.faulty() + third(_programs.twins(), "right twins"), key=lambda path: path.name)
assert len(_programs.faulty()) > 40, "the programs are missing"


def expected(path):
    text = path.read_text()
    assert '#include "' not in text, f"{path}: what is included shifts the lines that are found"
    first = text.splitlines()[0]
    if first == "// finds: nothing":
        return None
    found = re.fullmatch(r"// finds: ([a-z_,]+) line ([0-9,]+)", first)
    assert found, f"{path}: {first}"
    return found[1].split(","), [int(n) for n in found[2].split(",")]


def judge(result, path):
    """The difference from the expected result, or None."""
    wanted = expected(path)
    finding = re.search(r"^cuset-host: (?!note)([a-z_]+): (.*)$", result["err"], re.M)
    if not result["compiled"]:
        return _programs.failure_line(result)
    if wanted is None:
        if finding or result["code"] != 0:
            return "a false alarm: " + _programs.failure_line(result)
        return None
    if not finding:
        return f"{wanted[0]} not found: " + _programs.failure_line(result)
    line = re.search(r", line (\d+)", finding[2])
    if finding[1] not in wanted[0] or not line or int(line[1]) not in wanted[1]:
        return f"wanted {wanted}, found {finding[0]}"
    return None


plain = dict(zip(files, _programs.run(files, "--check")))
problems = {path: judge(result, path) for path, result in plain.items()}
# A race between blocks shows in no single access, but in memory that differs between orders.
for seed in ("1", "7", "19"):
    silent = [path for path in files if problems[path] and (wanted := expected(path)) and "race" in wanted[0]]
    for path, other in zip(silent, _programs.run(silent, "--check", "--seed", seed)):
        if plain[path]["launches"] != other["launches"]:
            problems[path] = None
twins = [path for path in files if expected(path) is None]
for path, result in zip(twins, _programs.run(twins, "--check", "--seed", "7")):
    if result["code"] != 0:
        problems[path] = "a false alarm in another order: " + _programs.failure_line(result)
_programs.finish([f"{path}: {problem}" for path, problem in problems.items() if problem],
                 f"{len(files)} programs")
