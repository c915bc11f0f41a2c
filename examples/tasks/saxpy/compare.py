import array


def read(name):
    with open(f"data/{name}.bin", "rb") as file:
        return array.array("f", file.read())


out, reference = read("out"), read("out_ref")
same = len(out) == len(reference) and all(abs(u - v) <= 1e-5 for u, v in zip(out, reference))
print("T" if same else "F")
