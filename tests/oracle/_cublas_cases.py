"""cuBLAS's calls for cublas_scipy.py: their arguments, and what scipy and numpy make of the same numbers, in double
precision. A call's words name its arguments in order; those in parentheses are only known here."""
import dataclasses
import itertools

import numpy as np
import scipy.linalg.blas as blas
import scipy.linalg.lapack as lapack

LOWER, UPPER = 0, 1
choices = {"fill": [LOWER, UPPER], "side": [0, 1], "op": [0, 1, 2], "opa": [0, 1, 2], "opb": [0, 1, 2], "diag": [0, 1]}
# Letters: the types of factors, of what is read, of what is written, and of real parts; cudaDataType_t's numbers.
types = {"S": ("float",) * 4, "D": ("double",) * 4, "C": ("cuComplex",) * 3 + ("float",),
         "Z": ("cuDoubleComplex",) * 3 + ("double",), "HSH": ("float", "__half", "__half", "float"),
         "HSS": ("float", "__half", "float", "float"), "TST": ("float", "brain", "brain", "float"),
         "TSS": ("float", "brain", "float", "float"), "H": ("float", "__half", "__half", "__half"),
         "B": ("float", "brain", "brain", "brain")}
data_type = {"float": 0, "double": 1, "__half": 2, "cuComplex": 4, "cuDoubleComplex": 5, "brain": 14}
precision = {"float": 2.0**-23, "cuComplex": 2.0**-23, "double": 2.0**-52, "cuDoubleComplex": 2.0**-52,
             "__half": 2.0**-10, "brain": 2.0**-7}


@dataclasses.dataclass
class Call:
    name: str       # with {} for the letter
    letters: list
    words: str
    shapes: dict    # of each pointer: a function of the case that gives ("matrix", rows, columns), ("vector", n), ("flat", n)
    written: str
    compute: object
    near_one: bool = False
    ops: tuple = ()
    has_wide: bool = True
    in_graphs: bool = True
    overwrites: bool = False  # what is written is never read
    reals: str = ""     # pointers and factors of the real type
    on_host: str = ""   # results that lie where the handle says


class Case:
    """The numbers of one call. c["x"] is the vector or matrix that the call sees of a buffer; c.put writes one."""

    def __init__(self, call, letter, values, buffers):
        self.__dict__.update(values)
        self.call, self.letter, self.buffers = call, letter, buffers
        self.low = getattr(self, "fill", None) == LOWER

    def f(self, name):
        prefix = "z" if np.iscomplexobj(next(iter(self.buffers.values()))) else "d"
        return getattr(blas, prefix + name)

    def lapack(self, name):
        return getattr(lapack, ("z" if np.iscomplexobj(self.buffers["a"]) else "d") + name)

    def places(self, word):
        kind, *sizes = self.call.shapes[word](self)
        base = np.arange(len(self.buffers[word]))
        if kind == "flat":
            return base[:sizes[0]]
        if kind == "vector":
            step = getattr(self, "inc" + word)
            return (0 if step > 0 else (1 - sizes[0]) * step) + step * np.arange(sizes[0])
        rows, columns = sizes
        return np.arange(rows)[:, None] + getattr(self, "ld" + word) * np.arange(columns)[None, :]

    def __getitem__(self, word):
        return np.asfortranarray(self.buffers[word][self.places(word)])

    def put(self, word, numbers):
        self.buffers[word][self.places(word)] = numbers


def operated(a, op):
    return a if op == 0 else a.T if op == 1 else a.conj().T


def vector(n):
    return lambda c: ("vector", getattr(c, n))


def square(n="n"):
    return lambda c: ("matrix", getattr(c, n), getattr(c, n))


def matrix(rows, columns):
    return lambda c: ("matrix", getattr(c, rows), getattr(c, columns))


def packed(c):
    return "flat", c.n * (c.n + 1) // 2


def flat(n):
    return lambda c: ("flat", n)


def length(c, op="op"):
    """Of gemv's x and y."""
    return (c.n, c.m) if getattr(c, op) == 0 else (c.m, c.n)


gemv_vectors = {"x": lambda c: ("vector", length(c)[0]), "y": lambda c: ("vector", length(c)[1])}


def ranked(c):
    """A and B of an update of rank k."""
    return ("matrix", c.n, c.k) if c.op == 0 else ("matrix", c.k, c.n)


