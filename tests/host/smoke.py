"""A sample of the host suites that takes minutes: one program in four of the execution model and
its library, one faulty program in eight with its correct twin, and one each of refused and
unmodelled code. model.py and faulty.py have all of them, in more orders of threads."""
import re

import _programs


def some(pattern, every):
    files = sorted(_programs.folder.glob(pattern))
    assert len(files) > every, f"the programs {pattern} are missing"
    return files[::every]


def first_line(path):
    return path.read_text().splitlines()[0]


right = some("model/*.cu", 4) + some("library/*.cu", 4)
faulty, twins = _programs.faulty()[::8], _programs.twins()[::8]
outside = [some("refused/*.cu", 4)[0], some("unmodelled/*.cu", 3)[0]]
wrong = [f"{r['file']}: {_programs.said(r)}" for r in _programs.run(right, "--seed", "7")
         if not r["compiled"] or not r["exited"] or r["code"] != 0]
for path, r in zip(twins + faulty, _programs.run(twins + faulty, "--check")):
    kinds = re.match(r"// finds: ([a-z_,]+)", first_line(path))[1].split(",")
    found = re.search(r"^cuset-host: (?!note)([a-z_]+): ", r["err"], re.M)
    if not r["compiled"] or (found[1] if found else "nothing") not in kinds:
        wrong.append(f"{path.name}: must find {kinds}: {_programs.said(r)}")
for path, r in zip(outside, _programs.run(outside)):
    verdict, words = re.match(r"// (refused|unmodelled): (.*)", first_line(path)).groups()
    if r["compiled"] or r["unsupported"] != (verdict == "unmodelled") or words not in r["diagnostic"]:
        wrong.append(f"{path.name}: must be {verdict}: {_programs.said(r)}")
print("\n".join(wrong))
print(f"{len(right + twins + faulty + outside)} programs: {len(wrong)} wrong")
raise SystemExit(1 if wrong else 0)
