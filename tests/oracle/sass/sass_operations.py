#!/usr/bin/env python3
"""Count the SASS operations of CUDA's arithmetic, function by function, as Nsight Compute counts them.

usage: sass_operations.py [--check] [--keep FOLDER] [--show NAME]

It writes sass_operations.tsv (nvcc's default flags) and sass_operations.fast.tsv (-use_fast_math;
only the rows that differ) beside this script. --check compares them instead, and exits 1 where they
differ. --keep leaves the source, the cubin and its listing in FOLDER. --show prints the counts of one
row's opcodes. nvcc and cuobjdump are looked up in PATH, then in /usr/local/cuda/bin and in the checkout's
.deps; the environment variables NVCC and CUOBJDUMP go first. No GPU is needed.

Columns: fp32 counts FADD and FMUL once and FFMA twice; fp64 DADD and DMUL once and DFMA twice;
special counts MUFU; integer counts integer instructions. An FSETP, FMNMX, FSEL, FCHK, FRND or a
conversion is none of them. Names are those of the functions to a linker, or an operation with its type;
pow.2 is pow with the exponent 2, .wide is for numbers of more than 32 bits.

Method. Each row is a kernel that loads its operands and stores its result. nvcc compiles it for
sm_86, cuobjdump disassembles it, and sass_machine.py interprets one thread for each of SAMPLES
operands. Only instructions whose predicate is true count, as in Nsight's *_pred_on metrics. The
row is the mean. Operands are spread log-uniformly over [0.01, 100] with either sign, or over the part of
it that the function is defined on and where it does not overflow: the rows' domains below. So the
slow ways (denormal numbers, large arguments of sinf, infinities) hardly take part. Each result is
compared with the host's libm: an instruction that is interpreted wrongly would show. Integer
instructions that load, store and address are taken off by a kernel that does nothing else.

Checked against Nsight's counts of HeCBench's kernels on an RTX 3080 (operations a thread): interpreting
the kernels themselves gives 115.0 of 115.0 for goulash's gate, 35113 of 35113 for lombscargle,
32102 of 32097 for libor, 908 of 910 for vanGenuchten, 480.0 of 480.0 for entropy (with log2f),
13.0 of 13.0 for jaccard_jw. ptxas 12.8 gives the same rows.

Limits. A compiler merges what surrounds an operation: it folds signs and absolute values into it,
hoists what does not vary out of a loop, computes sinf and cosf of one argument from one reduction
("sinf+cosf"), and contracts a * b + c, which counts 2 either way. nvcc 13.0 folds neither pow with a
constant exponent nor 1 / sqrt; pow(float, int) in C++ is the pow of doubles. A host compiler may fold
both. A negation or fabs that nothing can take in is an FADD. atomicAdd of a
float or double in shared memory is a loop that adds once for each try; in global memory it counts nothing.
fmod counts a loop whose length depends on the quotient. The integer column is right to about
five instructions or a fifth: copies are IMAD.MOV or MOV as the scheduler likes, and only IMAD.MOV
counts. Threads of a warp that take several ways count each what it executes. Another toolkit or
another architecture has other sequences.
"""

import argparse
import ctypes
import ctypes.util
import math
import os
import re
import shutil
import struct
import subprocess
import sys
import tempfile
from collections import Counter
from glob import glob

import sass_machine

HERE = os.path.dirname(os.path.abspath(__file__))
TABLES = os.path.join(HERE, "..", "..", "..", "lib", "cost")
ARCHITECTURE = "sm_86"
SAMPLES = 256
FILES = [("sass_operations.tsv", []), ("sass_operations.fast.tsv", ["-use_fast_math"])]
COLUMNS = ("fp32", "fp64", "special", "integer")
INTEGER = {"IADD3", "IMAD", "LOP3", "SHF", "LEA", "ISETP", "IMNMX", "IABS", "POPC", "FLO",
           "BREV", "SGXT", "PRMT", "BMSK", "ISCADD", "VABSDIFF"}
