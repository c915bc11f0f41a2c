"""Runs a problem of KernelBench and an answer to it. The judge adds a call of reference(), answer() or compare() at
the end and runs each in a sandbox of its own, so that the three share nothing but the files of data/:

reference() runs the problem's Model: it writes init.bin, inputs_K.bin and reference_K.bin for each trial K.
answer()    runs the answer's ModelNew on the first two, and writes outputs_K.bin. No reference is where it runs.
compare()   reads reference_K.bin and outputs_K.bin as data, and prints T, or what differs and F.
"""

import contextlib
import ctypes
import importlib.util
import json
import os
import sys
import types

import torch

FIRST_SEED, TRIALS = 42, 5
CHANNEL = 7  # of the judge's sandbox
LONGEST_HEADER = 1 << 24
CHUNK = 1 << 22  # elements that are compared at a time


def chosen_device():
    # Only a test without a GPU sets the variable: the judge starts this with an environment of its own.
    name = os.environ.get("CUSET_TEST_DEVICE", "cuda")
    if name == "cuda" and not torch.cuda.is_available():
        sys.exit(f"PyTorch {torch.__version__} finds no GPU")
    return torch.device(name)


def seed_all(seed):
    torch.manual_seed(seed)
    if torch.cuda.is_available():
        torch.cuda.manual_seed(seed)


def seeds_of_trials():
    torch.manual_seed(FIRST_SEED)
    return [int(torch.randint(0, 2**32 - 1, (1,))) for _ in range(TRIALS)]


def problem_of(code):
    """The names that the problem's module defines."""
    module = types.ModuleType("problem")
    sys.modules["problem"] = module
    exec(compile(code, "problem.py", "exec"), module.__dict__)
    for name in ("Model", "get_inputs", "get_init_inputs"):
        if name not in module.__dict__:
            sys.exit(f"the problem defines no {name}")
    return module.__dict__


# A file holds the length of a header in 8 bytes, the header (JSON), and the bytes of its tensors one after another.

def bytes_of(tensor):
    """A view of the memory of a contiguous tensor on the CPU."""
    size = tensor.numel() * tensor.element_size()
    return (ctypes.c_char * size).from_address(tensor.data_ptr()) if size else b""


def stride_of(tensor):
    """The tensor's stride where it only permutes the dimensions; else nothing."""
    expected = 1
    for step, length in sorted(zip(tensor.stride(), tensor.shape)):
        if length > 1:
            if step != expected:
                return None
            expected *= length
    return list(tensor.stride())


def described(value, tensors):
    if isinstance(value, torch.Tensor):
        if value.layout != torch.strided or value.is_quantized:
            raise TypeError(f"a tensor of {value.layout}, {value.dtype}, is not compared")
        value = value.detach().resolve_conj().resolve_neg()
        tensors.append(value.cpu().contiguous())
        return {"tensor": str(value.dtype).removeprefix("torch."), "shape": list(value.shape),
                "stride": stride_of(value), "device": value.device.type}
    if value is None or isinstance(value, (bool, int, float, str)):
        return {"value": value}
    if isinstance(value, torch.dtype):
        return {"dtype": str(value).removeprefix("torch.")}
    if isinstance(value, (list, tuple)):
        return {"items": [described(v, tensors) for v in value], "tuple": isinstance(value, tuple)}
    if isinstance(value, dict):
        return {"members": [[described(k, tensors), described(v, tensors)] for k, v in value.items()]}
    raise TypeError(f"a {type(value).__name__} is neither a tensor, a number, a text nor a container of them")


def write_value(path, value):
    tensors = []
    header = json.dumps(described(value, tensors)).encode()
    with open(path + ".part", "wb") as file:
        file.write(len(header).to_bytes(8, "little") + header)
        for tensor in tensors:
            file.write(bytes_of(tensor))
    os.replace(path + ".part", path)


def read_header(file):
    length = int.from_bytes(file.read(8), "little")
    if length > LONGEST_HEADER:
        raise ValueError("its header is too long")
    return json.loads(file.read(length).decode())


def dtype_named(name):
    dtype = getattr(torch, name) if isinstance(name, str) else None
    if not isinstance(dtype, torch.dtype):
        raise ValueError("it has a tensor of no dtype")
    return dtype


