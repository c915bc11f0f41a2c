"""Interpret the SASS of one thread of a small kernel, and count what it executes.

read_cubin() takes a cubin and cuobjdump's text of it. Kernel.run() executes one thread, with
thread and block index 0, and returns how often each opcode executed with its predicate true. The
instructions are those that nvcc 13.0 emits for arithmetic on sm_86; another opcode raises
Unknown. Arithmetic is exact as IEEE 754 says, except that MUFU's results, which hardware approximates,
are correctly rounded here.
"""

import ctypes
import ctypes.util
import math
import re
import struct
from collections import Counter
from fractions import Fraction

MASK = 0xFFFFFFFF
MASK64 = 0xFFFFFFFFFFFFFFFF
NAN = math.nan
INF = math.inf
PARAMETERS = 0x160  # where sm_86 has a kernel's parameters in constant bank 0
GLOBALS = 0x10000000  # where the cubin's own initialised data are

_libm = ctypes.CDLL(ctypes.util.find_library("m") or "libm.so.6")
_libm.fma.restype = ctypes.c_double
_libm.fma.argtypes = [ctypes.c_double] * 3
_libm.fmaf.restype = ctypes.c_float
_libm.fmaf.argtypes = [ctypes.c_float] * 3


class Unknown(Exception):
    """An instruction or an operand that this interpreter does not have."""


# Bits and values.

def f32_of(bits):
    return struct.unpack("<f", struct.pack("<I", bits))[0]


def bits_of_f32(value):
    try:
        return struct.unpack("<I", struct.pack("<f", value))[0]
    except OverflowError:
        return 0x7F800000 if value > 0 else 0xFF800000


def f64_of(bits):
    return struct.unpack("<d", struct.pack("<Q", bits))[0]


def bits_of_f64(value):
    return struct.unpack("<Q", struct.pack("<d", value))[0]


def round32(value):
    return f32_of(bits_of_f32(value))


def signed(value, width=32):
    value &= (1 << width) - 1
    return value - (1 << width) if value >> (width - 1) else value


def _flushed(value):
    return math.copysign(0.0, value) if value != 0 and abs(value) < 2.0**-126 else value


def _next32(value, up):
    if value == 0:
        return math.copysign(2.0**-149, 1 if up else -1)
    bits = bits_of_f32(value)
    return f32_of(bits + 1 if (value > 0) == up else bits - 1)


def _next64(value, up):
    return math.nextafter(value, INF if up else -INF)


def _directed(nearest, exact, mode, step):
    """Correct a result that is rounded to nearest to the rounding mode RZ, RM or RP."""
    if not mode or math.isnan(nearest):
        return nearest
    below, above = False, False
    if math.isinf(nearest):
        above, below = nearest > 0, nearest < 0
    else:
        above, below = Fraction(nearest) > exact, Fraction(nearest) < exact
    if above and (mode == "RM" or mode == "RZ" and exact > 0):
        return step(nearest, False)
    if below and (mode == "RP" or mode == "RZ" and exact < 0):
        return step(nearest, True)
    return nearest


def _fused(a, b, c, mode, single):
    if not (math.isfinite(a) and math.isfinite(b) and math.isfinite(c)):
        if math.isinf(c) and math.isfinite(a) and math.isfinite(b):
            return c
        return a * b + c
    nearest = (_libm.fmaf if single else _libm.fma)(a, b, c)
    if not mode:
        return nearest
    exact = Fraction(a) * Fraction(b) + Fraction(c)
    return _directed(nearest, exact, mode, _next32 if single else _next64)


def _mode(modifiers):
    return next((m for m in ("RZ", "RM", "RP") if m in modifiers), None)


def _quotient(value):
    """1/value with IEEE 754's infinities."""
    if value == 0:
        return math.copysign(INF, value)
    return 1.0 / value


def _exp2(x):
    if math.isnan(x):
        return NAN
    if x > 1100:
        return INF
    return 0.0 if x < -1100 else 2.0**x


def _mufu(function, x):
    if math.isnan(x):
        return NAN
    if function == "RCP":
        return _quotient(x)
    if function == "SQRT":
        return math.sqrt(x) if x >= 0 else NAN
    if function == "RSQ":
        return NAN if x < 0 else _quotient(math.sqrt(x))
    if function == "EX2":
        return _exp2(x)
    if function == "LG2":
        return NAN if x < 0 else -INF if x == 0 else INF if math.isinf(x) else math.log2(x)
    if function == "TANH":
        return math.tanh(x)
    if math.isinf(x):
        return NAN
    # The operand is in revolutions.
    if function == "SIN":
        return math.sin(2 * math.pi * x)
    if function == "COS":
        return math.cos(2 * math.pi * x)
    raise Unknown("MUFU." + function)


