"""Spoiled copies of CUDA programs: typical mistakes of people and models, one change each.

mutants(text) yields (operator, line, text) in a fixed order. Programs are read as text whose
comments and strings are blanked. The operators use only what their patterns show, so a program has
the mutants that its own code allows, and none twice.
"""
import re

WORD = r"[A-Za-z_]\w*"


def blanked(text):
    """`text` with comments, strings and characters blanked; lines and offsets stay."""
    pattern = re.compile(r"//[^\n]*|/\*.*?\*/|\"(?:\\.|[^\"\\\n])*\"|'(?:\\.|[^'\\\n])*'", re.S)
    return pattern.sub(lambda m: re.sub(r"[^\n]", " ", m[0]), text)


def closing(code, opening):
    """The offset of the bracket that closes the one at `opening`, or None."""
    pairs = {"(": ")", "{": "}", "[": "]"}
    depth = 0
    for i in range(opening, len(code)):
        if code[i] == code[opening]:
            depth += 1
        elif code[i] == pairs[code[opening]]:
            depth -= 1
            if depth == 0:
                return i
    return None


def bodies(code, qualifier):
    """Offsets of the bodies of functions with that qualifier."""
    for m in re.finditer(qualifier, code):
        opening = code.find("{", m.end())
        end = code.find(";", m.end())
        if opening < 0 or (0 <= end < opening):
            continue
        last = closing(code, opening)
        if last is not None:
            yield opening, last


class program:
    def __init__(self, text):
        self.text = text
        self.code = blanked(text)
        self.device = list(bodies(self.code, r"\b__(?:global|device)__\b"))
        starts = {a for a, _ in self.device}
        self.kernels = [k for k in bodies(self.code, r"\b__global__\b") if k[0] in starts]

    def in_device(self, pattern, flags=0):
        for a, b in sorted(set(self.device)):
            yield from re.compile(pattern, flags).finditer(self.code, a, b)

    def on_host(self, pattern, flags=0):
        for m in re.compile(pattern, flags).finditer(self.code):
            if not any(a <= m.start() < b for a, b in self.device):
                yield m

    def conditions(self):
        """(start, end) of the text between the brackets of an `if` in device code."""
        for m in self.in_device(r"\bif\s*\("):
            end = closing(self.code, m.end() - 1)
            if end is not None:
                yield m.start(), m.end(), end

    def statement(self, start):
        """The end of the statement that begins at `start`: after its semicolon."""
        depth = 0
        for i in range(start, len(self.code)):
            depth += (self.code[i] in "([{") - (self.code[i] in ")]}")
            if self.code[i] == ";" and depth == 0:
                return i + 1
        return None

    def launches(self):
        """(start, end) of each launch's grid, and of its arguments."""
        for m in re.finditer("<<<", self.code):
            close = self.code.find(">>>", m.end())
            if close < 0:
                continue
            depth, end = 0, None
            for i in range(m.end(), close):
                depth += (self.code[i] in "([{") - (self.code[i] in ")]}")
                if self.code[i] == "," and depth == 0:
                    end = i
                    break
            opening = self.code.find("(", close)
            last = closing(self.code, opening) if opening >= 0 else None
            if end is not None and last is not None:
                yield (m.end(), end), (opening + 1, last)


# Each operator yields (start, end, replacement), in the order of the text.

def index_off_by_one(p):
    found = []
    for m in p.in_device(rf"({WORD})\s*\[([^\[\]]*[A-Za-z_][^\[\]]*)\](?!\s*\[)"):
        before = p.code[:m.start()].rstrip()
        declared = (re.search(r"(?:[A-Za-z_]\w*|[>*&])\s*$", before) and p.code[m.start() - 1].isspace()
                    and not re.search(r"(?:\b(?:return|else)|\s[*&>])$", before))
        if not declared and re.search(r"[a-z]", m[2]):
            found.append((m.start(2), m.end(2), p.text[m.start(2):m.end(2)] + " + 1"))
    yield from found[:1] + found[-1:] if len(found) > 1 else found