SIZES = {"float": 4, "int": 4, "unsigned": 4, "double": 8, "long long": 8, "unsigned long long": 8}
FORMATS = {"float": "f", "int": "i", "unsigned": "I", "double": "d", "long long": "q",
           "unsigned long long": "Q"}
LABELS = {"int": "int32", "unsigned": "uint32", "long long": "int64", "unsigned long long": "uint64"}


class Spread:
    """Numbers that fill the unit cube evenly: the Halton sequence, shifted off its round values."""

    def __init__(self, sample):
        self.sample, self.bases = sample, iter((2, 3, 5, 7, 11, 13, 17, 19))

    def random(self):
        base, index, digit, value = next(self.bases), self.sample, 1.0, 0.0
        while index:
            digit /= base
            value += digit * (index % base)
            index //= base
        return (value + 0.3819660113) % 1

    def uniform(self, low, high):
        return low + (high - low) * self.random()


# Domains: how an operand is drawn from a Spread.

def magnitude(low, high, signed=False):
    def draw(source):
        value = math.exp(source.uniform(math.log(low), math.log(high)))
        return -value if signed and source.random() < 0.5 else value
    return draw


def uniform(low, high):
    return lambda source: source.uniform(low, high)


def whole(low, high, signed=False):
    drawn = magnitude(low, high, signed)
    return lambda source: int(drawn(source))


def integral(low, high):
    return lambda source: math.floor(source.uniform(low, high + 1))


POSITIVE = magnitude(0.01, 100)
ANY = magnitude(0.01, 100, True)
MODEST = magnitude(0.01, 10, True)  # where exp of it, or a power, is not infinite
UNIT = uniform(-1, 1)
PROBABILITY = uniform(0, 1)
ABOVE_ONE = magnitude(1.01, 100)


# References: what the host says that the result is.

libm = ctypes.CDLL(ctypes.util.find_library("m") or "libm.so.6")


def host(name, count=1):
    function = getattr(libm, name)
    function.restype = ctypes.c_double
    function.argtypes = [ctypes.c_double] * count
    return lambda *operands: function(*operands[:count])


def bessel(name):
    function = getattr(libm, name)
    function.restype = ctypes.c_double
    function.argtypes = [ctypes.c_int, ctypes.c_double]
    return function


def inverse(function):
    """The inverse of a monotonic function, by bisection of its argument."""
    def find(value):
        low, high = -40.0, 40.0
        rising = function(high) > function(low)
        for _ in range(200):
            middle = (low + high) / 2
            if (function(middle) < value) == rising:
                low = middle
            else:
                high = middle
        return (low + high) / 2
    return lambda a, *_: find(a)


def normcdf(x, *_):
    return math.erfc(-x / math.sqrt(2)) / 2


class Row:
    """One kernel: code sets r (and q, a second result) from the operands a, b, c."""

    def __init__(self, name, kind, code, draws, reference=None, out=None, less=None, second=False,
                 tolerance=None, exact_only=False):
        self.name, self.kind, self.code, self.draws = name, kind, code, draws
        self.reference, self.out, self.second = reference, out or kind, second
        self.less = less or {}
        self.label = LABELS.get(kind, kind)
        self.exact_only = exact_only  # -use_fast_math gives another result
        self.tolerance = tolerance
        self.kernel = "k_" + re.sub(r"\W", "_", f"{name}_{self.label}")

    def source(self):
        return kernel_source(self.kernel, self.kind, len(self.draws), self.code, self.out, self.second)


def kernel_source(kernel, kind, count, code, out, second):
    loads = " ".join(f"{kind} {v} = {v.upper()}[i];" for v in "abc"[:count])
    parameters = ", ".join([f"{out}* R", f"{out}* Q"] + [f"const {kind}* {v.upper()}" for v in "abc"])
    return (f'extern "C" __global__ void {kernel}({parameters}) {{\n'
            f"  int i = blockIdx.x * blockDim.x + threadIdx.x;\n  {loads}\n  {out} r, q;\n  {code}\n"
            f"  R[i] = r;\n" + ("  Q[i] = q;\n" if second else "") + "}\n")


