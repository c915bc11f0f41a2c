"""Families in which the threads of a block or a warp work together: reductions, scans, atomics, norms."""
from .maps import SMALL, VALUES, family, settings
from .program import Array, Program

LARGE = "[draw.randint(-1000, 1000) for _ in range(@COUNT@)]"


def by_rows(draw, name, kernels, type_, kernel, launch, reference, wordings, title, out=("rows",), cols=(20, 300),
            blocks=None, more=None, values=None):
    """A family in which a block or a warp takes a row."""
    made = settings(draw, kernels, type_, **(more or {}))
    made["BLOCKS"] = blocks or made["BLOCKS"]
    sizes = {"rows": draw.size(9, 60), "cols": draw.size(*cols)}
    return Program(name, sizes, [Array(draw.input, type_, ("rows", "cols"), values or VALUES[type_])],
                   [Array(draw.output, type_, out)], kernel, launch, reference, wordings, title, made,
                   draw.integer(0, len(wordings) - 1))


# The tree that adds up what the threads of a block have.
TREE = """    for (int step = @B@ / 2; step > 0; step /= 2) {
        __syncthreads();
        if (t < step) @JOIN@
    }
"""


def tree(draw, name, kernels, type_, first, each, join, reference, wordings, title):
    kernel = f"""__global__ void @K@(const @T@* @A@, @T@* @O@) {{
    __shared__ @T@ part[@B@];
    int t = threadIdx.x, r = blockIdx.x;
    @T@ mine = {first};
    for (int c = t; c < cols; c += @B@) {each}
    part[t] = mine;
{TREE.replace("@JOIN@", join)}    if (t == 0) @O@[r] = part[0];
}}"""
    return by_rows(draw, name, kernels, type_, kernel, "@K@<<<rows, @B@>>>(@A@, @O@);", reference, wordings,
                   title, blocks=f"one block of {draw.block} threads a row")


@family("row_sum", "warm")
def row_sum(draw):
    return tree(draw, "row_sum", ["row_sum", "sums", "add_up"], draw.pick(["float", "int"]), "0",
                "mine += @A@[r * cols + c];", "part[t] += part[t + step];",
                "y = [sum(x[r * cols:(r + 1) * cols]) for r in range(rows)]",
                ["Add up each row of the matrix @A@ (@rows@ rows, @cols@ columns) by a tree in shared memory, into @O@.",
                 "@O@[r] is the sum of row r of @A@, @rows@ x @cols@ values. Reduce in shared memory."],
                "Sums of rows")


@family("row_extreme", "main")
def row_extreme(draw):
    what, call, python = draw.pick([("largest", "max", "max"), ("smallest", "min", "min")])
    made = tree(draw, "row_extreme", ["row_extreme", "extremes", "best_of_row"], draw.pick(["float", "int"]),
                "@A@[r * cols]", f"mine = {call}(mine, @A@[r * cols + c]);",
                f"part[t] = {call}(part[t], part[t + step]);",
                f"y = [{python}(x[r * cols:(r + 1) * cols]) for r in range(rows)]",
                [f"Find the {what} value of each row of the matrix @A@ (@rows@ rows, @cols@ columns) by a tree in shared memory, into @O@.",
                 f"@O@[r] is the {what} value of row r of @A@, @rows@ x @cols@ values. Reduce in shared memory."],
                "Extremes of rows")
    return made


ROW_OF_BLOCK = """    int t = threadIdx.x, r = blockIdx.x;
"""
# Each of the 32 threads has the sum of all of them in the end.
SHUFFLES = "    for (int step = 16; step > 0; step /= 2) {0} += __shfl_xor_sync(0xffffffff, {0}, step);\n"


