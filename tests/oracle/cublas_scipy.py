"""This compares cuBLAS on the host backend with scipy's BLAS and numpy in double precision: one program makes each call in
all of its modes and types with random sizes, strides and leading dimensions, sizes of both widths, factors of the host and
of the device, at once and in graphs. What a call may write is compared with what lies beyond and between, and nothing else
may change."""
import collections
import os
import pathlib
import random
import sys
import types

import numpy as np
import scipy

sys.path.append(str(pathlib.Path(__file__).resolve().parent.parent / "host"))
import _cublas_cases as known  # noqa: E402
import _programs  # noqa: E402

_programs.need_toolkit("cuBLAS's calls")
seed = int(os.environ.get("CUSET_SEED", random.randrange(1 << 32)))
print(f"seed {seed}, scipy {scipy.__version__}")
rng = random.Random(seed)
WIDE, ON_DEVICE, IN_GRAPH, POISONED, NEAR_ONE = 1, 2, 4, 8, 16
factors = "alpha", "beta", "cosine", "sine"
casts = {"fill": "cublasFillMode_t", "side": "cublasSideMode_t", "diag": "cublasDiagType_t",
         **{op: "cublasOperation_t" for op in ("op", "opa", "opb")}, **{t: "cudaDataType" for t in ("tx", "tf", "tr")}}


def types_of(letter):
    return known.types[letter if letter in known.types else letter[0] if letter[:2] != "Sc" and letter[:2] != "Dz"
                       else {"S": "C", "D": "Z"}[letter[0]]]


def type_of(call, letter, word):
    factor, read, written, real = types_of(letter)
    if word in call.reals.split():
        return real
    return written if word in call.written.split() else factor if word in factors else read


def numbers_at(seed, slot, count, of_type, near_one):
    """What cublas_calls.h fills memory with."""
    is_complex = of_type.startswith("cu")
    i = np.arange(count * (2 if is_complex else 1), dtype=np.uint32)
    with np.errstate(over="ignore"):
        u = (i + np.uint32(1)) * np.uint32(2654435761) + np.uint32(seed) * np.uint32(40503) + np.uint32(slot * 97)
        u = (u ^ (u >> np.uint32(15))) * np.uint32(2246822519)
        u = (u ^ (u >> np.uint32(13))) * np.uint32(3266489917)
        u ^= u >> np.uint32(16)
    coarse = (u >> np.uint32(25)).astype(float)
    fine = (u >> np.uint32(8)) / 8388608.0 - 1
    made = coarse / 128 + 0.5 if near_one else coarse / 64 - 1 if known.precision[of_type] > 2**-20 else fine
    return made.view(complex) if is_complex else made


def factor(of, of_type):
    if of <= 1:
        return complex(of) if of_type.startswith("cu") else float(of)
    return numbers_at(of, 99, 1, of_type, False)[0]


def given(word, count):
    """Numbers that stand in the table: mantissas, and exponents of 2."""
    if word == "p" and count == 5:
        return [(rng.choice([-2, -1, 0, 1]), 0)] + [(rng.randint(-9, 9), -2) for _ in range(4)]
    if word in ("d1", "d2", "x1", "y1"):  # OpenBLAS and the reference of BLAS differ at 0 and at powers of 4096
        return [(rng.choice([-1, 1, 1]) * rng.choice([3, 5, 7]), rng.choice([0, -2, 3, 15, 22, 27, -20, -25, -28]))]
    return [(rng.randint(-9, 9), -1) for _ in range(count)]


