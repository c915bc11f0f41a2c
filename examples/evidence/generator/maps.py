"""Families in which each thread computes one value from a few others: maps, permutations, stencils."""
from .program import Array, Program, literal

UNIFORM = "[draw.uniform(-2, 2) for _ in range(@COUNT@)]"
SMALL = "[draw.randint(-50, 50) for _ in range(@COUNT@)]"
VALUES = {"float": UNIFORM, "double": UNIFORM, "int": SMALL, "unsigned": "[draw.randint(0, 99) for _ in range(@COUNT@)]"}

FAMILIES = {}  # name -> (role, function)


def family(name, role):
    def enter(function):
        assert name not in FAMILIES
        FAMILIES[name] = (role, function)
        return function

    return enter


def settings(draw, kernels, type_, **more):
    """What the texts of a family may name: arrays, the block and its last thread, the kernel, the type."""
    return {"A": draw.input, "O": draw.output, "S": draw.second, "C": draw.third, "B": draw.block,
            "LAST": draw.block - 1, "K": draw.pick(kernels), "T": type_,
            "BLOCKS": f"{draw.block} threads a block", **more}


def flat(draw, name, kernels, type_, sizes, body, reference, wordings, title, inputs=1, length="n", out="n",
         more=None, before=""):
    """A family of one thread a value, with a bound."""
    values = [Array(n, type_, (length,), VALUES[type_])
              for n in (draw.input, draw.second, draw.third)[:inputs]]
    parameters = ", ".join(f"const @T@* {v.name}" for v in values)
    kernel = f"""{before}__global__ void @K@({parameters}, @T@* @O@) {{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
{body}
}}"""
    arguments = ", ".join(v.name for v in values)
    launch = f"@K@<<<({out} + @LAST@) / @B@, @B@>>>({arguments}, @O@);"
    return Program(name, sizes, values, [Array(draw.output, type_, (out,))], kernel, launch, reference,
                   wordings, title, settings(draw, kernels, type_, **(more or {})),
                   draw.integer(0, len(wordings) - 1))


@family("affine", "warm")
def affine(draw):
    t, m, c = draw.pick(["float", "int"]), draw.integer(2, 9), draw.integer(1, 9)
    return flat(draw, "affine", ["affine", "scale_shift", "linear"], t, {"n": draw.size(200, 3000)},
                "    if (i < n) @O@[i] = @M@ * @A@[i] + @P@;", "y = [@m@ * v + @p@ for v in x]",
                ["Compute @O@[i] = @m@ * @A@[i] + @p@ for @n@ values.",
                 "Multiply each of the @n@ values of @A@ by @m@, add @p@, and store the results in @O@.",
                 "@O@ is @m@ times @A@ plus @p@, element by element; both have @n@ values."],
                "Scale and shift an array",
                more={"M": literal(t, m), "P": literal(t, c), "m": m, "p": c})


UNARY = [("the square", "@A@[i] * @A@[i]", "v * v"),
         ("the absolute value", "@A@[i] < 0 ? -@A@[i] : @A@[i]", "abs(v)"),
         ("the negative", "-@A@[i]", "-v"),
         ("the positive part, max(value, 0),", "@A@[i] > 0 ? @A@[i] : 0", "max(v, 0)"),
         ("twice the value", "@A@[i] + @A@[i]", "2 * v"),
         ("the cube", "@A@[i] * @A@[i] * @A@[i]", "v * v * v")]


@family("unary", "warm")
def unary(draw):
    what, body, python = draw.pick(UNARY)
    return flat(draw, "unary", ["apply", "unary", "convert"], draw.pick(["float", "int", "double"]),
                {"n": draw.size(200, 3000)}, f"    if (i < n) @O@[i] = {body};",
                f"y = [{python} for v in x]",
                ["Store @what@ of each of the @n@ values of @A@ in @O@.",
                 "For @n@ values: @O@[i] is @what@ of @A@[i]."], "A function of each value",
                more={"what": what})


@family("pick", "warm")
def pick(draw):
    s, o, n = draw.integer(2, 7), draw.integer(0, 4), draw.size(100, 900)
    return flat(draw, "pick", ["pick", "take_every", "strided"], draw.pick(["float", "int"]),
                {"n": n, "m": n * s + o}, "    if (i < n) @O@[i] = @A@[i * @s@ + @o@];",
                "y = [x[i * @s@ + @o@] for i in range(n)]",
                ["Compute @O@[i] = @A@[i * @s@ + @o@] for i below @n@; @A@ has @m@ values.",
                 "Take every value number @s@ of the @m@ values of @A@, from index @o@ on: @n@ values @O@."],
                "Take values at a stride", length="m", more={"s": s, "o": o})