calls = []


def add(name, letters, words, shapes, written, compute, **more):
    calls.append(Call(name, letters.split(), words, shapes, written, compute, **more))


# Level 1.
xy = {"x": vector("n"), "y": vector("n")}


def do_axpy(c):
    c.put("y", c.alpha * c["x"] + c["y"])


def do_scal(c):
    if c.incx > 0:
        c.put("x", c.alpha * c["x"])


def do_copy(c):
    c.put("y", c["x"])


def do_swap(c):
    x, y = c["x"], c["y"]
    c.put("x", y)
    c.put("y", x)


def do_dot(kind):
    return lambda c: c.put("r", c.f(kind)(c["x"], c["y"]))


def do_nrm2(c):
    c.put("r", np.linalg.norm(c["x"]) if c.incx > 0 else 0)


def do_asum(c):
    x = c["x"]
    c.put("r", np.sum(np.abs(x.real) + np.abs(x.imag)) if c.incx > 0 else 0)


def do_rot(c):
    x, y, cosine, sine = c["x"], c["y"], c.cosine, c.sine
    c.put("x", cosine * x + sine * y)
    c.put("y", cosine * y - np.conj(sine) * x)


def do_rotm(c):
    x, y = blas.drotm(c["x"], c["y"], c["p"])
    c.put("x", x)
    c.put("y", y)


def do_rotg(c):
    """scipy gives c and s alone; with them a and b are turned."""
    a, b = c["a"][0], c["b"][0]
    cosine, sine = c.f("rotg")(a, b)
    if np.iscomplexobj(a) and a == 0:  # the reference of BLAS before LAPACK 3.10; OpenBLAS turns b to a real number
        cosine, sine = 0, 1
    c.put("cosine", np.real(cosine))
    c.put("sine", sine)
    c.put("a", cosine * a + sine * b)
    if not np.iscomplexobj(a):
        c.put("b", sine if abs(a) > abs(b) else 0 if b == 0 else 1 / cosine if cosine != 0 else 1)


def do_rotmg(c):
    """scipy gives the parameters alone. Those that their flag fixes stay as they were. What the matrix H does to the
    numbers tells the others: x1 becomes its first row, and D what keeps the sums of H' D H."""
    d1, d2, x1, y1 = (float(c[w][0]) for w in ("d1", "d2", "x1", "y1"))
    made = blas.drotmg(d1, d2, x1, y1)
    flag = made[0]
    places = {-2: [], -1: [1, 2, 3, 4], 0: [2, 3], 1: [1, 4]}[int(flag)]
    p = c["p"]
    p[0] = flag
    p[places] = made[places]
    c.put("p", p)
    if flag == -2:
        return
    h = np.array({-1: [[made[1], made[3]], [made[2], made[4]]], 0: [[1, made[3]], [made[2], 1]],
                  1: [[made[1], 1], [-1, made[4]]]}[int(flag)])
    if not h.any():
        for w in "d1", "d2", "x1":
            c.put(w, 0)
        return
    inverse = np.linalg.inv(h)
    diagonal = (inverse.T @ np.diag([d1, d2]) @ inverse).diagonal()
    c.put("x1", h[0] @ [x1, y1])
    c.put("d1", diagonal[0])
    c.put("d2", diagonal[1])