def both(table, name, call, draws, reference=None, **more):
    """A function in single and in double precision; @ in call is the suffix, T the type."""
    for kind, suffix in (("float", "f"), ("double", "")):
        row_name = f"{name}.f{32 if suffix else 64}" if more.get("operation") else name.replace("@", suffix)
        if not more.get("operation") and "@" not in name:
            row_name = name + suffix
        code = re.sub(r"\bT\b", kind, call.replace("@", suffix))
        code = code if "r =" in code or "&r" in code else f"r = {code};"
        options = {k: v for k, v in more.items() if k != "operation"}
        if "less" in options:
            options["less"] = {("fp32" if suffix else "fp64"): options["less"]}
        table.append(Row(row_name, kind, code, draws, reference, **options))


def rows():
    t = []
    m = math
    # Operations.
    both(t, "div", "a / b", [ANY, ANY], lambda a, b: a / b, operation=True)
    both(t, "div.constant", "a / T(3)", [ANY], lambda a: a / 3, operation=True)
    both(t, "div.power_of_two", "a / T(4)", [ANY], lambda a: a / 4, operation=True)
    both(t, "rcp", "T(1) / a", [ANY], lambda a: 1 / a, operation=True)
    both(t, "sqrt", "sqrt@(a)", [POSITIVE], m.sqrt, operation=True)
    both(t, "rcp_sqrt", "T(1) / sqrt@(a)", [POSITIVE], lambda a: 1 / m.sqrt(a), operation=True)
    both(t, "add", "a + b", [ANY, ANY], lambda a, b: a + b, operation=True)
    both(t, "mul", "a * b", [ANY, ANY], lambda a, b: a * b, operation=True)
    both(t, "fma", "fma@(a, b, c)", [ANY] * 3, operation=True)
    both(t, "fma", "fma@(a, b, c)", [ANY] * 3)
    both(t, "neg", "-a * b", [ANY, ANY], lambda a, b: -a * b, operation=True, less=1)
    # Roots.
    both(t, "sqrt", "sqrt@(a)", [POSITIVE], m.sqrt)
    both(t, "rsqrt", "rsqrt@(a)", [POSITIVE], lambda a: 1 / m.sqrt(a))
    both(t, "cbrt", "cbrt@(a)", [ANY], host("cbrt"))
    both(t, "rcbrt", "rcbrt@(a)", [ANY], lambda a: 1 / host("cbrt")(a))
    both(t, "hypot", "hypot@(a, b)", [ANY, ANY], m.hypot)
    both(t, "rhypot", "rhypot@(a, b)", [ANY, ANY], lambda a, b: 1 / m.hypot(a, b))
    both(t, "norm3d", "norm3d@(a, b, c)", [ANY] * 3, m.hypot)
    both(t, "rnorm3d", "rnorm3d@(a, b, c)", [ANY] * 3, lambda *a: 1 / m.hypot(*a))
    both(t, "norm4d", "norm4d@(a, b, c, a)", [ANY] * 3, lambda a, b, c: m.hypot(a, b, c, a))
    both(t, "rnorm4d", "rnorm4d@(a, b, c, a)", [ANY] * 3, lambda a, b, c: 1 / m.hypot(a, b, c, a))
    # Exponentials and logarithms.
    both(t, "exp", "exp@(a)", [ANY], host("exp"))
    both(t, "exp2", "exp2@(a)", [ANY], host("exp2"))
    both(t, "exp10", "exp10@(a)", [magnitude(0.01, 30, True)], host("exp10"))
    both(t, "expm1", "expm1@(a)", [MODEST], host("expm1"))
    both(t, "log", "log@(a)", [POSITIVE], m.log)
    both(t, "log2", "log2@(a)", [POSITIVE], m.log2)
    both(t, "log10", "log10@(a)", [POSITIVE], m.log10)
    both(t, "log1p", "log1p@(a)", [POSITIVE], m.log1p)
    both(t, "logb", "logb@(a)", [ANY], host("logb"))
    both(t, "ilogb", "ilogb@(a)", [ANY], host("logb"), out="int")
    both(t, "pow", "pow@(a, b)", [POSITIVE, MODEST], lambda a, b: a**b)
    both(t, "pow@.negative", "pow@(-a, b)", [POSITIVE, integral(-8, 8)],
         lambda a, b: (-a)**b, exact_only=True)
    both(t, "pow@.integer", "pow@(a, (int)b)", [POSITIVE, integral(-8, 8)],
         lambda a, b: a**b)
    for exponent in ("0.5", "1.5", "2", "3", "4", "-1", "-2"):
        power = float(exponent)
        both(t, f"pow@.{exponent}", f"pow@(a, T({exponent}))", [POSITIVE], lambda a, p=power: a**p)
    both(t, "ldexp", "ldexp@(a, (int)b)", [ANY, MODEST], lambda a, b: m.ldexp(a, int(b)))
    both(t, "scalbn", "scalbn@(a, (int)b)", [ANY, MODEST], lambda a, b: m.ldexp(a, int(b)))
    both(t, "frexp", "int e; r = frexp@(a, &e); q = e;", [ANY], m.frexp, second=True)
    # Trigonometry and hyperbolics.
    both(t, "sin", "sin@(a)", [ANY], m.sin)
    both(t, "cos", "cos@(a)", [ANY], m.cos)
    both(t, "tan", "tan@(a)", [ANY], m.tan)
    both(t, "sincos", "sincos@(a, &r, &q);", [ANY], lambda a: (m.sin(a), m.cos(a)), second=True)
    both(t, "sin@+cos@", "r = sin@(a); q = cos@(a);", [ANY], lambda a: (m.sin(a), m.cos(a)), second=True)
    both(t, "sinpi", "sinpi@(a)", [ANY], lambda a: m.sin(m.pi * m.fmod(a, 2)))
    both(t, "cospi", "cospi@(a)", [ANY], lambda a: m.cos(m.pi * m.fmod(a, 2)))
    both(t, "sincospi", "sincospi@(a, &r, &q);", [ANY],
         lambda a: (m.sin(m.pi * m.fmod(a, 2)), m.cos(m.pi * m.fmod(a, 2))), second=True)
    both(t, "asin", "asin@(a)", [UNIT], m.asin)
    both(t, "acos", "acos@(a)", [UNIT], m.acos)
    both(t, "atan", "atan@(a)", [ANY], m.atan)
    both(t, "atan2", "atan2@(a, b)", [ANY, ANY], m.atan2)
    both(t, "sinh", "sinh@(a)", [MODEST], m.sinh)
    both(t, "cosh", "cosh@(a)", [MODEST], m.cosh)
    both(t, "tanh", "tanh@(a)", [MODEST], m.tanh)
    both(t, "asinh", "asinh@(a)", [ANY], m.asinh)
    both(t, "acosh", "acosh@(a)", [ABOVE_ONE], m.acosh)
    both(t, "atanh", "atanh@(a)", [UNIT], m.atanh)
    # Error, gamma and Bessel functions.
    both(t, "erf", "erf@(a)", [MODEST], m.erf)
    both(t, "erfc", "erfc@(a)", [magnitude(0.01, 5, True)], m.erfc)
    both(t, "erfcx", "erfcx@(a)", [magnitude(0.01, 5)], lambda a: m.exp(a * a) * m.erfc(a))
    both(t, "erfinv", "erfinv@(a)", [UNIT], inverse(m.erf), tolerance=1e-4)
    both(t, "erfcinv", "erfcinv@(a)", [uniform(0, 2)], inverse(m.erfc), tolerance=1e-4)
    both(t, "normcdf", "normcdf@(a)", [magnitude(0.01, 5, True)], normcdf)
    both(t, "normcdfinv", "normcdfinv@(a)", [PROBABILITY], inverse(normcdf), tolerance=1e-4)
    both(t, "tgamma", "tgamma@(a)", [magnitude(0.01, 30)], m.gamma)
    both(t, "lgamma", "lgamma@(a)", [POSITIVE], m.lgamma)
    for name in ("j0", "j1", "y0", "y1"):
        both(t, name, name + "@(a)", [POSITIVE], host(name), tolerance=1e-3)
    both(t, "jn", "jn@(2, a)", [POSITIVE], lambda a: bessel("jn")(2, a), tolerance=1e-3)
    both(t, "yn", "yn@(2, a)", [POSITIVE], lambda a: bessel("yn")(2, a), tolerance=1e-3)
    both(t, "cyl_bessel_i0", "cyl_bessel_i0@(a)", [MODEST])
    both(t, "cyl_bessel_i1", "cyl_bessel_i1@(a)", [MODEST])
    # Remainders, rounding, choice.
    both(t, "fmod", "fmod@(a, b)", [ANY, ANY], m.fmod)
    both(t, "remainder", "remainder@(a, b)", [ANY, ANY], m.remainder)
    both(t, "modf", "r = modf@(a, &q);", [ANY], m.modf, second=True)
    both(t, "remquo", "int e; r = remquo@(a, b, &e); q = e;", [ANY, ANY],
         lambda a, b: (m.remainder(a, b),), second=True)
    for name in ("floor", "ceil", "trunc", "rint", "nearbyint", "round"):
        both(t, name, name + "@(a)", [ANY], host(name))
    for name in ("lrint", "lround", "llrint", "llround"):
        both(t, name, name + "@(a)", [ANY], host(name.lstrip("l")), out="long long")
    both(t, "fabs", "fabs@(a) * b", [ANY, ANY], lambda a, b: abs(a) * b, less=1)
    both(t, "fmin", "fmin@(a, b)", [ANY, ANY], min)
    both(t, "fmax", "fmax@(a, b)", [ANY, ANY], max)
    both(t, "fdim", "fdim@(a, b)", [ANY, ANY], lambda a, b: max(a - b, 0))
    both(t, "copysign", "copysign@(a, b)", [ANY, ANY], m.copysign)
    both(t, "nextafter", "nextafter@(a, b)", [ANY, ANY])
    # Intrinsics. Their results have few bits, so they have tolerances.
    for name, draw, reference in (
            ("__expf", MODEST, m.exp), ("__exp10f", MODEST, host("exp10")), ("__logf", POSITIVE, m.log),
            ("__log2f", POSITIVE, m.log2), ("__log10f", POSITIVE, m.log10), ("__sinf", UNIT, m.sin),
            ("__cosf", UNIT, m.cos), ("__tanf", UNIT, m.tan), ("__frcp_rn", ANY, lambda a: 1 / a),
            ("__fsqrt_rn", POSITIVE, m.sqrt), ("__frsqrt_rn", POSITIVE, lambda a: 1 / m.sqrt(a)),
            ("__saturatef", ANY, lambda a: min(max(a, 0), 1))):
        t.append(Row(name, "float", f"r = {name}(a);", [draw], reference, tolerance=2e-5))
    for name, draws, reference in (
            ("__powf", [POSITIVE, MODEST], lambda a, b: a**b), ("__fdividef", [ANY, ANY], lambda a, b: a / b),
            ("__fdiv_rn", [ANY, ANY], lambda a, b: a / b)):
        t.append(Row(name, "float", f"r = {name}(a, b);", draws, reference, tolerance=2e-5))
    t.append(Row("__sincosf", "float", "__sincosf(a, &r, &q);", [UNIT], lambda a: (m.sin(a), m.cos(a)),
                 second=True, tolerance=2e-5))
    t.append(Row("__ddiv_rn", "double", "r = __ddiv_rn(a, b);", [ANY, ANY], lambda a, b: a / b))
    t.append(Row("__dsqrt_rn", "double", "r = __dsqrt_rn(a);", [POSITIVE], m.sqrt))
    t.append(Row("__drcp_rn", "double", "r = __drcp_rn(a);", [ANY], lambda a: 1 / a))
    # Integers. Of 64 bits, those that fit in 32 take a quick way.
    for kind, low, wide in (("int", True, False), ("unsigned", False, False), ("long long", True, False),
                            ("long long", True, True), ("unsigned long long", False, False),
                            ("unsigned long long", False, True)):
        high = 2**30 if not wide else 2**62
        draws = [whole(1, high, low and (wide or kind == "int"))] * 2
        if wide:
            draws = [whole(2**40, high, low), whole(2**33, 2**40, low)]
        for name, sign in (("div", "/"), ("rem", "%"), ("mul", "*")):
            if wide and name == "mul":
                continue
            def quotient(a, b):
                return abs(a) // abs(b) * (1 if (a < 0) == (b < 0) else -1)
            reference = {"div": quotient, "rem": lambda a, b: a - b * quotient(a, b)}.get(name)
            short = ("s" if low else "u") + ("64" if "long" in kind else "32")
            t.append(Row(f"{name}.{short}" + (".wide" if wide else ""), kind, f"r = a {sign} b;", draws,
                         reference))
    for name, code in (("div.s32.constant", "a / 7"), ("rem.s32.constant", "a % 7"),
                       ("div.s32.power_of_two", "a / 8"), ("rem.s32.power_of_two", "a % 8")):
        t.append(Row(name, "int", f"r = {code};", [whole(1, 2**30, True)]))
    for name, kind in (("__clz", "int"), ("__clzll", "long long"), ("__popc", "int"),
                       ("__popcll", "long long"), ("__ffs", "int"), ("__ffsll", "long long"),
                       ("__brev", "int"), ("__brevll", "long long")):
        t.append(Row(name, kind, f"r = {name}(a);", [whole(1, 2**30)]))
    for name in ("__mulhi", "__umulhi", "__mul24"):
        t.append(Row(name, "int", f"r = {name}(a, b);", [whole(1, 2**30)] * 2))
    t.append(Row("__mul64hi", "long long", "r = __mul64hi(a, b);", [whole(1, 2**60)] * 2))
    # Conversions: convert.TO.FROM.
    short = {"float": "f32", "double": "f64", "int": "s32", "unsigned": "u32", "long long": "s64",
             "unsigned long long": "u64"}
    for source in SIZES:
        for target in ("float", "double"):
            if source != target:
                draw = ANY if source in ("float", "double") else whole(1, 10**6)
                t.append(Row(f"convert.{short[target]}.{short[source]}", source, f"r = ({target})a;", [draw],
                             lambda a: a, out=target))
        if source in ("float", "double"):
            for target in ("int", "unsigned", "long long", "unsigned long long"):
                t.append(Row(f"convert.{short[target]}.{short[source]}", source, f"r = ({target})a;",
                             [POSITIVE], lambda a: int(a), out=target))
    return t