def read_tensor(file, dtype, count):
    if count == 0:
        return torch.empty(0, dtype=dtype)
    data = bytearray(file.read(count * dtype.itemsize))
    return torch.frombuffer(data, dtype=dtype)


def read_value(path, place):
    """A value that reference() wrote, with its tensors on the device."""
    def made(header):
        if "tensor" in header:
            shape = header["shape"]
            values = read_tensor(file, dtype_named(header["tensor"]), count_of(shape)).reshape(shape)
            if header["stride"] is not None:
                values = torch.empty_strided(shape, header["stride"], dtype=values.dtype).copy_(values)
            return values.to(place)
        if "items" in header:
            items = [made(h) for h in header["items"]]
            return tuple(items) if header["tuple"] else items
        if "members" in header:
            return {made(k): made(v) for k, v in header["members"]}
        return dtype_named(header["dtype"]) if "dtype" in header else header["value"]

    with open(path, "rb") as file:
        return made(read_header(file))


def count_of(shape):
    count = 1
    for length in shape:
        if type(length) is not int or length < 0:
            raise ValueError("it has a tensor of no shape")
        count *= length
    return count


# Running

def built(model, place):
    init = read_value("data/init.bin", place)
    with torch.no_grad():
        seed_all(FIRST_SEED)
        return model(*init).to(place)


def run(model, trial, seed, place):
    inputs = read_value(f"data/inputs_{trial}.bin", place)
    seed_all(seed)
    with torch.no_grad():
        outputs = model(*inputs)
    if place.type == "cuda":
        torch.cuda.synchronize()
    return outputs


def reference(code, tolerance):
    place = chosen_device()
    problem = problem_of(code)
    os.makedirs("data", exist_ok=True)
    seed_all(FIRST_SEED)
    write_value("data/init.bin", list(problem["get_init_inputs"]()))
    seeds = seeds_of_trials()
    model = built(problem["Model"], place)
    for trial, seed in enumerate(seeds, 1):
        seed_all(seed)
        write_value(f"data/inputs_{trial}.bin", list(problem["get_inputs"]()))
        write_value(f"data/reference_{trial}.bin", run(model, trial, seed, place))
    del model
    # No answer could pass where the problem itself would not.
    again = built(problem["Model"], place)
    for trial, seed in enumerate(seeds, 1):
        write_value("again.bin", run(again, trial, seed, place))
        difference = difference_of(f"data/reference_{trial}.bin", "again.bin", tolerance)
        if difference:
            sys.exit(f"Model run twice does not agree with itself: trial {trial} of {TRIALS}: {difference}")
    os.remove("again.bin")


def imported_answer(problem):
    """The answer's module. It sees the problem's names, as it does in the benchmark."""
    spec = importlib.util.spec_from_file_location("answer", os.path.abspath("answer.py"))
    module = importlib.util.module_from_spec(spec)
    sys.modules["answer"] = module
    module.__dict__.update((k, v) for k, v in problem.items() if not k.startswith("__"))
    spec.loader.exec_module(module)
    return module


def tell(word):
    with contextlib.suppress(OSError):
        os.write(CHANNEL, f"{word}\n".encode())


def answer(code):
    """Ends with exit code 0 once all outputs are there. The judge is told when the answer begins to be loaded, and
    when it is."""
    place = chosen_device()
    # What compilers make stays in the sandbox's own folder.
    for variable, folder in (("TORCH_EXTENSIONS_DIR", "extensions"), ("TRITON_CACHE_DIR", "triton"),
                             ("TORCHINDUCTOR_CACHE_DIR", "inductor"), ("CUDA_CACHE_PATH", "cuda")):
        os.environ[variable] = os.path.join(os.getcwd(), "build", folder)
    os.makedirs("build")
    problem, seeds = problem_of(code), seeds_of_trials()
    tell("started")
    model = getattr(imported_answer(problem), "ModelNew", None)
    if model is None:
        sys.exit("the answer defines no ModelNew")
    tell("loaded")
    model = built(model, place)
    for trial, seed in enumerate(seeds, 1):
        write_value(f"data/outputs_{trial}.bin", run(model, trial, seed, place))
    for stream in (sys.stdout, sys.stderr):
        stream.flush()
    os._exit(0)  # a thread of the answer's may not end


# Comparing