@family("warp_sum", "main")
def warp_sum(draw):
    form, python, what = draw.pick([("@A@[r * cols + c]", "v", "values"),
                                    ("@A@[r * cols + c] * @A@[r * cols + c]", "v * v", "squares")])
    kernel = f"""__global__ void @K@(const @T@* @A@, @T@* @O@) {{
{ROW_OF_BLOCK}    @T@ sum = 0;
    for (int c = t; c < cols; c += 32) sum += {form};
    for (int step = 16; step > 0; step /= 2) sum += __shfl_down_sync(0xffffffff, sum, step);
    if (t == 0) @O@[r] = sum;
}}"""
    return by_rows(draw, "warp_sum", ["warp_sum", "shuffle_sum", "warp_rows"], draw.pick(["float", "int"]),
                   kernel, "@K@<<<rows, 32>>>(@A@, @O@);",
                   f"y = [sum({python} for v in x[r * cols:(r + 1) * cols]) for r in range(rows)]",
                   [f"Add up the {what} of each row of @A@ (@rows@ rows, @cols@ columns) with warp shuffles, into @O@.",
                    f"@O@[r] is the sum of the {what} of row r of the @rows@ x @cols@ matrix @A@; a warp takes a row and shuffles."],
                   f"Sums of rows by shuffles", blocks="one warp a row")


@family("scan", "warm")
def scan(draw):
    kernel = """__global__ void @K@(const @T@* @A@, @T@* @O@) {
    __shared__ @T@ part[cols];
    int t = threadIdx.x, i = blockIdx.x * cols + t;
    part[t] = @A@[i];
    __syncthreads();
    for (int step = 1; step < cols; step *= 2) {
        @T@ before = t >= step ? part[t - step] : 0;
        __syncthreads();
        part[t] += before;
        __syncthreads();
    }
    @O@[i] = part[t];
}"""
    return by_rows(draw, "scan", ["scan", "prefix_sum", "running_sum"], draw.pick(["float", "int"]), kernel,
                   "@K@<<<rows, cols>>>(@A@, @O@);",
                   "y = []\nfor r in range(rows):\n    total = 0\n    for v in x[r * cols:(r + 1) * cols]:\n"
                   "        total += v\n        y.append(total)",
                   ["Compute the running sums of each row of @A@ (@rows@ rows, @cols@ columns) in shared memory, into @O@.",
                    "Inclusive scan of each of the @rows@ rows of @cols@ values of @A@, into @O@."],
                   "Running sums of rows", out=("rows", "cols"), cols=(20, 120),
                   blocks="one block a row, one thread a value")


def histogram_of(draw, name, kernels, kernel, wordings, title, launch):
    bins = draw.pick([8, 10, 16, 20, 32])
    made = settings(draw, kernels, "unsigned", bins=bins, G=draw.integer(2, 6))
    if "@G@" in launch:
        made["BLOCKS"] = f"{made['G']} blocks of {draw.block} threads"
    return Program(name, {"n": draw.size(500, 4000), "bins": bins},
                   [Array(draw.input, "int", ("n",), f"[draw.randrange({bins}) for _ in range(@COUNT@)]")],
                   [Array(draw.output, "int", ("bins",))], kernel,
                   "cudaMemset(@O@, 0, sizeof @O@);\n" + launch,
                   "y = [0] * bins\nfor v in x:\n    y[v] += 1", wordings, title, made,
                   draw.integer(0, len(wordings) - 1))


@family("histogram", "warm")
def histogram(draw):
    return histogram_of(draw, "histogram", ["histogram", "tally", "frequencies"],
                        """__global__ void @K@(const int* @A@, int* @O@) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) atomicAdd(&@O@[@A@[i]], 1);
}""",
                        ["Count with atomics how often each of the values 0 to @bins@ - 1 occurs among the @n@ values of @A@, into @O@.",
                         "@O@ is the histogram of the @n@ values of @A@ in @bins@ bins."],
                        "A histogram", "@K@<<<(n + @LAST@) / @B@, @B@>>>(@A@, @O@);")


@family("shared_histogram", "main")
def shared_histogram(draw):
    return histogram_of(draw, "shared_histogram", ["shared_histogram", "block_counts", "local_counts"],
                        """__global__ void @K@(const int* @A@, int* @O@) {
    __shared__ int part[bins];
    if (threadIdx.x < bins) part[threadIdx.x] = 0;
    __syncthreads();
    for (int i = blockIdx.x * @B@ + threadIdx.x; i < n; i += gridDim.x * @B@)
        atomicAdd(&part[@A@[i]], 1);
    __syncthreads();
    if (threadIdx.x < bins) atomicAdd(&@O@[threadIdx.x], part[threadIdx.x]);
}""",
                        ["Count how often each of the values 0 to @bins@ - 1 occurs among the @n@ values of @A@, first in shared memory, then in @O@.",
                         "@O@ is the histogram of the @n@ values of @A@ in @bins@ bins, with a histogram of each block in shared memory."],
                        "A histogram in shared memory", "@K@<<<@G@, @B@>>>(@A@, @O@);")