# Kernels that only load and store, by size of operands, their number, size of results, and their number.

def plain_name(kind_size, count, out_size, second):
    return f"plain_{kind_size}_{count}_{out_size}_{int(second)}"


def plain_kernels():
    for size, kind in ((4, "float"), (8, "double")):
        for count in (1, 2, 3):
            total = " + ".join("abc"[:count])
            for out_size, out in ((4, "float"), (8, "double")):
                for second in (False, True):
                    name = plain_name(size, count, out_size, second)
                    yield name, kernel_source(name, kind, count, f"r = {total}; q = r;", out, second)


# Compiling and counting.

def find_tool(name):
    found = os.environ.get(name.upper()) or shutil.which(name)
    places = [f"/usr/local/cuda/bin/{name}"] + sorted(
        glob(os.path.join(os.environ.get("CUSET_DEPS", os.path.join(HERE, "../../../.deps")), f"oracle/lib/python*/site-packages/triton/backends/nvidia/bin/{name}")))
    found = found or next((p for p in places if os.path.exists(p)), None)
    if not found:
        sys.exit(f"sass_operations.py: no {name}; name it in the environment variable {name.upper()}")
    return found


def command(arguments, **more):
    done = subprocess.run(arguments, capture_output=True, text=True, check=False, **more)
    if done.returncode != 0:
        sys.exit(f"sass_operations.py: {' '.join(arguments)}: {done.stderr.strip()}")
    return done.stdout


