import array
import math
import os
import random

os.makedirs("data", exist_ok=True)
draw = random.Random(7)
x, out = array.array("f"), array.array("f")
for _ in range(@ROWS@):
    row = array.array("f", [draw.gauss(0, 4) for _ in range(@COLUMNS@)])
    top = max(row)
    powers = [math.exp(v - top) for v in row]
    total = math.fsum(powers)
    x.extend(row)
    out.extend(p / total for p in powers)
for name, values in (("x", x), ("out_ref", out)):
    with open(f"data/{name}.bin", "wb") as file:
        values.tofile(file)