def indexed(draw, name, kernels, body, reference, wordings, title):
    """Two inputs, of which the second is an array of indices."""
    t = draw.pick(["float", "int", "double"])
    n = draw.size(100, 2000)
    kernel = f"""__global__ void @K@(const @T@* @A@, const int* @S@, @T@* @O@) {{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) {body}
}}"""
    values = "draw.sample(range(@COUNT@), @COUNT@)"
    return Program(name, {"n": n}, [Array(draw.input, t, ("n",), VALUES[t]),
                                    Array(draw.second, "int", ("n",), values)],
                   [Array(draw.output, t, ("n",))], kernel,
                   "@K@<<<(n + @LAST@) / @B@, @B@>>>(@A@, @S@, @O@);", reference, wordings, title,
                   settings(draw, kernels, t), draw.integer(0, len(wordings) - 1))


@family("gather", "warm")
def gather(draw):
    return indexed(draw, "gather", ["gather", "collect", "lookup"], "@O@[i] = @A@[@S@[i]];",
                   "y = [x[j] for j in x2]",
                   ["Gather: @O@[i] = @A@[@S@[i]] for @n@ indices @S@.",
                    "Read the @n@ values of @A@ in the order that the indices @S@ give, into @O@."],
                   "Gather by indices")


@family("scatter", "main")
def scatter(draw):
    return indexed(draw, "scatter", ["scatter", "place", "permute"], "@O@[@S@[i]] = @A@[i];",
                   "y = [0] * n\nfor v, j in zip(x, x2):\n    y[j] = v",
                   ["Scatter: @O@[@S@[i]] = @A@[i] for @n@ values; @S@ is a permutation.",
                    "Write value number i of the @n@ values of @A@ to place @S@[i] of @O@."],
                   "Scatter by indices")


@family("combine", "main")
def combine(draw):
    t, m, c = draw.pick(["float", "int", "double"]), draw.integer(2, 9), draw.integer(2, 9)
    sign = draw.pick(["+", "-"])
    return flat(draw, "combine", ["combine", "axpby", "blend"], t, {"n": draw.size(200, 3000)},
                "    if (i < n) @O@[i] = @M@ * @A@[i] @sign@ @P@ * @S@[i];",
                "y = [@m@ * u @sign@ @p@ * v for u, v in zip(x, x2)]",
                ["Compute @O@[i] = @m@ * @A@[i] @sign@ @p@ * @S@[i] for @n@ values.",
                 "@O@ is @m@ times @A@ @sign@ @p@ times @S@, for vectors of @n@ values."],
                "Combine two vectors", inputs=2,
                more={"M": literal(t, m), "P": literal(t, c), "m": m, "p": c, "sign": sign})


@family("product_sum", "unseen")
def product_sum(draw):
    sign = draw.pick(["+", "-"])
    return flat(draw, "product_sum", ["fused", "multiply_add", "product_sum"], draw.pick(["float", "int"]),
                {"n": draw.size(200, 3000)},
                "    if (i < n) @O@[i] = @A@[i] * @S@[i] @sign@ @C@[i];",
                "y = [u * v @sign@ w for u, v, w in zip(x, x2, x3)]",
                ["Compute @O@[i] = @A@[i] * @S@[i] @sign@ @C@[i] for @n@ values."],
                "A product and a sum of three vectors", inputs=3, more={"sign": sign})