def _rounded(x, modifiers):
    """x to an integer, as float where x is not finite."""
    if not math.isfinite(x):
        return x
    if "TRUNC" in modifiers:
        return math.trunc(x)
    if "FLOOR" in modifiers:
        return math.floor(x)
    if "CEIL" in modifiers:
        return math.ceil(x)
    return round(x)  # Python rounds halves to even


_ORDERED = {
    "LT": lambda a, b: a < b, "LE": lambda a, b: a <= b, "GT": lambda a, b: a > b,
    "GE": lambda a, b: a >= b, "EQ": lambda a, b: a == b, "NE": lambda a, b: a < b or a > b,
}


def _compare(name):
    if name in _ORDERED:
        return _ORDERED[name]
    if name == "NUM":
        return lambda a, b: a == a and b == b
    if name == "NAN":
        return lambda a, b: a != a or b != b
    if name.endswith("U") and name[:-1] in _ORDERED:
        ordered = _ORDERED[name[:-1]]
        return lambda a, b: a != a or b != b or ordered(a, b)
    raise Unknown("comparison " + name)


_COMBINE = {"AND": lambda a, b: a and b, "OR": lambda a, b: a or b, "XOR": lambda a, b: a != b}


def _lut(table, a, b, c, ones):
    """Each bit of the result is the bit of table that the bits of a, b and c choose."""
    result = 0
    for index in range(8):
        if table >> index & 1:
            result |= ((a if index & 4 else ~a) & (b if index & 2 else ~b)
                       & (c if index & 1 else ~c))
    return result & ones


# Instructions.

_LINE = re.compile(r"\s*/\*([0-9a-f]{4,6})\*/\s+(?:@(!?)(U?P[T\d])\s+)?([A-Z][\w.]*)\s*(.*?)\s*;")
_PREDICATE = re.compile(r"!?U?P(\d|T)$")
_CONSTANT = re.compile(r"c\[(0x[0-9a-f]+)\]\[(0x[0-9a-f]+)\]$")
_ADDRESS = re.compile(r"\[(?:(R\d+|RZ)(\.64|\.U32)?)?\+?(?:(UR\d+|URZ)\+?)?(-?0x[0-9a-f]+)?\]$")