def tolerance_of(dtype, given):
    if given is not None:
        return given
    return 1e-2 if dtype.itemsize // (2 if dtype.is_complex else 1) < 4 else 1e-4


def mismatches(a, b, tolerance):
    """Of two pieces: how many values differ, and by how much at most. The second is the answer's."""
    if not (a.dtype.is_floating_point or a.dtype.is_complex):
        return int((a != b).sum()), ""
    wide = torch.complex128 if a.dtype.is_complex else torch.float64
    a, b = a.to(wide), b.to(wide)
    apart = (a - b).abs()
    close = (a == b) | (torch.isfinite(apart) & (apart <= tolerance + tolerance * b.abs()))
    wrong = int((~close).sum())
    return wrong, float(apart[~close].nan_to_num(float("inf")).max()) if wrong else 0.0


def difference_of_tensors(wanted, given, files, tolerance):
    for key, what in (("shape", "shape"), ("tensor", "dtype"), ("device", "device")):
        if wanted[key] != given[key]:
            own, other = (tuple(h[key]) if key == "shape" else h[key] for h in (wanted, given))
            return f"has {what} {other}, not {own}"
    dtype, left, wrong, most = dtype_named(wanted["tensor"]), count_of(wanted["shape"]), 0, 0.0
    count = left
    while left:
        a, b = (read_tensor(file, dtype, min(left, CHUNK)) for file in files)
        if len(a) != len(b):
            return "is cut off"
        more, by = mismatches(a, b, tolerance_of(dtype, tolerance))
        wrong, left = wrong + more, left - len(a)
        most = max(most, by) if by != "" else ""
    if not wrong:
        return ""
    return f"differs in {wrong} of {count} values" + (f", by at most {most:.6g}" if most != "" else "")


def difference(wanted, given, files, tolerance, name="the output"):
    """In what the value that was written with the second header is not the first; empty if it is."""
    kinds = [next((k for k in ("tensor", "value", "items", "members", "dtype") if k in h), "") for h in (wanted, given)]
    if kinds[0] != kinds[1]:
        words = {"tensor": "a tensor", "items": "a sequence", "members": "a dictionary", "value": "a plain value"}
        return f"{name} is {words.get(kinds[1], 'something else')}, not {words.get(kinds[0], 'a dtype')}"
    if kinds[0] == "tensor":
        found = difference_of_tensors(wanted, given, files, tolerance)
        return f"{name} {found}" if found else ""
    if kinds[0] == "items":
        pairs, other = wanted["items"], given["items"]
        inner = [(f"{name}[{i}]", p, o) for i, (p, o) in enumerate(zip(pairs, other))]
    elif kinds[0] == "members":
        pairs, other = wanted["members"], given["members"]
        keys = [[p[0] for p in side] for side in (pairs, other)]
        if keys[0] != keys[1]:
            return f"{name} has other keys, or has them in another order"
        inner = [(f"{name}[{p[0].get('value')!r}]", p[1], o[1]) for p, o in zip(pairs, other)]
    else:
        a, b = wanted[kinds[0]], given[kinds[0]]
        if type(a) is float and type(b) is float:
            t = tolerance_of(torch.float32, tolerance)
            same = a == b or abs(a - b) <= t + t * abs(b) < float("inf")
        else:
            same = type(a) is type(b) and a == b
        return "" if same else f"{name} is {str(b)[:40]}, not {str(a)[:40]}"
    if len(pairs) != len(other):
        return f"{name} has {len(other)} parts, not {len(pairs)}"
    for part, p, o in inner:
        found = difference(p, o, files, tolerance, part)
        if found:
            return found
    return ""


def difference_of(wanted, given, tolerance):
    """The same of two files. Nobody has looked at the second."""
    with open(wanted, "rb") as first, open(given, "rb") as second:
        header = read_header(first)
        try:
            found = difference(header, read_header(second), (first, second), tolerance)
            return found or ("the output has more than it should" if second.read(1) else "")
        except Exception as error:  # the file may be anything
            return f"the output is no file of ModelNew's outputs: {error}"


def compare(tolerance):
    for trial in range(1, TRIALS + 1):
        found = difference_of(f"data/reference_{trial}.bin", f"data/outputs_{trial}.bin", tolerance)
        if found:
            print(f"trial {trial} of {TRIALS}: {found}\nF")
            return
    print("T")