def compiled(table, flags, folder):
    source, cubin = os.path.join(folder, "rows.cu"), os.path.join(folder, "rows.cubin")
    with open(source, "w", encoding="utf-8") as file:
        file.write("\n".join([row.source() for row in table] + [text for _, text in plain_kernels()]))
    command([find_tool("nvcc"), "-w", f"-arch={ARCHITECTURE}", *flags, "-cubin", "-o", cubin, source])
    cuobjdump = find_tool("cuobjdump")
    path = os.path.dirname(cuobjdump) + os.pathsep + os.environ.get("PATH", "")  # for its nvdisasm
    sass = command([cuobjdump, "-sass", cubin], env={**os.environ, "PATH": path})
    with open(os.path.join(folder, "rows.sass"), "w", encoding="utf-8") as file:
        file.write(sass)
    with open(cubin, "rb") as file:
        return sass_machine.read_cubin(file.read(), sass)


def counted(executed):
    """Nsight's counts of what a thread executed, in the order of COLUMNS."""
    counts = dict.fromkeys(COLUMNS, 0)
    for opcode, times in executed.items():
        name = opcode.split(".")[0]
        if name in ("FADD", "FMUL", "FFMA"):
            counts["fp32"] += times * (2 if name == "FFMA" else 1)
        elif name in ("DADD", "DMUL", "DFMA"):
            counts["fp64"] += times * (2 if name == "DFMA" else 1)
        elif name == "MUFU":
            counts["special"] += times
        elif name in INTEGER:
            counts["integer"] += times
        elif name in ("HADD2", "HMUL2", "HFMA2", "DMMA", "HMMA", "FSWZADD"):
            raise sass_machine.Unknown(opcode)
    return counts