one = {"r": flat(1)}
add("cublas{}axpy", "S D C Z", "n alpha x incx y incy", xy, "y", do_axpy)
add("cublas{}scal", "S D C Z", "n alpha x incx", xy, "x", do_scal)
add("cublas{}scal", "Cs Zd", "n alpha x incx", xy, "x", do_scal, reals="alpha")
add("cublas{}copy", "S D C Z", "n x incx y incy", xy, "y", do_copy, overwrites=True)
add("cublas{}swap", "S D C Z", "n x incx y incy", xy, "x y", do_swap)
add("cublas{}dot", "S D", "n x incx y incy r", xy | one, "r", do_dot("dot"), on_host="r", overwrites=True)
add("cublas{}dotu", "C Z", "n x incx y incy r", xy | one, "r", do_dot("dotu"), on_host="r", overwrites=True)
add("cublas{}dotc", "C Z", "n x incx y incy r", xy | one, "r", do_dot("dotc"), on_host="r", overwrites=True)
add("cublas{}nrm2", "S D Sc Dz", "n x incx r", xy | one, "r", do_nrm2, reals="r", on_host="r", overwrites=True)
add("cublas{}asum", "S D Sc Dz", "n x incx r", xy | one, "r", do_asum, reals="r", on_host="r", overwrites=True)
add("cublas{}rot", "S D C Z", "n x incx y incy cosine sine", xy, "x y", do_rot, reals="cosine")
add("cublas{}rot", "Cs Zd", "n x incx y incy cosine sine", xy, "x y", do_rot, reals="cosine sine")
every = "S D C Z H B"
add("cublas{}rotm", "S D", "n x incx y incy p=", xy | {"p": flat(5)}, "x y", do_rotm)
add("cublasRotmEx", "S D", "n x tx incx y tx incy p= tx tf", xy | {"p": flat(5)}, "x y", do_rotm)
turned = {"a": flat(1), "b": flat(1), "cosine": flat(1), "sine": flat(1)}
add("cublas{}rotg", "S D C Z", "a= b= cosine= sine=", turned, "a b cosine sine", do_rotg, reals="cosine", has_wide=False)
add("cublasRotgEx", "S D", "a= b= tx cosine= sine= tx tf", turned, "a b cosine sine", do_rotg, has_wide=False)
scaled = {"d1": flat(1), "d2": flat(1), "x1": flat(1), "y1": flat(1), "p": flat(5)}
add("cublas{}rotmg", "S D", "d1= d2= x1= y1= p=", scaled, "d1 d2 x1 p", do_rotmg, has_wide=False)
add("cublasRotmgEx", "S D", "d1= tx d2= tx x1= tx y1= tx p= tx tf", scaled, "d1 d2 x1 p", do_rotmg, has_wide=False)
add("cublasAxpyEx", every, "n alpha tf x tx incx y tx incy tf", xy, "y", do_axpy)
add("cublasScalEx", every, "n alpha tf x tx incx tf", xy, "x", do_scal)
add("cublasCopyEx", every, "n x tx incx y tx incy", xy, "y", do_copy, overwrites=True)
add("cublasSwapEx", every, "n x tx incx y tx incy", xy, "x y", do_swap)
add("cublasDotEx", "S D H B", "n x tx incx y tx incy r tx tf", xy | one, "r", do_dot("dot"), on_host="r", overwrites=True)
add("cublasDotEx", "C Z", "n x tx incx y tx incy r tx tf", xy | one, "r", do_dot("dotu"), on_host="r", overwrites=True)
add("cublasDotcEx", "C Z", "n x tx incx y tx incy r tx tf", xy | one, "r", do_dot("dotc"), on_host="r", overwrites=True)
add("cublasNrm2Ex", every, "n x tx incx r tr tf", xy | one, "r", do_nrm2, reals="r", on_host="r", overwrites=True)
add("cublasAsumEx", every, "n x tx incx r tr tf", xy | one, "r", do_asum, reals="r", on_host="r", overwrites=True)
add("cublasRotEx", every, "n x tx incx y tx incy cosine sine tr tf", xy, "x y", do_rot, reals="cosine sine")

# Matrices and vectors.


def do_gemv(c):
    c.put("y", c.f("gemv")(c.alpha, c["a"], c["x"], c.beta, c["y"], trans=c.op))


def do_gbmv(c):
    """scipy's gbmv wants more rows than diagonals."""
    band, full = c["a"], np.zeros((c.m, c.n), c["a"].dtype, order="F")
    for i, j in np.ndindex(full.shape):
        if -c.ku <= i - j <= c.kl:
            full[i, j] = band[c.ku + i - j, j]
    c.put("y", c.f("gemv")(c.alpha, full, c["x"], c.beta, c["y"], trans=c.op))


def each_of(compute):
    """For the members of a batch."""
    def of_all(c):
        for i in range(c.count):
            own = {w: numbers[i * getattr(c, "s" + w):] for w, numbers in c.buffers.items()}
            compute(Case(c.call, c.letter, c.__dict__, own))
    return of_all


def do_ger(name):
    return lambda c: c.put("a", c.f(name)(c.alpha, c["x"], c["y"], a=c["a"]))


batch = {"a": matrix("m", "n"), **gemv_vectors}
add("cublas{}gemv", "S D C Z", "op m n alpha a lda x incx beta y incy", batch, "y", do_gemv)
add("cublas{}gbmv", "S D C Z", "op m n kl ku alpha a lda x incx beta y incy",
    {"a": lambda c: ("matrix", c.kl + c.ku + 1, c.n), **gemv_vectors}, "y", do_gbmv)
