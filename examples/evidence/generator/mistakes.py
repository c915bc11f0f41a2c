"""Mistakes that compile: each is a change of the program's text at one place."""
import random
import re

# Loop variables, the sizes that bound them, and an index made of them.
VARIABLE, BOUND = r"\b([ijkrc])\b", r"\b(n|rows|cols|inner|depth|height|width)\b"
INDEX = rf"{VARIABLE} \* {BOUND} \+ {VARIABLE}"

# Kind -> patterns and replacements, of which the first pattern that is found counts. Where it is found more than once
# the last place is changed: what comes last is what the output depends on most.
MISTAKES = {
    # Not in the loop of an extreme, which one value less hardly ever changes.
    "off by one": [(rf"(; |if \(|&& ){VARIABLE} < {BOUND}(?![^\n]*mine)", r"\1\2 < \3 - 1"),
                   (rf"(if \(){VARIABLE} >= {BOUND}", r"\1\2 >= \3 - 1")],
    "missing bound": [(rf"    if \({VARIABLE} < {BOUND}( && {VARIABLE} < {BOUND})?\) ", "    "),
                      (rf"    if \({VARIABLE} >= {BOUND}[^\n]* return;\n", "")],
    "<= for <": [(rf"(for \(int \w+ = [^;]*; ){VARIABLE} < {BOUND}", r"\1\2 <= \3")],
    "wrong axis": [(INDEX, r"\3 * \2 + \1")],
    "wrong index": [(r"(blockIdx\.x \* (blockDim\.x|\d+) \+ )threadIdx\.x", r"\1blockIdx.x")],
    "wrong operator": [(r"\bmin\(", "max("), (r"\bmax\(", "min("), (r"\batomicMax\(", "atomicMin("),
                       (r"\batomicMin\(", "atomicMax("), (r"(\w+) < (\w+\[i\] \?)", r"\1 > \2"),
                       (r"(\w+) > (\w+\[i\] \?)", r"\1 < \2"), (r"sum \+= ", "sum = "),
                       (r"(\] = [^;\n]*?) \+ ", r"\1 - ")],
    "missing barrier": [(r" *__syncthreads\(\);\n", "")],
    "grid rounded down": [(rf"\({BOUND} \+ \d+\) / ", r"\1 / ")],
    "wrong block": [(r"(<<<\([^\n]*, )(\d+)>>>", lambda found: f"{found[1]}{int(found[2]) // 2}>>>"),
                    (r"(<<<rows, )(\d+)>>>", lambda found: f"{found[1]}{int(found[2]) // 2}>>>"),
                    (r"(dim3 block\()(\d+)", lambda found: f"{found[1]}{int(found[2]) // 2}")],
}


def mistaken(text, kind):
    for pattern, replacement in MISTAKES[kind]:
        places = list(re.finditer(pattern, text))
        if places:
            last = places[-1].start()
            return text[:last] + re.sub(pattern, replacement, text[last:], count=1)
    return None


def wrong(text, seed):
    """The program with one mistake, and its kind; the kinds that fit are equally likely."""
    draw = random.Random(seed)
    fitting = {kind: changed for kind in MISTAKES if (changed := mistaken(text, kind)) not in (None, text)}
    kind = draw.choice(list(fitting))
    return fitting[kind], kind
