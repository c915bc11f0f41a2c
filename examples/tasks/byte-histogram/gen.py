import array
import os
import random

os.makedirs("data", exist_ok=True)
draw = random.Random(3)
data = bytes(min(255, int(draw.expovariate(0.02))) for _ in range(@N@))
counts = array.array("I", [0] * 256)
for value in data:
    counts[value] += 1
with open("data/bytes.bin", "wb") as file:
    file.write(data)
with open("data/counts_ref.bin", "wb") as file:
    counts.tofile(file)