@family("grid_stride", "main")
def grid_stride(draw):
    t, low = draw.pick(["float", "int"]), draw.integer(1, 9)
    blocks = draw.integer(2, 8)
    what = draw.pick([("@P@ < @A@[i] ? @P@ : @A@[i]", "min(v, @p@)", "the smaller of @A@[i] and @p@"),
                      ("@P@ > @A@[i] ? @P@ : @A@[i]", "max(v, @p@)", "the larger of @A@[i] and @p@"),
                      ("@A@[i] * @A@[i] + @P@", "v * v + @p@", "the square of @A@[i] plus @p@"),
                      ("@P@ - @A@[i]", "@p@ - v", "@p@ minus @A@[i]")])
    kernel = f"""__global__ void @K@(const @T@* @A@, @T@* @O@) {{
    int step = gridDim.x * blockDim.x;
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += step)
        @O@[i] = {what[0]};
}}"""
    wordings = [f"With a grid-stride loop, set @O@[i] to {what[2]} for @n@ values.",
                f"For @n@ values, @O@[i] is {what[2]}. Use a loop with the stride of the grid."]
    made = settings(draw, ["stride_loop", "loop", "sweep"], t, P=literal(t, low), p=low, G=blocks)
    made["BLOCKS"] = f"{blocks} blocks of {draw.block} threads"
    return Program("grid_stride", {"n": draw.size(1000, 5000)}, [Array(draw.input, t, ("n",), VALUES[t])],
                   [Array(draw.output, t, ("n",))], kernel, "@K@<<<@G@, @B@>>>(@A@, @O@);",
                   f"y = [{what[1]} for v in x]", wordings, "A map with a grid-stride loop", made,
                   draw.integer(0, 1))


@family("rotate", "main")
def rotate(draw):
    k = draw.integer(2, 60)
    return flat(draw, "rotate", ["rotate", "shift_round", "cyclic"], draw.pick(["float", "int"]),
                {"n": draw.size(200, 3000)}, "    if (i < n) @O@[(i + @k@) % n] = @A@[i];",
                "y = [x[(i - @k@) % n] for i in range(n)]",
                ["Rotate the @n@ values of @A@ to the right by @k@ places, into @O@.",
                 "Shift @A@ cyclically: @O@[(i + @k@) % @n@] = @A@[i]."], "Rotate an array", more={"k": k})


@family("reverse", "unseen")
def reverse(draw):
    return flat(draw, "reverse", ["reverse", "backwards", "mirror"], draw.pick(["float", "int"]),
                {"n": draw.size(200, 3000)}, "    if (i < n) @O@[n - 1 - i] = @A@[i];",
                "y = x[::-1]",
                ["Reverse the @n@ values of @A@: @O@[@n@ - 1 - i] = @A@[i].",
                 "Write the @n@ values of @A@ to @O@ from the last to the first."], "Reverse an array")


@family("deinterleave", "warm")
def deinterleave(draw):
    s, m = draw.integer(2, 5), draw.size(60, 600)
    return flat(draw, "deinterleave", ["deinterleave", "split_channels", "unzip"],
                draw.pick(["float", "int"]), {"m": m, "n": m * s},
                "    if (i < n) @O@[i % @s@ * m + i / @s@] = @A@[i];",
                "y = [x[i * @s@ + c] for c in range(@s@) for i in range(m)]",
                ["@A@ has @m@ groups of @s@ channels, @n@ values. Store channel after channel in @O@.",
                 "Deinterleave the @n@ values of @A@: those of channel c = i % @s@ come to @O@ from c * @m@ on."],
                "Deinterleave channels", more={"s": s})


@family("upsample", "unseen")
def upsample(draw):
    s, m = draw.integer(2, 6), draw.size(60, 500)
    return flat(draw, "upsample", ["upsample", "repeat", "stretch"], draw.pick(["float", "int"]),
                {"m": m, "n": m * s}, "    if (i < n) @O@[i] = @A@[i / @s@];",
                "y = [v for v in x for _ in range(@s@)]",
                ["Repeat each of the @m@ values of @A@ @s@ times: @O@[i] = @A@[i / @s@] for @n@ values."],
                "Repeat each value", length="m", more={"s": s})


@family("neighbours", "warm")
def neighbours(draw):
    t, m = draw.pick(["float", "int"]), draw.integer(2, 9)
    return flat(draw, "neighbours", ["neighbours", "smooth", "three_points"], t,
                {"n": draw.size(200, 3000)}, """    if (i >= n) return;
    @T@ sum = @M@ * @A@[i];
    if (i > 0) sum += @A@[i - 1];
    if (i < n - 1) sum += @A@[i + 1];
    @O@[i] = sum;""",
                "y = [@m@ * x[i] + (x[i - 1] if i > 0 else 0) + (x[i + 1] if i < n - 1 else 0) for i in range(n)]",
                ["Compute @O@[i] = @A@[i - 1] + @m@ * @A@[i] + @A@[i + 1] for @n@ values; outside is 0.",
                 "Add to @m@ times each of the @n@ values of @A@ both neighbours, where they exist. The result is @O@."],
                "A stencil of three points", more={"M": literal(t, m), "m": m})