RESULT, SECOND, OPERANDS = 0x1000, 0x2000, (0x3000, 0x4000, 0x5000)


def as_kind(value, kind):
    packed = struct.pack("<" + FORMATS[kind], value)
    return struct.unpack("<" + FORMATS[kind], packed)[0], packed


def execute(kernel, kind, operands, out):
    words = {}
    for place, operand in zip(OPERANDS, operands):
        packed = as_kind(operand, kind)[1]
        for offset in range(0, len(packed), 4):
            words[place + offset] = int.from_bytes(packed[offset:offset + 4], "little")
    executed = kernel.run(struct.pack("<5Q", RESULT, SECOND, *OPERANDS), words)
    results = []
    for place in (RESULT, SECOND):
        if place in words:
            packed = b"".join(struct.pack("<I", words[place + o]) for o in range(0, SIZES[out], 4))
            results.append(struct.unpack("<" + FORMATS[out], packed)[0])
    return executed, results


def far(row, result, wanted, operands, fast):
    if row.out in ("float", "double"):
        tolerance = row.tolerance or 0
        tolerance = max(tolerance, 2e-5 if row.out == "float" or row.kind == "float" else 1e-13)
        if row.tolerance and row.out == "double":
            tolerance = 1e-9
        tolerance = max(tolerance, 2e-3) if fast else tolerance
        if row.out == "float" and (abs(wanted) > 3.4e38 or abs(wanted) < 1e-37):
            return not (math.isinf(result) or abs(result) < 1e-36)
        return not abs(result - wanted) <= tolerance * max(abs(wanted), 0.1 if tolerance < 1e-3 else 1)
    return result != wanted