add("cublas{}gemvStridedBatched", "S D C Z HSH HSS TST TSS", "op m n alpha a lda sa x incx sx beta y incy sy count", batch,
    "y", each_of(do_gemv))
add("cublas{}gemvBatched", "S D C Z HSH HSS TST TSS", "op m n alpha a* (sa) lda x* (sx) incx beta y* (sy) incy count", batch,
    "y", each_of(do_gemv))
add("cublas{}ger", "S D", "m n alpha x incx y incy a lda", {"a": matrix("m", "n"), "x": vector("m"), "y": vector("n")}, "a",
    do_ger("ger"))
add("cublas{}geru", "C Z", "m n alpha x incx y incy a lda", {"a": matrix("m", "n"), "x": vector("m"), "y": vector("n")}, "a",
    do_ger("geru"))
add("cublas{}gerc", "C Z", "m n alpha x incx y incy a lda", {"a": matrix("m", "n"), "x": vector("m"), "y": vector("n")}, "a",
    do_ger("gerc"))


def do_symmetric(name):
    def compute(c):
        c.put("y", c.f(name)(c.alpha, c["a"], c["x"], beta=c.beta, y=c["y"], lower=c.low))
    return compute


def do_banded_symmetric(name):
    def compute(c):
        c.put("y", c.f(name)(c.k, c.alpha, c["a"], c["x"], beta=c.beta, y=c["y"], lower=c.low))
    return compute


def do_packed_symmetric(name):
    def compute(c):
        c.put("y", c.f(name)(c.n, c.alpha, c["a"], c["x"], beta=c.beta, y=c["y"], lower=c.low))
    return compute


def full_symmetric(c):
    """numpy's product, for the complex symmetric ones that BLAS lacks."""
    a = c["a"]
    half = np.tril(a) if c.low else np.triu(a)
    c.put("y", c.alpha * (half + half.T - np.diag(np.diag(a))) @ c["x"] + (c.beta * c["y"] if c.beta != 0 else 0))


def half_of(c, numbers, old):
    return np.where(np.tri(len(old), dtype=bool) if c.low else np.tri(len(old), dtype=bool).T, numbers, old)


def do_square(name):
    return lambda c: c.put("a", c.f(name)(c.alpha, c["x"], lower=c.low, a=c["a"]))


def do_double_square(name):
    return lambda c: c.put("a", c.f(name)(c.alpha, c["x"], c["y"], lower=c.low, a=c["a"]))


def complex_double_square(c):
    x, y, a = c["x"], c["y"], c["a"]
    c.put("a", half_of(c, a + c.alpha * (np.outer(x, y) + np.outer(y, x)), a))


def do_packed_square(name):
    return lambda c: c.put("a", c.f(name)(c.n, c.alpha, c["x"], c["a"], lower=c.low))


def do_packed_double_square(name):
    return lambda c: c.put("a", c.f(name)(c.n, c.alpha, c["x"], c["y"], c["a"], lower=c.low))


def banded(c):
    return "matrix", c.k + 1, c.n


for names, letters in (("sy sp sb", "S D"), ("he hp hb", "C Z")):
    plain, pack, band = names.split()
    real = {"reals": "alpha"} if plain == "he" else {}
    add(f"cublas{{}}{plain}mv", letters, "fill n alpha a lda x incx beta y incy", {"a": square(), **xy}, "y",
        do_symmetric(plain + "mv"))
    add(f"cublas{{}}{pack}mv", letters, "fill n alpha a x incx beta y incy", {"a": packed, **xy}, "y",
        do_packed_symmetric(pack + "mv"))
    add(f"cublas{{}}{band}mv", letters, "fill n k alpha a lda x incx beta y incy", {"a": banded, **xy}, "y",
        do_banded_symmetric(band + "mv"))
    add(f"cublas{{}}{plain}r", letters, "fill n alpha x incx a lda", {"a": square(), **xy}, "a", do_square(plain + "r"), **real)
    add(f"cublas{{}}{plain}r2", letters, "fill n alpha x incx y incy a lda", {"a": square(), **xy}, "a",
        do_double_square(plain + "r2"))
    add(f"cublas{{}}{pack}r", letters, "fill n alpha x incx a", {"a": packed, **xy}, "a", do_packed_square(pack + "r"), **real)
    add(f"cublas{{}}{pack}r2", letters, "fill n alpha x incx y incy a", {"a": packed, **xy}, "a",
        do_packed_double_square(pack + "r2"))