@family("count_if", "warm")
def count_if(draw):
    p = draw.integer(-20, 20)
    what, sign = draw.pick([("above", ">"), ("below", "<"), ("equal to or above", ">=")])
    return Program("count_if", {"n": draw.size(300, 4000)}, [Array(draw.input, "int", ("n",), SMALL)],
                   [Array(draw.output, "int", (1,))], f"""__global__ void @K@(const int* @A@, int* @O@) {{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n && @A@[i] {sign} @p@) atomicAdd(@O@, 1);
}}""", "@O@[0] = 0;\n@K@<<<(n + @LAST@) / @B@, @B@>>>(@A@, @O@);",
                   f"y = [sum(v {sign} @p@ for v in x)]",
                   [f"Count how many of the @n@ values of @A@ are {what} @p@, with an atomic addition, into @O@[0].",
                    f"@O@[0] is the number of values of @A@ (@n@ in all) that are {what} @p@. Use atomicAdd."],
                   "Count values", settings(draw, ["count_if", "count_where", "matches"], "int", p=p),
                   draw.integer(0, 1))


@family("dot", "unseen")
def dot(draw):
    kernel = f"""__global__ void @K@(const int* @A@, const int* @S@, int* @O@) {{
    __shared__ int part[@B@];
    int t = threadIdx.x, i = blockIdx.x * @B@ + t;
    part[t] = i < n ? @A@[i] * @S@[i] : 0;
{TREE.replace("@JOIN@", "part[t] += part[t + step];")}    if (t == 0) atomicAdd(@O@, part[0]);
}}"""
    return Program("dot", {"n": draw.size(300, 3000)},
                   [Array(draw.input, "int", ("n",), SMALL), Array(draw.second, "int", ("n",), SMALL)],
                   [Array(draw.output, "int", (1,))], kernel,
                   "@O@[0] = 0;\n@K@<<<(n + @LAST@) / @B@, @B@>>>(@A@, @S@, @O@);",
                   "y = [sum(u * v for u, v in zip(x, x2))]",
                   ["Add up @A@[i] * @S@[i] over @n@ values: a tree in shared memory, then one atomic addition a block, into @O@[0]."],
                   "A dot product", settings(draw, ["dot", "inner_product", "scalar_product"], "int"))


@family("halo", "warm")
def halo(draw):
    t, k, n = draw.pick(["float", "int"]), draw.integer(1, 5), draw.size(300, 3000)
    kernel = """__global__ void @K@(const @T@* @A@, @T@* @O@) {
    __shared__ @T@ part[@B@ + 2 * @k@];
    int t = threadIdx.x, i = blockIdx.x * @B@ + t;
    for (int s = t; s < @B@ + 2 * @k@; s += @B@) {
        int g = blockIdx.x * @B@ + s - @k@;
        part[s] = g >= 0 && g < n ? @A@[g] : 0;
    }
    __syncthreads();
    @T@ sum = 0;
    for (int s = 0; s <= 2 * @k@; s++) sum += part[t + s];
    if (i < n) @O@[i] = sum;
}"""
    return Program("halo", {"n": n}, [Array(draw.input, t, ("n",), VALUES[t])],
                   [Array(draw.output, t, ("n",))], kernel, "@K@<<<(n + @LAST@) / @B@, @B@>>>(@A@, @O@);",
                   "y = [sum(x[max(i - @k@, 0):i + @k@ + 1]) for i in range(n)]",
                   ["Compute @O@[i] as the sum of @A@[i - @k@] to @A@[i + @k@] for @n@ values; outside is 0. Load each block's values and a halo of @k@ into shared memory.",
                    "Sums over windows of radius @k@ of the @n@ values of @A@ (0 outside), through shared memory with a halo, into @O@."],
                   "Window sums with a halo", settings(draw, ["halo", "window_sum", "box"], t, k=k),
                   draw.integer(0, 1))