@family("difference", "unseen")
def difference(draw):
    k, n = draw.integer(1, 9), draw.size(200, 2000)
    return flat(draw, "difference", ["difference", "lagged", "delta"], draw.pick(["float", "int"]),
                {"n": n, "m": n + k}, "    if (i < n) @O@[i] = @A@[i + @k@] - @A@[i];",
                "y = [x[i + @k@] - x[i] for i in range(n)]",
                ["Compute @O@[i] = @A@[i + @k@] - @A@[i] for i below @n@; @A@ has @m@ values."],
                "Differences at a lag", length="m", more={"k": k})


@family("constant_memory", "warm")
def constant_memory(draw):
    t = draw.pick(["float", "int"])
    table = [draw.integer(1, 9) for _ in range(draw.pick([3, 4, 5]))]
    return flat(draw, "constant_memory", ["cycle_scale", "periodic", "table_scale"], t,
                {"n": draw.size(200, 3000)}, "    if (i < n) @O@[i] = table[i % @q@] * @A@[i];",
                "table = [@list@]\ny = [table[i % @q@] * x[i] for i in range(n)]",
                ["Keep the factors @list@ in constant memory, and multiply value i of the @n@ values of @A@ by factor i % @q@, into @O@.",
                 "@O@[i] = factor[i % @q@] * @A@[i] for @n@ values. The factors @list@ are in constant memory."],
                "Factors in constant memory",
                before="__constant__ @T@ table[@q@] = {@list@};\n\n",
                more={"q": len(table), "list": ", ".join(map(str, table))})


@family("convolve", "warm")
def convolve(draw):
    t, k = draw.pick(["float", "int"]), draw.integer(3, 9)
    n = draw.size(200, 2000)
    kernel = """__constant__ @T@ taps[@k@];

__global__ void @K@(const @T@* @A@, @T@* @O@) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    @T@ sum = 0;
    for (int k = 0; k < @k@; k++) sum += taps[k] * @A@[i + k];
    @O@[i] = sum;
}"""
    return Program("convolve", {"n": n, "m": n + k - 1},
                   [Array(draw.input, t, ("m",), VALUES[t]), Array(draw.second, t, (k,), VALUES[t])],
                   [Array(draw.output, t, ("n",))], kernel,
                   "cudaMemcpyToSymbol(taps, @S@, sizeof @S@);\n"
                   "@K@<<<(n + @LAST@) / @B@, @B@>>>(@A@, @O@);",
                   "y = [sum(x2[k] * x[i + k] for k in range(@k@)) for i in range(n)]",
                   ["Compute @O@[i] as the sum of @S@[k] * @A@[i + k] over k below @k@, for @n@ values i. @A@ has @m@ values. Keep @S@ in constant memory.",
                    "Filter the @m@ values of @A@ with the @k@ taps @S@, from constant memory: @n@ values @O@."],
                   "Convolution with taps in constant memory",
                   settings(draw, ["convolve", "fir", "filter_taps"], t, k=k), draw.integer(0, 1))


@family("streams", "warm")
def streams(draw):
    t, s, m, c = draw.pick(["float", "int"]), draw.integer(2, 4), draw.size(100, 900), draw.integer(2, 9)
    kernel = """__global__ void @K@(const @T@* @A@, @T@* @O@) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < m) @O@[i] = @A@[i] * @M@;
}"""
    launch = """for (int s = 0; s < @s@; s++) {
    cudaStream_t stream;
    cudaStreamCreate(&stream);
    @K@<<<(m + @LAST@) / @B@, @B@, 0, stream>>>(@A@ + s * m, @O@ + s * m);
    cudaStreamDestroy(stream);
}"""
    return Program("streams", {"m": m, "n": m * s}, [Array(draw.input, t, ("n",), VALUES[t])],
                   [Array(draw.output, t, ("n",))], kernel, launch, "y = [@c@ * v for v in x]",
                   ["Multiply the @n@ values of @A@ by @c@ in @s@ streams, @m@ values in each, into @O@.",
                    "@O@[i] = @c@ * @A@[i] for @n@ values: @s@ parts of @m@ values, each in a stream of its own."],
                   "A map in several streams",
                   settings(draw, ["scale_part", "part", "multiply"], t, s=s, c=c, M=literal(t, c)),
                   draw.integer(0, 1))