def measure(row, kernels, fast):
    total, opcodes, wrong = Counter(), Counter(), []
    kernel = kernels[row.kernel]
    for sample in range(SAMPLES):
        source = Spread(sample)
        operands = [as_kind(draw(source), row.kind)[0] for draw in row.draws]
        executed, results = execute(kernel, row.kind, operands, row.out)
        opcodes.update(executed)
        total.update(counted(executed))
        if row.reference and not (fast and row.exact_only):
            try:
                wanted = row.reference(*operands)
            except OverflowError:
                wanted = math.inf
            wanted = wanted if isinstance(wanted, tuple) else (wanted,)
            if any(far(row, r, w, operands, fast) for r, w in zip(results, wanted)):
                wrong.append((operands, results, wanted))
    plain = kernels[plain_name(SIZES[row.kind], len(row.draws), SIZES[row.out], row.second)]
    zeros = [0.0] * len(row.draws)
    kind, out = ("float", "double")[SIZES[row.kind] // 8], ("float", "double")[SIZES[row.out] // 8]
    around = counted(execute(plain, kind, zeros, out)[0])["integer"]
    means = {c: total[c] / SAMPLES - row.less.get(c, 0) for c in COLUMNS}
    means["integer"] = max(means["integer"] - around, 0)
    return means, opcodes, wrong


def number(value):
    return f"{value:.2f}".rstrip("0").rstrip(".")


def version():
    text = command([find_tool("nvcc"), "--version"])
    return re.search(r"release .*", text)[0]


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n", 1)[0])
    parser.add_argument("--check", action="store_true", help="compare the files, write nothing")
    parser.add_argument("--keep", metavar="FOLDER", help="leave source, cubin and listing there")
    parser.add_argument("--show", metavar="NAME", help="print the opcodes of one row")
    options = parser.parse_args()
    table, status, default = rows(), 0, {}
    if options.show:
        table = [row for row in table if row.name == options.show]
    for file_name, flags in FILES:
        with tempfile.TemporaryDirectory() as temporary:
            folder = os.path.join(options.keep, "fast" if flags else "default") if options.keep else temporary
            os.makedirs(folder, exist_ok=True)
            kernels = compiled(table, flags, folder)
        lines = [f"# nvcc {version()}, -arch={ARCHITECTURE}{''.join(' ' + f for f in flags) or ', default flags'}; "
                 f"means of {SAMPLES} operands; written by sass_operations.py",
                 "\t".join(("function", "type") + COLUMNS)]
        for row in table:
            means, opcodes, wrong = measure(row, kernels, bool(flags))
            if wrong:
                status = 1
                print(f"{row.name} {row.label}: {len(wrong)} results are wrong, the first: {wrong[0]}",
                      file=sys.stderr)
            if options.show:
                print(row.name, row.label, *flags, {c: number(v) for c, v in means.items()})
                for opcode, times in sorted(opcodes.items()):
                    print(f"  {opcode:24} {number(times / SAMPLES)}")
            line = "\t".join([row.name, row.label] + [number(means[c]) for c in COLUMNS])
            if not flags:
                default[row.kernel] = line
            if not flags or default[row.kernel] != line:
                lines.append(line)
        text = "\n".join(lines) + "\n"
        path = os.path.join(TABLES, file_name)
        if options.show:
            continue
        if options.check:
            with open(path, encoding="utf-8") as file:
                stored = file.read()
            if stored != text:
                status = 1
                old, new = set(stored.split("\n")), set(text.split("\n"))
                for line in sorted(old - new):
                    print(f"{file_name}: - {line}")
                for line in sorted(new - old):
                    print(f"{file_name}: + {line}")
        else:
            with open(path, "w", encoding="utf-8") as file:
                file.write(text)
    return status


if __name__ == "__main__":
    sys.exit(main())