add("cublas{}symv", "C Z", "fill n alpha a lda x incx beta y incy", {"a": square(), **xy}, "y", full_symmetric)
add("cublas{}syr", "C Z", "fill n alpha x incx a lda", {"a": square(), **xy}, "a", do_square("syr"))
add("cublas{}syr2", "C Z", "fill n alpha x incx y incy a lda", {"a": square(), **xy}, "a", complex_double_square)


def do_triangle(name, *first):
    def compute(c):
        c.put("x", c.f(name)(*[getattr(c, word) for word in first], c["a"], c["x"], lower=c.low, trans=c.op, diag=c.diag))
    return compute


for kind in "mv", "sv":
    solves = {"near_one": kind == "sv"}
    add(f"cublas{{}}tr{kind}", "S D C Z", "fill op diag n a lda x incx", {"a": square(), "x": vector("n")}, "x",
        do_triangle("tr" + kind), **solves)
    add(f"cublas{{}}tp{kind}", "S D C Z", "fill op diag n a x incx", {"a": packed, "x": vector("n")}, "x",
        do_triangle("tp" + kind, "n"), **solves)
    add(f"cublas{{}}tb{kind}", "S D C Z", "fill op diag n k a lda x incx", {"a": banded, "x": vector("n")}, "x",
        do_triangle("tb" + kind, "k"), **solves)

# Matrices.


def operand(op, rows, columns):
    return lambda c: ("matrix", *((getattr(c, rows), getattr(c, columns)) if getattr(c, op) == 0
                                  else (getattr(c, columns), getattr(c, rows))))


def do_gemm(c):
    made = c.alpha * operated(c["a"], c.opa) @ operated(c["b"], c.opb)
    c.put("c", made + (c.beta * c["c"] if c.beta != 0 else 0))


product = {"a": operand("opa", "m", "k"), "b": operand("opb", "k", "n"), "c": matrix("m", "n")}
add("cublas{}gemm", "S D C Z", "opa opb m n k alpha a lda b ldb beta c ldc", product, "c", do_gemm)
add("cublas{}gemm3m", "C Z", "opa opb m n k alpha a lda b ldb beta c ldc", product, "c", do_gemm)
add("cublas{}Batched", "Sgemm Dgemm Cgemm Zgemm Cgemm3m", "opa opb m n k alpha a* (sa) lda b* (sb) ldb beta c* (sc) ldc count",
    product, "c", each_of(do_gemm))
add("cublas{}StridedBatched", "Sgemm Dgemm Cgemm Zgemm Cgemm3m",
    "opa opb m n k alpha a lda sa b ldb sb beta c ldc sc count", product, "c", each_of(do_gemm))
for name in "CgemmEx", "Cgemm3mEx":
    add("cublas" + name, "C", "opa opb m n k alpha a tx lda b tx ldb beta c tx ldc", product, "c", do_gemm)


def do_geam(c):
    made = 0
    if c.alpha != 0:
        made = c.alpha * operated(c["a"], c.opa)
    if c.beta != 0:
        made = made + c.beta * operated(c["b"], c.opb)
    c.put("c", made)


def do_dgmm(c):
    c.put("c", c["x"][:, None] * c["a"] if c.side == 0 else c["a"] * c["x"][None, :])


add("cublas{}geam", "S D C Z", "opa opb m n alpha a lda beta b ldb c ldc",
    {"a": operand("opa", "m", "n"), "b": operand("opb", "m", "n"), "c": matrix("m", "n")}, "c", do_geam, overwrites=True)
add("cublas{}dgmm", "S D C Z", "side m n a lda x incx c ldc",
    {"a": matrix("m", "n"), "c": matrix("m", "n"), "x": lambda c: ("vector", c.n if c.side else c.m)}, "c", do_dgmm, overwrites=True)
add("cublas{}tpttr", "S D C Z", "fill n p a lda", {"p": packed, "a": square()}, "a",
    lambda c: c.put("a", half_of(c, c.lapack("tpttr")(c.n, c["p"], uplo="UL"[c.low])[0], c["a"])), has_wide=False, overwrites=True)