def made_case(call, letter, mode):
    """A row of the table, and the numbers of the call."""
    words = call.words.split()
    v = types.SimpleNamespace(**mode, seed=rng.randrange(2, 1 << 20))
    for word in ("m", "n", "k", "kl", "ku", "count"):
        if word in words:
            banded = word in ("kl", "ku") or (word == "k" and "op" not in mode and "opa" not in mode or "tb" in call.name)
            setattr(v, word, rng.randint(0, 4) if banded else 0 if rng.random() < 0.04 and word != "k" else rng.randint(1, 6))
    for word in words:
        if word in factors:
            setattr(v, word, rng.choice([0, 1, *[rng.randrange(2, 1 << 20)] * 4]))
    sizes, lists = {}, {}
    for word in words:
        plain_word = word.rstrip("*=")
        if plain_word not in call.shapes:
            continue
        kind, *lengths = call.shapes[plain_word](v)
        of_type = type_of(call, letter, plain_word)
        if word.endswith("="):
            lists[plain_word] = given(plain_word, lengths[0] * (2 if of_type.startswith("cu") else 1))
            sizes[plain_word] = lengths[0]
            continue
        if kind == "matrix":
            apart = max(1, lengths[0]) + rng.choice([0, 1, 3])
            setattr(v, "ld" + plain_word, apart)
            size = apart * lengths[1]
        elif kind == "vector":
            step = rng.choice([1, 1, 2, 3, -1, -2])
            setattr(v, "inc" + plain_word, step)
            size = 1 + max(0, lengths[0] - 1) * abs(step)
        else:
            size = lengths[0]
        setattr(v, "s" + plain_word, size + 1)
        sizes[plain_word] = (size + 1) * getattr(v, "count", 1) + 2
    flags = rng.choice([0, WIDE]) if call.has_wide else 0
    flags |= rng.choice([0, ON_DEVICE]) | (NEAR_ONE if call.near_one else 0)
    if rng.random() < 0.3 and (flags & ON_DEVICE or not call.on_host and not lists):
        flags |= IN_GRAPH
    if rng.random() < 0.5 and not lists and (getattr(v, "beta", 1) == 0 or call.overwrites):
        flags |= POISONED
    v.flags = flags
    row, buffers, values = [v.seed, flags], {}, dict(v.__dict__)
    for slot, word in enumerate(words):
        plain_word = word.rstrip("*=").strip("()")
        of_type = type_of(call, letter, plain_word)
        if plain_word in lists:
            row += [m * 64 + e + 32 for m, e in lists[plain_word]]
            numbers = np.array([m * 2.0**e for m, e in lists[plain_word]])
            buffers[plain_word] = numbers.view(complex) if of_type.startswith("cu") else numbers
        elif plain_word in call.shapes:
            row.append(sizes[plain_word])
            buffers[plain_word] = numbers_at(v.seed, slot, sizes[plain_word], of_type, call.near_one)
        elif plain_word in ("tx", "tf", "tr"):
            row.append(known.data_type[types_of(letter)[{"tx": 1, "tf": 0, "tr": 3}[plain_word]]])
        else:
            row.append(getattr(v, plain_word))
            if plain_word in factors:
                values[plain_word] = factor(getattr(v, plain_word), of_type)
    return row, known.Case(call, letter, values, buffers)


def expected(case):
    """The buffers after the call: NaN where they had none and get none."""
    call, written = case.call, case.call.written.split()
    start = {w: case.buffers[w].copy() for w in case.buffers}

    def from_fill(fill):
        for w in case.buffers:
            case.buffers[w] = start[w].copy()
            if fill is not None and w in written:
                case.buffers[w][:] = fill
        if 0 not in [getattr(case, w) for w in ("m", "n", "count") if hasattr(case, w)]:
            call.compute(case)
        elif "r" in written:
            case.put("r", 0)
        return {w: case.buffers[w] for w in written}

    if not case.flags & POISONED:
        return from_fill(None), start
    first, second = from_fill(0), from_fill(1)
    for w in written:
        first[w] = np.where(first[w] == second[w], first[w], np.nan)
        start[w][:] = np.nan
    return first, start