class Kernel:
    """One kernel of a cubin, ready to run."""

    def __init__(self, name, lines, banks, memory):
        self.name = name
        self.banks = banks
        self.globals = memory
        self.R = [0] * 256
        self.U = [0] * 64
        self.P = [False] * 8
        self.UP = [False] * 8
        self.memory = {}
        self.local = {}
        self.indices = {}
        self.code = {}
        addresses = [address for address, _ in lines]
        following = dict(zip(addresses, addresses[1:] + [None]))
        for address, match in lines:
            negated, predicate, opcode, rest = match
            operands = [o.strip() for o in rest.split(",")] if rest else []
            operands = [o.replace(".reuse", "") for o in operands]
            guard = self.predicate(negated + predicate) if predicate else None
            self.code[address] = (guard, opcode, operands, following[address], [])

    def run(self, parameters, words, indices=None, block=(256, 1, 1), grid=(1, 1, 1)):
        """Execute one thread. parameters are the bytes of the kernel's parameters; words maps
        addresses of 4 bytes to their bits, and holds what the kernel stored afterwards. indices
        are special registers, as {"SR_TID.X": 3}; others are 0. The result maps each opcode, with its
        modifiers, to how often it executed."""
        self.indices = indices or {}
        for registers in (self.R, self.U):
            registers[:] = [0] * len(registers)
        for predicates in (self.P, self.UP):
            predicates[:] = [False] * 7 + [True]
        bank = bytearray(self.banks[0])
        bank[PARAMETERS:PARAMETERS + len(parameters)] = parameters
        bank[0:24] = struct.pack("<6I", *block, *grid)
        if bank != self.banks[0]:
            self.banks[0] = bytes(bank)
            for entry in self.code.values():
                entry[4].clear()
        self.memory = words
        self.local = {}
        executed = Counter()
        at = min(self.code)
        for _ in range(1000000):
            guard, opcode, operands, following, action = self.code[at]
            if guard and not guard():
                at = following
                continue
            executed[opcode] += 1
            if opcode == "EXIT":
                return executed
            if not action:
                action.append(self.compiled(opcode, operands))
            target = action[0]()
            at = following if target is None else target
        raise Unknown(f"{self.name} does not end")

    # Operands, as functions that read them.

    def constant(self, text, width):
        match = _CONSTANT.match(text)
        if not match:
            return None
        bank, offset = int(match[1], 16), int(match[2], 16)
        data = self.banks.get(bank, b"")
        if len(data) < offset + width:
            raise Unknown(f"{text} in {self.name}")
        return int.from_bytes(data[offset:offset + width], "little")

    def predicate(self, text):
        match = _PREDICATE.match(text)
        if not match:
            raise Unknown("predicate " + text)
        index = 7 if match[1] == "T" else int(match[1])
        file = self.UP if "UP" in text else self.P
        if text.startswith("!"):
            return lambda: not file[index]
        return lambda: file[index]

    def to_predicate(self, text):
        match = _PREDICATE.match(text)
        if not match:
            raise Unknown("predicate " + text)
        file = self.UP if text.startswith("U") else self.P
        if match[1] == "T":
            return lambda value: None
        index = int(match[1])

        def write(value):
            file[index] = bool(value)
        return write

    def register(self, text):
        """The register file and the index of a plain register; None for RZ."""
        match = re.match(r"(U?)R(\d+|Z)$", text)
        if not match:
            raise Unknown("register " + text)
        return (self.U if match[1] else self.R), (None if match[2] == "Z" else int(match[2]))

    def to(self, text, width=32):
        file, index = self.register(text)
        if index is None:
            return lambda value: None
        if width == 32:
            def write(value):
                file[index] = value & MASK
        else:
            def write(value):
                file[index] = value & MASK
                file[index + 1] = value >> 32 & MASK
        return write

    def bits(self, text, width=32):
        """Bits of a register (or a pair) or constant, without sign modifiers."""
        value = self.constant(text, width // 8)
        if value is not None:
            return lambda: value
        if re.match(r"-?0x[0-9a-f]+$|-?\d+$", text):
            number = int(text, 0) & (MASK if width == 32 else MASK64)
            return lambda: number
        file, index = self.register(text.replace(".64", ""))
        if index is None:
            return lambda: 0
        if width == 32:
            return lambda: file[index]
        return lambda: file[index] | file[index + 1] << 32

    def integer(self, text, width=32):
        ones = MASK if width == 32 else MASK64
        if text.startswith("~"):
            inner = self.bits(text[1:], width)
            return lambda: ~inner() & ones
        if text.startswith("-") and not text.startswith("-0x"):
            inner = self.bits(text[1:], width)
            return lambda: -inner() & ones
        return self.bits(text, width)

    def addend(self, text):
        """Like integer, but -x as ~x + 1 in 33 bits, so that the carry says: not below."""
        if text.startswith("-") and not text.startswith("-0x"):
            inner = self.bits(text[1:])
            return lambda: (~inner() & MASK) + 1
        return self.integer(text)

    @staticmethod
    def signs(text):
        negative = text.startswith("-") and not re.match(r"-(\d|INF|QNAN)", text)
        text = text[1:] if negative else text
        absolute = text.startswith("|")
        return negative, absolute, text.strip("|")

    @staticmethod
    def literal(text):
        text = text.strip()
        if re.match(r"[+-]?QNAN", text):
            return NAN
        if re.match(r"[+-]?INF", text):
            return -INF if text.startswith("-") else INF
        if re.match(r"-?\d[\d.]*(e[+-]?\d+)?$", text):
            return float(text)
        return None

    def single(self, text, flush=False):
        value = self.literal(text)
        if value is not None:
            value = round32(value)
            return lambda: value
        negative, absolute, text = self.signs(text)
        inner = self.bits(text)

        def read():
            bits = inner()
            if absolute:
                bits &= 0x7FFFFFFF
            value = f32_of(bits ^ 0x80000000 if negative else bits)
            return _flushed(value) if flush else value
        return read

    def double(self, text):
        value = self.literal(text)
        if value is not None:
            return lambda: value
        negative, absolute, text = self.signs(text)
        inner = self.bits(text, 64)

        def read():
            bits = inner()
            if absolute:
                bits &= MASK64 >> 1
            return f64_of(bits ^ 1 << 63 if negative else bits)
        return read

    def single_bits(self, text):
        """Bits of a floating-point operand with its sign modifiers, for selections."""
        value = self.literal(text)
        if value is not None:
            bits = bits_of_f32(value)
            return lambda: bits
        negative, absolute, text = self.signs(text)
        inner = self.bits(text)
        keep, flip = 0x7FFFFFFF if absolute else MASK, 0x80000000 if negative else 0
        return lambda: inner() & keep ^ flip

    def address(self, text):
        match = _ADDRESS.match(text)
        if not match:
            raise Unknown("address " + text)
        base, wide, uniform, offset = match.groups()
        offset = int(offset, 16) if offset else 0
        base = self.bits(base, 64 if wide == ".64" else 32) if base else lambda: 0
        add = self.bits(uniform, 64) if uniform else lambda: 0
        return lambda: base() + add() + offset

    @staticmethod
    def split(operands):
        """Destination, predicates written, sources, predicates read."""
        first = 1
        while _PREDICATE.match(operands[first]):
            first += 1
        last = len(operands)
        while _PREDICATE.match(operands[last - 1]):
            last -= 1
        return operands[0], operands[1:first], operands[first:last], operands[last:]

    # Opcodes.

    def compiled(self, opcode, operands):
        """An instruction as a function that returns the next address where it jumps."""
        name, *modifiers = opcode.split(".")
        if name in ("UMOV", "UIADD3", "ULOP3", "USHF", "UISETP", "USEL", "ULEA", "UIMAD", "UPRMT"):
            name = name[1:]
        method = getattr(self, "op_" + name, None)
        if not method:
            raise Unknown(f"{opcode} {', '.join(operands)} in {self.name}")
        try:
            return method(set(modifiers), operands, modifiers)
        except (IndexError, ValueError, Unknown) as error:
            raise Unknown(f"{opcode} {', '.join(operands)} in {self.name}: {error}") from error

    def nothing(self, modifiers, operands, _):
        return lambda: None

    op_NOP = op_BSSY = op_BSYNC = op_BREAK = op_WARPSYNC = op_YIELD = nothing

    def op_BRA(self, modifiers, operands, _):
        target = int(operands[-1], 16)
        taken = [self.predicate(o) for o in operands[:-1]]
        return lambda: target if all(p() for p in taken) else None

    def op_CALL(self, modifiers, operands, _):
        target = int(operands[-1], 16)
        return lambda: target

    def op_RET(self, modifiers, operands, _):
        target = self.bits(operands[0].split()[0])
        return lambda: target()

    def op_MOV(self, modifiers, operands, _):
        write, read = self.to(operands[0]), self.integer(operands[1])
        return lambda: write(read())

    def op_CS2R(self, modifiers, operands, _):
        write = self.to(operands[0], 32 if "32" in modifiers else 64)
        if operands[1] != "SRZ":
            raise Unknown(operands[1])
        return lambda: write(0)

    def op_S2R(self, modifiers, operands, _):
        if not operands[1].startswith(("SR_CTAID.", "SR_TID.")):
            raise Unknown(operands[1])
        write, name = self.to(operands[0]), operands[1]
        return lambda: write(self.indices.get(name, 0))

    op_R2UR = op_MOV
    op_S2UR = op_S2R

    def op_ULDC(self, modifiers, operands, _):
        width = 64 if "64" in modifiers else 32
        write, read = self.to(operands[0], width), self.bits(operands[1], width)
        return lambda: write(read())

    # Memory.

    def access(self, modifiers):
        return 4 if "128" in modifiers else 2 if "64" in modifiers else 1

    def op_LDG(self, modifiers, operands, _, local=False):
        words, where = self.access(modifiers), self.address(operands[1])
        writes = []
        file, index = self.register(operands[0])
        narrow = next((m for m in modifiers if re.match(r"[US](8|16)$", m)), None)
        for word in range(words):
            writes.append(self.to(f"R{index + word}"))

        def load():
            address = where()
            for word, write in enumerate(writes):
                place = address + 4 * word & ~3
                data = self.local if local else self.memory if place in self.memory else self.globals
                value = data[place]
                if narrow:
                    width = int(narrow[1:])
                    value = value >> 8 * (address & 3) & (1 << width) - 1
                    value = signed(value, width) if narrow[0] == "S" else value
                write(value)
        return load

    def op_LDL(self, modifiers, operands, order):
        return self.op_LDG(modifiers, operands, order, True)

    def op_STG(self, modifiers, operands, _, local=False):
        words, where = self.access(modifiers), self.address(operands[0])
        narrow = next((m for m in modifiers if re.match(r"[US](8|16)$", m)), None)
        file, index = self.register(operands[1])
        reads = [self.bits("RZ" if index is None else f"R{index + word}") for word in range(words)]

        def store():
            address = where()
            data = self.local if local else self.memory
            if narrow:
                value = reads[0]()
                place, shift, ones = address & ~3, 8 * (address & 3), (1 << int(narrow[1:])) - 1
                data[place] = data.get(place, 0) & ~(ones << shift) | (value & ones) << shift
                return
            for word, read in enumerate(reads):
                data[address + 4 * word] = read()
        return store

    def op_STL(self, modifiers, operands, order):
        return self.op_STG(modifiers, operands, order, True)

    # Integers.

    def op_IADD3(self, modifiers, operands, _):
        destination, outs, sources, ins = self.split(operands)
        write = self.to(destination)
        # With .X a negated operand is its complement, and the carry completes it.
        reads = [self.addend(s) for s in sources]
        carries = [self.predicate(p) for p in ins] if "X" in modifiers else []
        writes = [self.to_predicate(p) for p in outs]

        def add():
            total = sum(r() for r in reads) + sum(c() for c in carries)
            write(total)
            for level, w in enumerate(writes, 1):
                w(total >> 32 >= level)
        return add

    def op_IMAD(self, modifiers, operands, _):
        destination, outs, (a, b, c), ins = self.split(operands)
        wide, high, unsigned = "WIDE" in modifiers, "HI" in modifiers, "U32" in modifiers
        write = self.to(destination, 64 if wide else 32)
        a, b = self.integer(a), self.integer(b)
        c = self.integer(c, 64 if wide or high else 32)
        carry = self.predicate(ins[0]) if "X" in modifiers and ins else None
        out = self.to_predicate(outs[0]) if outs else None

        def multiply():
            x, y = (a(), b()) if unsigned else (signed(a()), signed(b()))
            if wide or high:
                total = (x * y & MASK64) + c() + (carry() if carry else 0)
                if out:
                    out(total >> 64)
                write(total >> 32 & MASK if high else total)
            else:
                total = (x * y & MASK) + c() + (carry() if carry else 0)
                if out:
                    out(total >> 32)
                write(total)
        return multiply

    def op_LEA(self, modifiers, operands, _):
        destination, outs, sources, ins = self.split(operands)
        write = self.to(destination)
        carry = self.predicate(ins[0]) if "X" in modifiers else None
        out = self.to_predicate(outs[0]) if outs else None
        a, b = self.integer(sources[0]), self.addend(sources[1])
        shift = int(sources[-1], 16)
        extended = "SX32" in modifiers
        upper = (self.integer(sources[2]) if "HI" in modifiers and len(sources) == 4
                 else lambda: MASK if extended and a() >> 31 else 0)

        def add():
            if "HI" in modifiers:
                value = ((upper() << 32 | a()) << shift) >> 32 & MASK
            else:
                value = a() << shift & MASK
            total = value + b() + (carry() if carry else 0)
            write(total)
            if out:
                out(total >> 32)
        return add

    def op_LOP3(self, modifiers, operands, _):
        out = None
        if _PREDICATE.match(operands[0]):
            out, operands = self.to_predicate(operands[0]), operands[1:]
        destination, a, b, c, table, extra = operands
        write, table, extra = self.to(destination), int(table, 16), self.predicate(extra)
        a, b, c = self.integer(a), self.integer(b), self.integer(c)

        def logic():
            value = _lut(table, a(), b(), c(), MASK)
            write(value)
            if out:
                out(value != 0 or extra())
        return logic

    def op_PLOP3(self, modifiers, operands, _):
        first, second, a, b, c, table, other = operands
        first, second = self.to_predicate(first), self.to_predicate(second)
        a, b, c = self.predicate(a), self.predicate(b), self.predicate(c)
        table, other = int(table, 16), int(other, 16)

        def logic():
            x, y, z = int(a()), int(b()), int(c())
            first(_lut(table, x, y, z, 1))
            second(_lut(other, x, y, z, 1))
        return logic

    def op_SHF(self, modifiers, operands, _):
        destination, low, shift, high = operands
        write = self.to(destination)
        low, shift, high = self.integer(low), self.integer(shift), self.integer(high)
        left, upper = "L" in modifiers, "HI" in modifiers
        width = 64 if {"U64", "S64"} & modifiers else 32
        arithmetic = {"S32", "S64"} & modifiers

        def move():
            amount = shift() & width - 1 if "W" in modifiers else min(shift(), width)
            value = high() << 32 | low()
            if left:
                value <<= amount
            else:
                value = (signed(value, 64) if arithmetic else value) >> amount
            write(value >> 32 if upper else value)
        return move

    def op_ISETP(self, modifiers, operands, order):
        first, second = self.to_predicate(operands[0]), self.to_predicate(operands[1])
        a, b, combined = self.integer(operands[2]), self.integer(operands[3]), self.predicate(operands[4])
        lower = self.predicate(operands[5]) if "EX" in modifiers else None
        compare, combine = _compare(order[0]), next(_COMBINE[m] for m in order if m in _COMBINE)
        unsigned = "U32" in modifiers

        def test():
            x, y = (a(), b()) if unsigned else (signed(a()), signed(b()))
            result = compare(x, y)
            if lower:  # the high words of a 64-bit comparison
                result = lower() if x == y else result
            condition = combined()
            first(combine(result, condition))
            second(combine(not result, condition))
        return test

    def op_IMNMX(self, modifiers, operands, _):
        write, a, b = self.to(operands[0]), self.integer(operands[1]), self.integer(operands[2])
        least = self.predicate(operands[3])
        key = (lambda v: v) if "U32" in modifiers else signed
        return lambda: write((min if least() else max)(a(), b(), key=key))

    def op_IABS(self, modifiers, operands, _):
        write, a = self.to(operands[0]), self.integer(operands[1])
        return lambda: write(abs(signed(a())))

    def op_SEL(self, modifiers, operands, _):
        write, a, b = self.to(operands[0]), self.integer(operands[1]), self.integer(operands[2])
        condition = self.predicate(operands[3])
        return lambda: write(a() if condition() else b())

    def op_SGXT(self, modifiers, operands, _):
        write, a, width = self.to(operands[0]), self.integer(operands[1]), self.integer(operands[2])
        return lambda: write(a() & (1 << width()) - 1 if "U32" in modifiers else signed(a(), width()))

    def op_PRMT(self, modifiers, operands, _):
        if modifiers:
            raise Unknown("mode")
        write, a, choice, b = self.to(operands[0]), *(self.integer(o) for o in operands[1:])

        def permute():
            source, result = b() << 32 | a(), 0
            for byte in range(4):
                selector = choice() >> 4 * byte & 15
                value = source >> 8 * (selector & 7) & 255
                if selector & 8:
                    value = 255 if value & 128 else 0
                result |= value << 8 * byte
            write(result)
        return permute

    def op_FLO(self, modifiers, operands, _):
        write, a = self.to(operands[0]), self.integer(operands[1])

        def find():
            value = a()
            if "U32" not in modifiers and value >> 31:
                value = ~value & MASK
            at = value.bit_length() - 1
            write(MASK if at < 0 else 31 - at if "SH" in modifiers else at)
        return find

    def op_POPC(self, modifiers, operands, _):
        write, a = self.to(operands[0]), self.integer(operands[1])
        return lambda: write(bin(a()).count("1"))

    def op_BREV(self, modifiers, operands, _):
        write, a = self.to(operands[0]), self.integer(operands[1])
        return lambda: write(int(f"{a():032b}"[::-1], 2))

    def op_R2P(self, modifiers, operands, _):
        value, mask = self.bits(operands[1]), int(operands[2], 16)

        def spread():
            bits = value()
            for index in range(7):
                if mask >> index & 1:
                    self.P[index] = bool(bits >> index & 1)
        return spread

    def op_P2R(self, modifiers, operands, _):
        write, keep, mask = self.to(operands[0]), self.bits(operands[2]), int(operands[3], 16)

        def gather():
            bits = sum(1 << index for index in range(7) if self.P[index])
            write(keep() & ~mask | bits & mask)
        return gather

    # Single precision.

    def to_single(self, text, modifiers):
        write = self.to(text)

        def put(value):
            if "SAT" in modifiers:
                value = 0.0 if value != value else min(max(value, 0.0), 1.0)
            if "FTZ" in modifiers:
                value = _flushed(value)
            write(0x7FFFFFFF if value != value else bits_of_f32(value))
        return put

    def arithmetic(self, modifiers, destination, a, b, c):
        flush, mode = "FTZ" in modifiers, _mode(modifiers)
        put = self.to_single(destination, modifiers)
        a, b, c = self.single(a, flush), self.single(b, flush), self.single(c, flush)
        return lambda: put(_fused(a(), b(), c(), mode, True))

    def op_FADD(self, modifiers, operands, _):
        destination, a, b = operands
        flush, mode = "FTZ" in modifiers, _mode(modifiers)
        if mode:
            return self.arithmetic(modifiers, destination, a, "1", b)
        put, a, b = self.to_single(destination, modifiers), self.single(a, flush), self.single(b, flush)
        return lambda: put(round32(a() + b()))

    def op_FMUL(self, modifiers, operands, _):
        destination, a, b = operands
        flush, mode = "FTZ" in modifiers, _mode(modifiers)
        put, a, b = self.to_single(destination, modifiers), self.single(a, flush), self.single(b, flush)
        scale = next((m for m in modifiers if re.match(r"[DM]\d$", m)), None)
        factor = (1 if not scale else int(scale[1:]) if scale[0] == "M" else 1 / int(scale[1:]))

        def multiply():
            x, y = a() * factor, b()
            nearest = round32(x * y)
            if mode and math.isfinite(x * y):
                nearest = _directed(nearest, Fraction(x) * Fraction(y), mode, _next32)
            put(nearest)
        return multiply

    def op_FFMA(self, modifiers, operands, _):
        return self.arithmetic(modifiers, *operands)

    def op_FSEL(self, modifiers, operands, _):
        write, condition = self.to(operands[0]), self.predicate(operands[3])
        a, b = self.single_bits(operands[1]), self.single_bits(operands[2])

        def select():
            bits = a() if condition() else b()
            write(bits_of_f32(_flushed(f32_of(bits))) if "FTZ" in modifiers else bits)
        return select

    def op_FMNMX(self, modifiers, operands, _):
        flush = "FTZ" in modifiers
        put, least = self.to_single(operands[0], modifiers), self.predicate(operands[3])
        a, b = self.single(operands[1], flush), self.single(operands[2], flush)

        def extreme():
            x, y = a(), b()
            if x != x or y != y:
                put(y if x != x else x)
            else:
                put((min if least() else max)(x, y, key=lambda v: (v, math.copysign(1, v))))
        return extreme

    def set_predicate(self, operands, order, read):
        first, second = self.to_predicate(operands[0]), self.to_predicate(operands[1])
        a, b, condition = read(operands[2]), read(operands[3]), self.predicate(operands[4])
        compare, combine = _compare(order[0]), next(_COMBINE[m] for m in order if m in _COMBINE)

        def test():
            result = compare(a(), b())
            first(combine(result, condition()))
            second(combine(not result, condition()))
        return test

    def op_FSETP(self, modifiers, operands, order):
        return self.set_predicate(operands, order, lambda o: self.single(o, "FTZ" in modifiers))

    def op_FCHK(self, modifiers, operands, _):
        """True where a division must take the slow path."""
        out, a, b = self.to_predicate(operands[0]), self.single(operands[1]), self.single(operands[2])

        def check():
            x, y = a(), b()
            if not (math.isfinite(x) and math.isfinite(y)) or y == 0:
                return out(True)
            of_y = math.frexp(y)[1] - 1
            if x == 0:
                return out(not -126 <= of_y <= 125)
            of_x = math.frexp(x)[1] - 1
            return out(not (-126 <= of_y <= 125 and of_x >= -126 + 24 and -126 < of_x - of_y < 127))
        return check

    def op_MUFU(self, modifiers, operands, order):
        if order[0] in ("RCP64H", "RSQ64H"):
            write, value = self.to(operands[0]), self.literal(operands[1])
            high = (self.single_bits(operands[1]) if value is None
                    else lambda: bits_of_f64(value) >> 32)
            function = order[0][:3]
            return lambda: write(bits_of_f64(_mufu(function, f64_of(high() << 32))) >> 32)
        put, a = self.to_single(operands[0], modifiers), self.single(operands[1], True)
        return lambda: put(_flushed(round32(_mufu(order[0], a()))))

    # Double precision.

    def to_double(self, text):
        write = self.to(text, 64)
        return lambda value: write(0x7FF8000000000000 if value != value else bits_of_f64(value))

    def double_arithmetic(self, modifiers, destination, a, b, c):
        put, mode = self.to_double(destination), _mode(modifiers)
        a, b, c = self.double(a), self.double(b), self.double(c)
        return lambda: put(_fused(a(), b(), c(), mode, False))

    def op_DADD(self, modifiers, operands, _):
        if _mode(modifiers):
            return self.double_arithmetic(modifiers, operands[0], operands[1], "1", operands[2])
        put, a, b = self.to_double(operands[0]), self.double(operands[1]), self.double(operands[2])
        return lambda: put(a() + b())

    def op_DMUL(self, modifiers, operands, _):
        put, a, b = self.to_double(operands[0]), self.double(operands[1]), self.double(operands[2])
        mode = _mode(modifiers)

        def multiply():
            x, y = a(), b()
            nearest = x * y
            if mode and math.isfinite(nearest):
                nearest = _directed(nearest, Fraction(x) * Fraction(y), mode, _next64)
            put(nearest)
        return multiply

    def op_DFMA(self, modifiers, operands, _):
        return self.double_arithmetic(modifiers, *operands)

    def op_DSETP(self, modifiers, operands, order):
        if order[0] not in ("MIN", "MAX"):
            return self.set_predicate(operands, order, self.double)
        # The first predicate chooses a, the second says that b is not a number.
        first, second = self.to_predicate(operands[0]), self.to_predicate(operands[1])
        a, b = self.double(operands[2]), self.double(operands[3])

        def extreme():
            x, y = a(), b()
            first(y != y or (x < y if order[0] == "MIN" else x > y))
            second(x != x and y != y)
        return extreme

    # Conversions.

    def op_F2F(self, modifiers, operands, order):
        if order[-2:] == ["F32", "F64"]:
            put, a, mode = self.to_single(operands[0], modifiers), self.double(operands[1]), _mode(modifiers)

            def narrow():
                value = a()
                nearest = round32(value)
                put(_directed(nearest, Fraction(value), mode, _next32)
                    if mode and math.isfinite(value) else nearest)
            return narrow
        if order[-2:] == ["F64", "F32"]:
            put, a = self.to_double(operands[0]), self.single(operands[1], "FTZ" in modifiers)
            return lambda: put(a())
        raise Unknown("formats")

    def op_FRND(self, modifiers, operands, _):
        if "F64" in modifiers:
            put, a = self.to_double(operands[0]), self.double(operands[1])
        else:
            put, a = self.to_single(operands[0], modifiers), self.single(operands[1], "FTZ" in modifiers)

        def round_off():
            value = a()
            put(math.copysign(float(_rounded(value, modifiers)), value))
        return round_off

    def op_F2I(self, modifiers, operands, _):
        kind = next((m for m in modifiers if re.match(r"[SU]\d+$", m)), "S32")
        width = int(kind[1:])
        read = (self.double if "F64" in modifiers else
                lambda o: self.single(o, "FTZ" in modifiers))(operands[1])
        write = self.to(operands[0], 64 if width == 64 else 32)
        low, high = (0, (1 << width) - 1) if kind[0] == "U" else (-(1 << width - 1), (1 << width - 1) - 1)

        def convert():
            value = _rounded(read(), modifiers)
            if value != value:
                return write(1 << width - 1 if kind[0] == "S" else 0)
            return write(int(min(max(value, low), high)) & (1 << width) - 1)
        return convert

    def op_I2F(self, modifiers, operands, _):
        kind = next((m for m in modifiers if re.match(r"[SU]\d+$", m)), "S32")
        width, mode = int(kind[1:]), _mode(modifiers)
        read = self.integer(operands[1], 64 if width == 64 else 32)
        wide = "F64" in modifiers
        put = self.to_double(operands[0]) if wide else self.to_single(operands[0], set())

        def convert():
            value = read() & (1 << width) - 1
            value = signed(value, width) if kind[0] == "S" else value
            nearest = float(value)
            if not wide:
                # float() of 64 bits rounds once already: this rounds the integer itself.
                nearest = round32(nearest)
                for near in (_next32(nearest, False), _next32(nearest, True)):
                    if abs(Fraction(near) - value) < abs(Fraction(nearest) - value):
                        nearest = near
            put(_directed(nearest, Fraction(value), mode, _next64 if wide else _next32))
        return convert

    op_I2FP = op_I2F


# Files.

def _elf(data):
    """Sections, by name, as (type, link, info, bytes), and their names by index."""
    start, = struct.unpack_from("<Q", data, 0x28)
    size, count, names = struct.unpack_from("<HHH", data, 0x3A)
    headers = [struct.unpack_from("<IIQQQQIIQQ", data, start + size * i) for i in range(count)]
    table = headers[names]

    def text(offset, header):
        at = header[4] + offset
        return data[at:data.index(b"\0", at)].decode()
    sections = []
    for header in headers:
        content = b"" if header[1] == 8 else data[header[4]:header[4] + header[5]]
        sections.append((text(header[0], table), header[1], header[6], header[7], content))
    return sections, text, headers


def read_cubin(cubin, sass):
    """The kernels of a cubin, by name. sass is what cuobjdump -sass prints of it."""
    sections, text, headers = _elf(cubin)
    contents = {name: content for name, _, _, _, content in sections}
    at, memory = {}, {}
    place = GLOBALS
    for index, (name, *_, content) in enumerate(sections):
        if name.startswith((".nv.global", ".nv.constant3")):
            at[index] = place
            for offset in range(0, len(content) - 3, 4):
                memory[place + offset] = int.from_bytes(content[offset:offset + 4], "little")
            place += len(content) + 4096 & ~255
    symbols = []
    for name, kind, link, _, content in sections:
        if kind == 2:
            symbols = [struct.unpack_from("<IBBHQQ", content, o) for o in range(0, len(content), 24)]
    for name, kind, _, info, content in sections:
        if kind == 9 and sections[info][0].startswith(".nv.constant"):
            target = sections[info][0]
            patched = bytearray(contents[target])
            for offset in range(0, len(content), 16):
                where, how = struct.unpack_from("<QQ", content, offset)
                symbol = symbols[how >> 32]
                if how & MASK == 2 and symbol[3] in at:  # R_CUDA_64
                    patched[where:where + 8] = struct.pack("<Q", at[symbol[3]] + symbol[4])
            contents[target] = bytes(patched)
    kernels = {}
    for part in re.split(r"\n\s*Function : ", sass)[1:]:
        name = part.split("\n", 1)[0].strip()
        lines = [(int(m[1], 16), (m[2] or "", m[3] or "", m[4], m[5]))
                 for m in map(_LINE.match, part.split("\n")) if m]
        banks = {number: contents.get(f".nv.constant{number}.{name}",
                                      contents.get(f".nv.constant{number}", b""))
                 for number in range(5)}
        kernels[name] = Kernel(name, lines, banks, memory)
    return kernels
