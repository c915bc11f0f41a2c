"""HIP programs: each of hip/pairs/ prints what its twin in CUDA prints, those of hip/right/ check themselves, and those
of hip/faulty/, hip/refused/ and hip/unmodelled/ get the verdict that their first line has, with HIP's lines."""
import re

import _programs

folder = _programs.folder / "hip"


def files(name, least):
    found = sorted((folder / name).glob("*.hip"))
    assert len(found) >= least, f"programs are missing: {len(found)} in {name}"
    return found


def said(path):
    """The words of the first line behind its colon."""
    return path.read_text().splitlines()[0].split(": ", 1)[1]


wrong = []
pairs = files("pairs", 20) + (files("pairs_of_libraries", 2) if _programs.has_toolkit else [])
twins = [path.with_suffix(".cu") for path in pairs]
results = _programs.run(pairs + twins)
wrong += _programs.failed(results, "pairs")
for path, hip, cuda in zip(pairs, results, results[len(pairs):]):
    if hip.get("out") != cuda.get("out") or not hip.get("out"):
        wrong.append(f"{path.stem}: HIP prints {hip.get('out')!r}, CUDA {cuda.get('out')!r}")
right = files("right", 2)
wrong += _programs.failed(_programs.run(right), "right")
wrong += _programs.failed(_programs.run(right, "--seed", "1", "--asynchronous"), "seed 1, asynchronous")
for path, result in zip(right, _programs.run(right, "--races")):
    if re.search(r"^cuset-host: race:", result["err"], re.M):
        wrong.append(f"{path.name}: a false alarm: {_programs.failure_line(result)}")

for option in "--check", "--races":
    for path, result in zip(files("faulty", 3), _programs.run(files("faulty", 3), option)):
        kind, lines = re.fullmatch(r"([a-z_]+) line ([0-9,]+)", said(path)).groups()
        if option == "--races" and kind != "race" or option == "--check" and kind == "race":
            continue
        found = re.search(r"^cuset-host: (?!note)([a-z_]+): (.*)$", result["err"], re.M)
        line = found and re.search(r", line (\d+)", found[2])
        if not line or found[1] != kind or line[1] not in lines.split(","):
            wrong.append(f"{path.name}: {said(path)} not found: {found and found[0]} {_programs.failure_line(result)}")

for kind, least in ("refused", 4), ("unmodelled", 4):
    for path, result in zip(files(kind, least), _programs.run(files(kind, least))):
        told, runs = result["diagnostic"], " while it runs" in path.read_text().splitlines()[0]
        if runs:
            fault = re.search(r"^cuset-host: unsupported: (.*)$", result["err"], re.M)
            told = fault[1] if fault else ""
        if told != said(path) or result["compiled"] != runs or (result["unsupported"] != (kind == "unmodelled") and not runs):
            wrong.append(f"{path.name}: must be {kind}: {said(path)}: {told} {_programs.failure_line(result)}")
_programs.finish(wrong, f"{len(pairs)} pairs")
