with open("data/counts.bin", "rb") as file:
    counts = file.read()
with open("data/counts_ref.bin", "rb") as file:
    reference = file.read()
print("T" if counts == reference else "F")