def block(number, call, letter, rows, texts):
    """C++ that makes these calls of one function, and compares."""
    lines, words, at = [], [], 2
    for slot, word in enumerate(call.words.split()):
        plain_word = word.rstrip("*=")
        of_type, written = type_of(call, letter, plain_word), "true" if plain_word in call.written.split() else "false"
        name = f"w{slot}"
        if word.endswith("="):
            count = call.shapes[plain_word](None)[1] * (2 if of_type.startswith("cu") else 1)
            lines.append(f"{of_type}* {name} = given<{of_type}>(&r[{at}], {count}, \"{plain_word}\", {written});")
            at += count - 1
        elif plain_word in call.shapes:
            host = "true" if plain_word in call.on_host.split() else "false"
            lines.append(f"{of_type}* {name} = buffer<{of_type}>({slot}, r[{at}], \"{plain_word}\", {written}, {host});")
            if word.endswith("*"):
                count = 2 + row_place(call, "count")
                lines.append(f"{of_type}** l{slot} = listed({name}, r[{at + 1}], r[{count}]);")
                name = f"l{slot}"
        elif word in factors:
            lines.append(f"{of_type}* {name} = factor<{of_type}>(r[{at}]);")
        else:
            name = f"static_cast<{casts[word]}>(r[{at}])" if word in casts else f"r[{at}]"
        if not word.startswith("("):
            words.append(name)
        at += 1
    table = ",".join("{" + ",".join(map(str, row)) + "}" for row in rows)
    wanted = ",".join(f'"{text}"' for text in texts)
    name, arguments = call.name.format(letter), ", ".join(["h", *words])
    made = f"r[1] & wide ? {name}_64({arguments}) : {name}({arguments})" if call.has_wide else f"{name}({arguments})"
    return (f"static void block{number}() {{\nstatic const int rows[][{len(rows[0])}] = {{{table}}};\n"
            f"static const char* const wanted[] = {{{wanted}}};\nconst char* const* text = wanted;\n"
            "for (const auto& r : rows) {\nbegin(r[0], r[1]);\n" + "\n".join(lines) +
            f"\nperform([&] {{ return {made}; }}, *text++);\n}}\n}}\n")


def row_place(call, word):
    return call.words.split().index(word)


def wanted_text(case):
    """Of each buffer that is written, how far its numbers may be off, and the numbers: NaN where they stay as they are."""
    numbers, start = expected(case)
    text = ""
    for word in (w.rstrip("*=") for w in case.call.words.split()):
        if word not in numbers:
            continue
        of_type, made = type_of(case.call, case.letter, word), numbers[word].copy()
        finite = np.abs(made[np.isfinite(made)])
        margin = known.precision[of_type] * (4096 if case.call.near_one else 32) * (1 + (finite.max() if len(finite) else 0))
        stays = np.isnan(made)
        if f"{word}=" not in case.call.words.split():
            stays |= made == start[word]
        made[stays] = np.nan * (1 + 1j) if made.dtype == complex else np.nan
        reals = np.concatenate([[margin], made.view(float)])
        text += reals.astype(np.float64 if known.precision[of_type] < 2**-30 else np.float32).tobytes().hex()
    return text


cases, blocks = [], []
for call in known.calls:
    for letter in call.letters:
        all_modes = list(known.modes(call))
        made = [made_case(call, letter, mode) for mode in all_modes * ((40 if "=" in call.words else 8) // len(all_modes) or 1)]
        texts = [wanted_text(case) for _, case in made]
        blocks.append(block(len(blocks), call, letter, [row for row, _ in made], texts))
        cases += [case for _, case in made]
place = pathlib.Path(os.environ["CUSET_BUILD"]) / "tests/cublas_scipy.cu"
header = (pathlib.Path(__file__).parent / "cublas_calls.h").read_text()
place.write_text(header + "".join(blocks) + "int main() {\nopen();\n" +
                 "".join(f"block{i}();\n" for i in range(len(blocks))) + "end();\n}\n")
[result] = _programs.run([place])
if not result["compiled"] or result["code"] != 0:
    sys.exit(_programs.failure_line(result))
*lines, last = result["out"].splitlines()
wrong, counted = collections.Counter(), collections.Counter(case.call.name.format(case.letter) for case in cases)
for line in lines:
    number, what = line.split(" ", 1)
    case = cases[int(number) - 1]
    name = case.call.name.format(case.letter)
    wrong[name] += 1
    if wrong[name] <= 2:
        values = {k: v for k, v in case.__dict__.items() if k not in ("buffers", "call", "letter")}
        print(f"{name}: {what}: {values}")
assert last == f"{len(cases)} calls", f"{last}, not {len(cases)}"
_programs.finish([f"{name}: {count} numbers wrong in {counted[name]} calls" for name, count in wrong.items()],
                 f"{len(cases)} calls of {len(counted)} functions")