def bounds(p):
    for start, inner, end in p.conditions():
        text = p.code[inner:end]
        if re.search(r"<<|>>|threadIdx", text) or not re.search(r"<|>=", text):
            continue
        yield start, inner, end


def missing_bound(p):
    for start, inner, end in bounds(p):
        leaves = re.match(r"\s*\{?\s*return\s*;", p.code[end + 1:])
        yield inner, end, "false" if leaves else "true"


def bound_inclusive(p):
    for _, inner, end in bounds(p):
        m = re.compile(r">=|<(?!=)").search(p.code, inner, end)
        if m:
            yield m.start(), m.end(), ">" if m[0] == ">=" else "<="


def missing_barrier(p):
    for m in p.in_device(rf"(?:__syncthreads\s*\(\s*\)|__syncwarp\s*\([^()]*\)|cg::sync\s*\([^()]*\)|"
                         rf"{WORD}\.sync\s*\(\s*\))\s*;"):
        yield m.start(), m.end(), ";"


def wrong_extent(p):
    for m in p.in_device(r"\bfor\s*\(([^;()]*);([^;]*);"):
        limit = re.search(r"(<=?|>=?)\s*([^&|;]+?)\s*$", m[2])
        if not limit:
            continue
        start, end = m.start(2) + limit.start(2), m.start(2) + limit.end(2)
        change = " - 1" if limit[1].startswith("<") else " + 1"
        yield start, end, f"({p.text[start:end]}){change}"


def half_the_grid(p):
    for (start, end), _ in p.launches():
        g = p.text[start:end].strip()
        yield start, end, f"dim3((dim3({g}).x + 1) / 2, dim3({g}).y, dim3({g}).z)"


def one_block_fewer(p):
    for (start, end), _ in p.launches():
        g = f"dim3({p.text[start:end].strip()})"
        yield start, end, (f"({g}.x > 1 ? dim3({g}.x - 1, {g}.y, {g}.z) : "
                           f"dim3(1, {g}.y > 1 ? {g}.y - 1 : 1, {g}.z))")


def swapped_dimensions(p):
    for m in p.in_device(rf"\b({WORD})\s*\*\s*({WORD})\s*\+\s*({WORD})\b(?!\s*[.(\[*])"):
        if m[1] != m[3] and m[1][0].islower() and m[3][0].islower():
            yield m.start(), m.end(), f"{m[3]} * {m[2]} + {m[1]}"
    for m in p.in_device(r"blockIdx\.([xy])\s*\*\s*(\w+)(\.[xy])?\s*\+\s*threadIdx\.\1"):
        other = "y" if m[1] == "x" else "x"
        if f"blockIdx.{other}" in p.code:
            yield m.start(), m.end(), p.text[m.start():m.end()].replace(f"Idx.{m[1]}", f"Idx.{other}")


def wrong_stride(p):
    for m in p.in_device(rf"\b{WORD}\s*\*\s*({WORD})\s*\+\s*{WORD}\b(?!\s*[.(\[*])"):
        yield m.start(1), m.end(1), f"({m[1]} + 1)"
    for m in p.in_device(rf"\b{WORD}\s*\+=\s*([^;)]*(?:blockDim|block_size|gridDim|stride)[^;)]*)\)"):
        yield m.start(1), m.end(1), f"({p.text[m.start(1):m.end(1)]}) + 1"


def missing_initialisation(p):
    for m in p.on_host(r"\bcudaMemset\w*\s*\("):
        end = p.statement(m.start())
        if end:
            yield m.start(), end, ";"
    for m in p.in_device(rf"\b(?:float|double|int|unsigned int|unsigned)\s+{WORD}(\s*=\s*-?0(?:\.0*)?f?)\s*;"):
        yield m.start(1), m.end(1), ""