add("cublas{}trttp", "S D C Z", "fill n a lda p", {"p": packed, "a": square()}, "p",
    lambda c: c.put("p", c.lapack("trttp")(c["a"], uplo="UL"[c.low])[0]), has_wide=False, overwrites=True)


def sided(c):
    return ("matrix", c.n, c.n) if c.side else ("matrix", c.m, c.m)


def do_mm(name):
    return lambda c: c.put("c", c.f(name)(c.alpha, c["a"], c["b"], c.beta, c["c"], side=c.side, lower=c.low))


def do_rank(name):
    return lambda c: c.put("c", c.f(name)(c.alpha, c["a"], c.beta, c["c"], trans=c.op, lower=c.low))


def do_double_rank(name):
    return lambda c: c.put("c", c.f(name)(c.alpha, c["a"], c["b"], c.beta, c["c"], trans=c.op, lower=c.low))


def do_rank_x(hermitian):
    def compute(c):
        if c.alpha == 0 and c.beta == 1:  # as of BLAS's updates, nothing is done
            return
        a, b = operated(c["a"], c.op), operated(c["b"], c.op)
        old = c["c"]
        new = c.alpha * a @ (b.conj().T if hermitian else b.T) + (c.beta * old if c.beta != 0 else 0)
        if hermitian:
            new[np.diag_indices(c.n)] = new.diagonal().real
        c.put("c", half_of(c, new, old))
    return compute


updated = {"a": ranked, "b": ranked, "c": square()}
for name, letters, ops in (("sy", "S D", (0, 1, 2)), ("sy", "C Z", (0, 1)), ("he", "C Z", (0, 2))):
    he = name == "he"
    add(f"cublas{{}}{name}mm", letters, "side fill m n alpha a lda b ldb beta c ldc",
        {"a": sided, "b": matrix("m", "n"), "c": matrix("m", "n")}, "c", do_mm(name + "mm"))
    add(f"cublas{{}}{name}rk", letters, "fill op n k alpha a lda beta c ldc", updated, "c", do_rank(name + "rk"), ops=ops,
        reals="alpha beta" if he else "")
    add(f"cublas{{}}{name}r2k", letters, "fill op n k alpha a lda b ldb beta c ldc", updated, "c", do_double_rank(name + "r2k"),
        ops=ops, reals="beta" if he else "")
    add(f"cublas{{}}{name}rkx", letters, "fill op n k alpha a lda b ldb beta c ldc", updated, "c", do_rank_x(he), ops=ops,
        reals="beta" if he else "")
for name in "CsyrkEx", "Csyrk3mEx", "CherkEx", "Cherk3mEx":
    he = name[1] == "h"
    add("cublas" + name, "C", "fill op n k alpha a tx lda beta c tx ldc", updated, "c", do_rank("herk" if he else "syrk"),
        ops=(0, 2) if he else (0, 1), reals="alpha beta" if he else "")
add("cublas{}trmm", "S D C Z", "side fill op diag m n alpha a lda b ldb c ldc",
    {"a": sided, "b": matrix("m", "n"), "c": matrix("m", "n")}, "c",
    lambda c: c.put("c", c.f("trmm")(c.alpha, c["a"], c["b"], side=c.side, lower=c.low, trans_a=c.op, diag=c.diag)), overwrites=True)
add("cublas{}trsm", "S D C Z", "side fill op diag m n alpha a lda b ldb", {"a": sided, "b": matrix("m", "n")}, "b",
    lambda c: c.put("b", c.f("trsm")(c.alpha, c["a"], c["b"], side=c.side, lower=c.low, trans_a=c.op, diag=c.diag)),
    near_one=True)
add("cublas{}trsmBatched", "S D C Z", "side fill op diag m n alpha a* (sa) lda b* (sb) ldb count",
    {"a": sided, "b": matrix("m", "n")}, "b", each_of(
        lambda c: c.put("b", c.f("trsm")(c.alpha, c["a"], c["b"], side=c.side, lower=c.low, trans_a=c.op, diag=c.diag))),
    near_one=True)


def modes(call):
    """All choices of triangles, operations and sides."""
    words = [w for w in call.words.split() if w in choices]
    for values in itertools.product(*[call.ops if w == "op" and call.ops else choices[w] for w in words]):
        yield dict(zip(words, values))
