"""--check finds the error in programs that are wrong in one place, and finds nothing in their
correct twins. A program's first line says what must be found: `// finds: KIND[,KIND] line
N[,N]`."""
import concurrent.futures
import re

import _programs

files = sorted(_programs.faulty() + _programs.twins(), key=lambda path: path.name)
assert len(files) > 80, "the programs are missing"


def expected(path):
    first = path.read_text().splitlines()[0]
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
        return _programs.said(result)
    if wanted is None:
        if finding or result["code"] != 0:
            return "a false alarm: " + _programs.said(result)
        return None
    if not finding:
        return f"{wanted[0]} not found: " + _programs.said(result)
    line = re.search(r", line (\d+)", finding[2])
    if finding[1] not in wanted[0] or not line or int(line[1]) not in wanted[1]:
        return f"wanted {wanted}, found {finding[0]}"
    return None


def part(some):
    """Each program in the plain order; those with a race and no finding in other orders too."""
    problems = {path: judge(result, path) for path, result in zip(some, _programs.run(some, "--check"))}
    silent = [path for path in some if problems[path] and (wanted := expected(path)) and "race" in wanted[0]]
    for seed in ("1", "7", "19"):
        if not silent:
            break
        # A race between blocks shows in no single access, but in memory that differs between
        # orders.
        plain = _programs.run(silent, "--check", "--seed", "0")
        other = _programs.run(silent, "--check", "--seed", seed)
        for path, before, after in zip(silent, plain, other):
            if before["launches"] != after["launches"]:
                problems[path] = None
        silent = [path for path in silent if problems[path]]
    twins = [path for path in some if expected(path) is None]
    for result in _programs.run(twins, "--check", "--seed", "7"):
        if result["code"] != 0:
            problems[result["file"]] = "a false alarm in another order: " + _programs.said(result)
    return [f"{path}: {problem}" for path, problem in problems.items() if problem]


_programs.run(files[:1], "--check")  # compiles the runtime once
with concurrent.futures.ThreadPoolExecutor(2) as pool:
    wrong = sum(pool.map(part, _programs.halves(files)), [])
print("\n".join(wrong))
print(f"{len(files)} programs: {len(wrong)} wrong")
raise SystemExit(1 if wrong else 0)
