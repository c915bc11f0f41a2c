import array
import os
import random

os.makedirs("data", exist_ok=True)
draw = random.Random(42)
n = @N@
a = array.array("f", [1.75])
x = array.array("f", [draw.uniform(-1, 1) for _ in range(n)])
y = array.array("f", [draw.uniform(-1, 1) for _ in range(n)])
out = array.array("f", [a[0] * u + v for u, v in zip(x, y)])
for name, values in (("a", a), ("x", x), ("y", y), ("out_ref", out)):
    with open(f"data/{name}.bin", "wb") as file:
        values.tofile(file)