@family("softmax", "warm")
def softmax(draw):
    kernel = f"""__global__ void @K@(const float* @A@, float* @O@) {{
{ROW_OF_BLOCK}    float top = @A@[r * cols], sum = 0;
    for (int c = t; c < cols; c += 32) top = max(top, @A@[r * cols + c]);
    for (int step = 16; step > 0; step /= 2) top = max(top, __shfl_xor_sync(0xffffffff, top, step));
    for (int c = t; c < cols; c += 32) sum += expf(@A@[r * cols + c] - top);
{SHUFFLES.format("sum")}    for (int c = t; c < cols; c += 32) @O@[r * cols + c] = expf(@A@[r * cols + c] - top) / sum;
}}"""
    return by_rows(draw, "softmax", ["softmax", "row_softmax", "probabilities"], "float", kernel,
                   "@K@<<<rows, 32>>>(@A@, @O@);",
                   "y = []\nfor r in range(rows):\n    row = x[r * cols:(r + 1) * cols]\n"
                   "    top = max(row)\n    powers = [math.exp(v - top) for v in row]\n    total = sum(powers)\n"
                   "    y += [v / total for v in powers]",
                   ["Compute the softmax of each row of @A@ (@rows@ rows, @cols@ columns), into @O@.",
                    "Softmax of the @rows@ rows of @cols@ values of @A@, with the largest value subtracted first, into @O@."],
                   "Softmax of rows", out=("rows", "cols"), blocks="one warp a row",
                   values="[draw.uniform(-4, 4) for _ in range(@COUNT@)]")


@family("row_norm", "unseen")
def row_norm(draw):
    form, end, python, what = draw.pick([
        ("@A@[r * cols + c] * @A@[r * cols + c]", "@A@[r * cols + c] / sqrtf(sum)",
         "[v / length for v in row]", "Divide each row of @A@ by its length (the root of the sum of squares)"),
        ("@A@[r * cols + c]", "@A@[r * cols + c] - sum / cols", "[v - mean for v in row]",
         "Subtract from each row of @A@ its mean")])
    kernel = f"""__global__ void @K@(const float* @A@, float* @O@) {{
{ROW_OF_BLOCK}    float sum = 0;
    for (int c = t; c < cols; c += 32) sum += {form};
{SHUFFLES.format("sum")}    for (int c = t; c < cols; c += 32) @O@[r * cols + c] = {end};
}}"""
    return by_rows(draw, "row_norm", ["row_norm", "normalise", "centre"], "float", kernel,
                   "@K@<<<rows, 32>>>(@A@, @O@);",
                   "y = []\nfor r in range(rows):\n    row = x[r * cols:(r + 1) * cols]\n"
                   "    length, mean = math.sqrt(sum(v * v for v in row)), sum(row) / cols\n    y += " + python,
                   [what + " (@rows@ rows, @cols@ columns), into @O@."], "Normalise rows", out=("rows", "cols"),
                   cols=(20, 80), blocks="one warp a row")


@family("two_kernels", "main")
def two_kernels(draw):
    what, call, start, chosen = draw.pick([("largest", "atomicMax", -9999, "max"),
                                           ("smallest", "atomicMin", 9999, "min")])
    form = draw.pick(["@A@[i] - p", "p - @A@[i]", "p + @A@[i]"])
    kernel = f"""__device__ int best = {start};

__global__ void find(const int* @A@) {{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) {call}(&best, @A@[i]);
}}

__global__ void @K@(const int* @A@, int* @O@) {{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) @O@[i] = {form.replace("p", "best")};
}}"""
    launch = """find<<<(n + @LAST@) / @B@, @B@>>>(@A@);
@K@<<<(n + @LAST@) / @B@, @B@>>>(@A@, @O@);"""
    python = form.replace("@A@[i]", "v")
    return Program("two_kernels", {"n": draw.size(200, 2000)}, [Array(draw.input, "int", ("n",), LARGE)],
                   [Array(draw.output, "int", ("n",))], kernel, launch,
                   f"p = {chosen}(x)\ny = [{python} for v in x]",
                   [f"Find p, the {what} of the @n@ values of @A@ (between -1000 and 1000), in a kernel find with atomics. Then compute @O@[i] = {form} in a second kernel.",
                    f"Two kernels: find gives p, the {what} of the @n@ values of @A@, which lie between -1000 and 1000; the second one sets @O@[i] to {form}."],
                   "Two kernels in a row", settings(draw, ["apply_best", "relate", "second_pass"], "int"),
                   draw.integer(0, 1))
