#!/usr/bin/env python3
"""Writes lib/text/unicode_tables.inc, the character classes and NFC data of lib/text.

    python3 -m pip install unicodedata2==16.0.0
    python3 setup/unicode_tables.py > lib/text/unicode_tables.inc

The oracle is Hugging Face's `tokenizers` 0.23, which knows three Unicode versions at once; each table
follows the part that it stands for (tests/oracle/tokenizer_unicode.py checks every code point):
  \\p{L} \\p{N} \\p{P} \\s   Unicode 16, Oniguruma's
  Digits                  Unicode 17, the Rust standard library's char::is_numeric
  NFC                     Unicode 9, the crate unicode-normalization-alignments
"""
import sys
import unicodedata2 as ucd

if ucd.unidata_version != "16.0.0":
    sys.exit(f"unicodedata2 16.0.0 is needed, this is {ucd.unidata_version}")

LETTER, NUMBER, PUNCTUATION, SPACE, NUMERIC, NFC_ACTIVE = 1, 2, 4, 8, 16, 32
CODE_POINTS = 0x110000

# \s of Oniguruma: the 25 code points of White_Space.
SPACES = {*range(0x9, 0xE), 0x20, 0x85, 0xA0, 0x1680, *range(0x2000, 0x200B), 0x2028, 0x2029, 0x202F,
          0x205F, 0x3000}

# Numeric characters that came with Unicode 17.
NUMERIC_17 = {*range(0x11DE0, 0x11DEA), 0x16FF4, 0x16FF5, 0x16FF6}

# Characters younger than Unicode 9 that have a combining class or a canonical decomposition: for the
# oracle's NFC these do nothing.
AFTER_UNICODE_9 = """
7FD 897-89F 8CA-8D3 9FE C3C D3B-D3C EBA 1715 1ABF-1ACE 1DF6-1DFA A82C 10D24-10D27 10D69-10D6D
10EAB-10EAC 10EFD-10EFF 10F46-10F50 10F82-10F85 11070 1133B 113CE-113D0 1145E 11839-1183A
1193D-1193E 11943 119E0 11A34 11A47 11A99 11D42 11D44-11D45 11D97 11F41-11F42 1612F 16FF0-16FF1
1E08F 1E130-1E136 1E2AE 1E2EC-1E2EF 1E4EC-1E4EF 1E5EE-1E5EF
105C9 105E4 11383 11385 1138E 11391 113C5 113C7-113C8 11938 16121-16128 16D68-16D6A
"""
after_9 = set()
for item in AFTER_UNICODE_9.split():
    first, _, last = item.partition("-")
    after_9.update(range(int(first, 16), int(last or first, 16) + 1))


def combining_class(c):
    return 0 if c in after_9 else ucd.combining(chr(c))


decomposition = {}  # canonical, one level, without Hangul
for c in range(CODE_POINTS):
    mapping = ucd.decomposition(chr(c))
    if mapping and not mapping.startswith("<") and c not in after_9:
        decomposition[c] = [int(part, 16) for part in mapping.split()]
# A pair composes unless the composite is excluded from composition: it then decomposes in NFC too.
composition = {tuple(parts): c for c, parts in decomposition.items()
               if len(parts) == 2 and ucd.normalize("NFC", chr(c)) == chr(c)}
seconds = {b for _, b in composition} | {*range(0x1161, 0x1176), *range(0x11A8, 0x11C3)}


def flags(c):
    category = ucd.category(chr(c))[0]
    bits = {"L": LETTER, "N": NUMBER | NUMERIC, "P": PUNCTUATION}.get(category, 0)
    if c in SPACES:
        bits |= SPACE
    if c in NUMERIC_17:
        bits |= NUMERIC
    changes = c in decomposition and c not in composition.values()
    if combining_class(c) or changes or c in seconds:
        bits |= NFC_ACTIVE
    return bits


blocks, index = [], []
for start in range(0, CODE_POINTS, 256):
    block = bytes(0 if 0xD800 <= c <= 0xDFFF else flags(c) for c in range(start, start + 256))
    if block not in blocks:
        blocks.append(block)
    index.append(blocks.index(block))
assert len(blocks) <= 256

classes, last = [], None
for c in range(CODE_POINTS):
    k = combining_class(c)
    if k and last and last[1] == c - 1 and last[2] == k:
        last[1] = c
    elif k:
        last = [c, c, k]
        classes.append(last)


def rows(values, per_line):
    for i in range(0, len(values), per_line):
        print("    " + ", ".join(values[i:i + per_line]) + ",")


print("// Made by setup/unicode_tables.py; do not edit. The script says which Unicode version each is.")
print("// clang-format off")
print(f"constexpr std::uint8_t class_index[{len(index)}] = {{")
rows([str(i) for i in index], 32)
print(f"}};\nconstexpr std::uint8_t class_blocks[{len(blocks)}][256] = {{")
for block in blocks:
    print("  {")
    rows([str(b) for b in block], 32)
    print("  },")
print(f"}};\nconstexpr combining_range combining_ranges[{len(classes)}] = {{")
rows([f"{{{a:#x}, {b:#x}, {k}}}" for a, b, k in classes], 5)
print(f"}};\nconstexpr decomposition_entry decompositions[{len(decomposition)}] = {{")
rows([f"{{{c:#x}, {p[0]:#x}, {p[1] if len(p) > 1 else 0:#x}}}" for c, p in sorted(decomposition.items())], 4)
print(f"}};\nconstexpr composition_entry compositions[{len(composition)}] = {{")
rows([f"{{{a:#x}, {b:#x}, {c:#x}}}" for (a, b), c in sorted(composition.items())], 4)
print("};\n// clang-format on")