def int_overflow(p):
    for m in p.in_device(rf"\b(?:size_t|int|unsigned int|unsigned|long long|long)(?=\s+{WORD}\s*=\s*[^;]*"
                         r"(?:blockIdx|blockDim))"):
        yield m.start(), m.end(), "short"
    for m in p.on_host(rf"\b(?:std::)?size_t(?=\s+{WORD}\s*=)"):
        yield m.start(), m.end(), "short"


def copies(p):
    for m in p.on_host(r"\bcudaMemcpy(?:2DToArray|2D)?\s*\("):
        end = p.statement(m.start())
        if end:
            yield m.start(), end


def wrong_direction(p):
    for start, end in copies(p):
        for one, other in (("DeviceToHost", "HostToDevice"), ("HostToDevice", "DeviceToHost")):
            at = p.code.find("cudaMemcpy" + one, start, end)
            if at >= 0:
                yield at + 10, at + 10 + len(one), other
                break


def wrong_copy_size(p):
    for start, end in copies(p):
        m = re.compile(r"\s*\*\s*sizeof\s*\([^()]*\)").search(p.code, start, end)
        if m:
            yield m.start(), m.end(), ""
        else:
            parts = re.compile(r",\s*([^,()]+?)\s*,\s*cudaMemcpy").search(p.code, start, end)
            if parts:
                yield parts.start(1), parts.end(1), f"({p.text[parts.start(1):parts.end(1)]}) / 2"


def host_pointer(p):
    for _, (start, end) in p.launches():
        for m in re.compile(r"\bd_(\w+)").finditer(p.code, start, end):
            if re.search(rf"\bh_{m[1]}\b", p.code[:start]):
                yield m.start(), m.end(), "h_" + m[1]


def missing_copy_in(p):
    for start, end in copies(p):
        if "HostToDevice" in p.code[start:end]:
            yield start, end, ";"


def missing_copy_back(p):
    for start, end in copies(p):
        if "DeviceToHost" in p.code[start:end]:
            yield start, end, ";"


OPERATORS = (index_off_by_one, missing_bound, bound_inclusive, missing_barrier, wrong_extent,
             half_the_grid, one_block_fewer, swapped_dimensions, wrong_stride, missing_initialisation,
             int_overflow, wrong_direction, wrong_copy_size, host_pointer, missing_copy_in,
             missing_copy_back)


def mutants(text, operators=OPERATORS, most=2):
    """(operator's name, line, mutated text), with at most `most` for each operator."""
    p = program(text)
    seen = {text}
    for operator in operators:
        count = 0
        for start, end, replacement in operator(p):
            mutated = text[:start] + replacement + text[end:]
            if count == most:
                break
            if mutated in seen:
                continue
            seen.add(mutated)
            count += 1
            yield operator.__name__, text.count("\n", 0, start) + 1, mutated


SAME = "static __device__ bool cuset_same(bool a, bool b) { if (a != b) __trap(); return a; }\n"
FITS = ("template <class T> __device__ T cuset_fits(T x) { "
        "if ((long long)x != (short)x) __trap(); return x; }\n")


def witness(text, operator, line):
    """A program that passes only if the mutant of that operator at that line computes the same as
    `text`: the original, which traps where the two differ. None for operators without such a
    form."""
    p = program(text)
    for function in OPERATORS:
        if function.__name__ != operator or operator not in ("missing_bound", "bound_inclusive",
                                                             "int_overflow"):
            continue
        for start, end, replacement in function(p):
            if text.count("\n", 0, start) + 1 != line:
                continue
            if operator == "int_overflow":
                m = re.compile(rf"\s+{WORD}\s*=\s*([^;]*);").match(p.code, end)
                return m and FITS + text[:m.start(1)] + f"cuset_fits({m[1]})" + text[m.end(1):]
            inner, last = next((a, b) for _, a, b in p.conditions() if a <= start and end <= b)
            other = text[inner:start] + replacement + text[end:last]
            return SAME + text[:inner] + f"cuset_same(({text[inner:last]}), ({other}))" + text[last:]
    return None
