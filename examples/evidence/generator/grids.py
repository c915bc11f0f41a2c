"""Families over matrices and volumes: two and three dimensions of threads, shared tiles."""
from .maps import VALUES, family, settings
from .program import Array, Program, literal

TILES = {8: "8 x 8 threads a block", 16: "16 x 16 threads a block"}


def grid(draw, name, kernels, type_, sizes, shapes, kernel, reference, wordings, title, over=("rows", "cols"), tile=None,
         more=None):
    """A family of one thread a value of a matrix. `shapes` are those of the inputs, then of the output;
    `over` is what the grid covers."""
    tile = tile or draw.pick([8, 16])
    names = (draw.input, draw.second, draw.third)[:len(shapes) - 1]
    inputs = [Array(n, type_, shape, VALUES[type_]) for n, shape in zip(names, shapes)]
    arguments = ", ".join(names)
    launch = f"""dim3 block({tile}, {tile});
dim3 grid(({over[1]} + {tile - 1}) / {tile}, ({over[0]} + {tile - 1}) / {tile});
@K@<<<grid, block>>>({arguments}, @O@);"""
    parameters = ", ".join(f"const @T@* {n}" for n in names)
    kernel = kernel.replace("@PARAMETERS@", f"{parameters}, @T@* @O@")
    made = settings(draw, kernels, type_, TILE=tile, PADDED=tile + 1, **(more or {}))
    made["BLOCKS"] = TILES[tile]
    return Program(name, sizes, inputs, [Array(draw.output, type_, shapes[-1])], kernel, launch, reference,
                   wordings, title, made, draw.integer(0, len(wordings) - 1))


PLACE = """    int c = blockIdx.x * blockDim.x + threadIdx.x;
    int r = blockIdx.y * blockDim.y + threadIdx.y;
"""


def matrix(draw, low=17, high=90):
    return {"rows": draw.size(low, high), "cols": draw.size(low, high)}


@family("row_vector", "warm")
def row_vector(draw):
    what, sign = draw.pick([("Add", "+"), ("Multiply", "*"), ("Subtract", "-")])
    form = {"Add": "Add @S@[c] to", "Multiply": "Multiply by @S@[c]", "Subtract": "Subtract @S@[c] from"}[what]
    return grid(draw, "row_vector", ["row_vector", "by_column", "broadcast"], draw.pick(["float", "int"]),
                matrix(draw), [("rows", "cols"), ("cols",), ("rows", "cols")],
                "__global__ void @K@(@PARAMETERS@) {\n" + PLACE +
                "    if (r < rows && c < cols) @O@[r * cols + c] = @A@[r * cols + c] @sign@ @S@[c];\n}",
                "y = [x[r * cols + c] @sign@ x2[c] for r in range(rows) for c in range(cols)]",
                [form + " each value @A@[r][c] of a matrix of @rows@ rows and @cols@ columns, into @O@.",
                 "@O@[r][c] = @A@[r][c] @sign@ @S@[c] for @rows@ x @cols@ values."],
                "A row vector and a matrix", more={"sign": sign})


@family("transpose", "main")
def transpose(draw):
    return grid(draw, "transpose", ["transpose", "flip", "swap_axes"], draw.pick(["float", "int"]),
                matrix(draw), [("rows", "cols"), ("cols", "rows")],
                "__global__ void @K@(@PARAMETERS@) {\n" + PLACE +
                "    if (r < rows && c < cols) @O@[c * rows + r] = @A@[r * cols + c];\n}",
                "y = [x[r * cols + c] for c in range(cols) for r in range(rows)]",
                ["Transpose the matrix @A@ of @rows@ rows and @cols@ columns into @O@.",
                 "@O@[c][r] = @A@[r][c] for a matrix @A@ of @rows@ x @cols@ values."], "Transpose a matrix")


@family("transpose_tile", "warm")
def transpose_tile(draw):
    tile = draw.pick([8, 16])
    return grid(draw, "transpose_tile", ["transpose_tile", "tiled_transpose", "turn"],
                draw.pick(["float", "int"]), matrix(draw), [("rows", "cols"), ("cols", "rows")],
                """__global__ void @K@(@PARAMETERS@) {
    __shared__ @T@ tile[@TILE@][@PADDED@];
    int c = blockIdx.x * @TILE@ + threadIdx.x;
    int r = blockIdx.y * @TILE@ + threadIdx.y;
    if (r < rows && c < cols) tile[threadIdx.y][threadIdx.x] = @A@[r * cols + c];
    __syncthreads();
    c = blockIdx.y * @TILE@ + threadIdx.x;
    r = blockIdx.x * @TILE@ + threadIdx.y;
    if (r < cols && c < rows) @O@[r * rows + c] = tile[threadIdx.x][threadIdx.y];
}""", "y = [x[r * cols + c] for c in range(cols) for r in range(rows)]",
                ["Transpose the matrix @A@ of @rows@ rows and @cols@ columns into @O@ through padded shared tiles of @TILE@ x @TILE@.",
                 "@O@[c][r] = @A@[r][c] for @rows@ x @cols@ values, with a shared tile of @TILE@ x @TILE@ and one column of padding."],
                "Transpose through shared tiles", tile=tile)


@family("border", "warm")
def border(draw):
    p, v = draw.integer(1, 4), draw.integer(0, 9)
    size = matrix(draw)
    size |= {"height": size["rows"] + 2 * p, "width": size["cols"] + 2 * p}
    return grid(draw, "border", ["border", "pad", "frame"], draw.pick(["float", "int"]), size,
                [("rows", "cols"), ("height", "width")],
                "__global__ void @K@(@PARAMETERS@) {\n" + PLACE + """    if (r >= height || c >= width) return;
    int p = r - @p@, q = c - @p@;
    bool inside = p >= 0 && p < rows && q >= 0 && q < cols;
    @O@[r * width + c] = inside ? @A@[p * cols + q] : @v@;
}""",
                "y = [x[(r - @p@) * cols + c - @p@] if 0 <= r - @p@ < rows and 0 <= c - @p@ < cols else @v@\n"
                "     for r in range(height) for c in range(width)]",
                ["Put a border of @p@ values @v@ around the matrix @A@ of @rows@ rows and @cols@ columns; @O@ has @height@ x @width@ values.",
                 "Pad @A@ (@rows@ x @cols@) with the value @v@ on all sides, @p@ wide, into @O@ (@height@ x @width@)."],
                "A border around a matrix", over=("height", "width"), more={"p": p, "v": v})


@family("five_points", "main")
def five_points(draw):
    t, m = draw.pick(["float", "int"]), draw.integer(2, 9)
    return grid(draw, "five_points", ["five_points", "laplace", "stencil"], t, matrix(draw),
                [("rows", "cols"), ("rows", "cols")],
                "__global__ void @K@(@PARAMETERS@) {\n" + PLACE + """    if (r >= rows || c >= cols) return;
    int i = r * cols + c;
    if (r == 0 || r == rows - 1 || c == 0 || c == cols - 1)
        @O@[i] = @A@[i];
    else
        @O@[i] = @A@[i - 1] + @A@[i + 1] + @A@[i - cols] + @A@[i + cols] - @M@ * @A@[i];
}""",
                """y = list(x)
for r in range(1, rows - 1):
    for c in range(1, cols - 1):
        i = r * cols + c
        y[i] = x[i - 1] + x[i + 1] + x[i - cols] + x[i + cols] - @m@ * x[i]""",
                ["On a matrix @A@ of @rows@ rows and @cols@ columns, compute the sum of the four neighbours minus @m@ times the value, into @O@. Copy the border.",
                 "A stencil of five points: @O@ is the four neighbours' sum minus @m@ @A@ inside the @rows@ x @cols@ matrix, and @A@ on its border."],
                "A stencil of five points", more={"M": literal(t, m), "m": m})


@family("pool", "unseen")
def pool(draw):
    k = draw.integer(2, 4)
    size = matrix(draw, 9, 30)
    size |= {"height": size["rows"] * k, "width": size["cols"] * k}
    what = draw.pick([("sum", "sum += one;", "sum"), ("largest value", "if (one > sum) sum = one;", "max")])
    start = "0" if what[2] == "sum" else "@A@[r * @k@ * width + c * @k@]"
    return grid(draw, "pool", ["pool", "shrink", "blocks_of"], draw.pick(["float", "int"]), size,
                [("height", "width"), ("rows", "cols")],
                "__global__ void @K@(@PARAMETERS@) {\n" + PLACE + f"""    if (r >= rows || c >= cols) return;
    @T@ sum = {start};
    for (int i = 0; i < @k@; i++)
        for (int j = 0; j < @k@; j++) {{
            @T@ one = @A@[(r * @k@ + i) * width + c * @k@ + j];
            {what[1]}
        }}
    @O@[r * cols + c] = sum;
}}""",
                f"y = [{what[2]}(x[(r * @k@ + i) * width + c * @k@ + j] for i in range(@k@) for j in range(@k@))\n"
                "     for r in range(rows) for c in range(cols)]",
                [f"Store the {what[0]} of each square of @k@ x @k@ values of @A@ (@height@ x @width@) in @O@ (@rows@ x @cols@)."],
                "Pool squares of a matrix", more={"k": k})


EXTENTS = {"k": "depth", "j": "height", "i": "width"}


@family("permute_axes", "main")
def permute_axes(draw):
    t, order = draw.pick(["float", "int"]), draw.pick(["kij", "jki", "jik", "ikj", "ijk"])
    first, second, third = order
    size = {"depth": draw.size(3, 12), "height": draw.size(5, 20), "width": draw.size(9, 40)}
    place = f"({first} * {EXTENTS[second]} + {second}) * {EXTENTS[third]} + {third}"
    kernel = f"""__global__ void @K@(const @T@* @A@, @T@* @O@) {{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    int j = blockIdx.y * blockDim.y + threadIdx.y;
    int k = blockIdx.z;
    if (i < width && j < height) @O@[{place}] = @A@[(k * height + j) * width + i];
}}"""
    made = settings(draw, ["permute_axes", "reorder", "axes"], t, order=order, brackets="][".join(order))
    made["BLOCKS"] = TILES[8]
    return Program("permute_axes", size, [Array(draw.input, t, ("depth", "height", "width"), VALUES[t])],
                   [Array(draw.output, t, tuple(EXTENTS[axis] for axis in order))], kernel,
                   """dim3 block(8, 8);
dim3 grid((width + 7) / 8, (height + 7) / 8, depth);
@K@<<<grid, block>>>(@A@, @O@);""",
                   f"""y = [0] * len(x)
for at, value in enumerate(x):
    k, j, i = at // (height * width), at // width % height, at % width
    y[{place}] = value""",
                   ["Permute the axes of a volume: @O@[@brackets@] = @A@[k][j][i] for @depth@ x @height@ x @width@ values (k, j, i).",
                    "Store the volume @A@ (k: depth @depth@, j: height @height@, i: width @width@) in @O@ with the axes in the order @order@ instead of kji."],
                   "Permute the axes of a volume", made, draw.integer(0, 1))


@family("matrix_vector", "warm")
def matrix_vector(draw):
    t = draw.pick(["float", "int"])
    kernel = """__global__ void @K@(const @T@* @A@, const @T@* @S@, @T@* @O@) {
    int r = blockIdx.x * blockDim.x + threadIdx.x;
    if (r >= rows) return;
    @T@ sum = 0;
    for (int c = 0; c < cols; c++) sum += @A@[r * cols + c] * @S@[c];
    @O@[r] = sum;
}"""
    return Program("matrix_vector", matrix(draw, 20, 150),
                   [Array(draw.input, t, ("rows", "cols"), VALUES[t]), Array(draw.second, t, ("cols",), VALUES[t])],
                   [Array(draw.output, t, ("rows",))], kernel,
                   "@K@<<<(rows + @LAST@) / @B@, @B@>>>(@A@, @S@, @O@);",
                   "y = [sum(x[r * cols + c] * x2[c] for c in range(cols)) for r in range(rows)]",
                   ["Multiply the matrix @A@ (@rows@ rows, @cols@ columns) by the vector @S@, into @O@; one thread a row.",
                    "@O@[r] is the sum of @A@[r][c] * @S@[c] over the @cols@ columns, for @rows@ rows."],
                   "A matrix times a vector", settings(draw, ["matvec", "multiply", "gemv"], t), draw.integer(0, 1))


@family("column_sum", "unseen")
def column_sum(draw):
    t = draw.pick(["float", "int"])
    kernel = """__global__ void @K@(const @T@* @A@, @T@* @O@) {
    int c = blockIdx.x * blockDim.x + threadIdx.x;
    if (c >= cols) return;
    @T@ sum = 0;
    for (int r = 0; r < rows; r++) sum += @A@[r * cols + c];
    @O@[c] = sum;
}"""
    return Program("column_sum", matrix(draw, 20, 150), [Array(draw.input, t, ("rows", "cols"), VALUES[t])],
                   [Array(draw.output, t, ("cols",))], kernel,
                   "@K@<<<(cols + @LAST@) / @B@, @B@>>>(@A@, @O@);",
                   "y = [sum(x[r * cols + c] for r in range(rows)) for c in range(cols)]",
                   ["Add up each column of the matrix @A@ (@rows@ rows, @cols@ columns), into @O@; one thread a column."],
                   "Sums of columns", settings(draw, ["column_sum", "columns", "add_rows"], t))


def matrices(draw, low, high):
    return {"rows": draw.size(low, high), "cols": draw.size(low, high), "inner": draw.size(low, high)}


PRODUCT = "y = [sum(x[r * inner + k] * x2[k * cols + c] for k in range(inner)) for r in range(rows) for c in range(cols)]"


@family("matrix_product", "main")
def matrix_product(draw):
    return grid(draw, "matrix_product", ["matmul", "product", "gemm"], draw.pick(["float", "int"]),
                matrices(draw, 10, 50), [("rows", "inner"), ("inner", "cols"), ("rows", "cols")],
                "__global__ void @K@(@PARAMETERS@) {\n" + PLACE + """    if (r >= rows || c >= cols) return;
    @T@ sum = 0;
    for (int k = 0; k < inner; k++) sum += @A@[r * inner + k] * @S@[k * cols + c];
    @O@[r * cols + c] = sum;
}""", PRODUCT,
                ["Multiply the matrix @A@ (@rows@ x @inner@) by the matrix @S@ (@inner@ x @cols@), into @O@.",
                 "@O@ = @A@ @S@ for matrices of @rows@ x @inner@ and @inner@ x @cols@ values."],
                "A product of matrices")


@family("tiled_square", "warm")
def tiled_square(draw):
    t, tile = draw.pick(["float", "int"]), draw.pick([8, 16])
    kernel = """__global__ void @K@(const @T@* @A@, @T@* @O@) {
    __shared__ @T@ p[tile][tile], q[tile][tile];
    int i = threadIdx.y, j = threadIdx.x;
    int r = blockIdx.y * tile + i, c = blockIdx.x * tile + j;
    @T@ sum = 0;
    for (int k = 0; k < n; k += tile) {
        p[i][j] = r < n && k + j < n ? @A@[r * n + k + j] : 0;
        q[i][j] = k + i < n && c < n ? @A@[(k + i) * n + c] : 0;
        __syncthreads();
        for (int s = 0; s < tile; s++) sum += p[i][s] * q[s][j];
        __syncthreads();
    }
    if (r < n && c < n) @O@[r * n + c] = sum;
}"""
    made = settings(draw, ["matmul", "product", "tiles"], t, TILE=tile)
    made["BLOCKS"] = TILES[tile]
    square = ("n", "n")
    return Program("tiled_square", {"n": draw.size(10, 60), "tile": tile},
                   [Array(draw.input, t, square, VALUES[t])],
                   [Array(draw.output, t, square)], kernel, """int side = n / tile + 1;
@K@<<<dim3(side, side), dim3(tile, tile)>>>(@A@, @O@);""",
                   "y = [sum(x[r * n + k] * x[k * n + c] for k in range(n)) for r in range(n) for c in range(n)]",
                   ["Multiply the square matrix @A@ (@n@ x @n@) by itself with shared tiles of @TILE@ x @TILE@, into @O@.",
                    "@O@ = @A@ @A@ by shared tiles of @TILE@ x @TILE@, for a square matrix of @n@ rows."],
                   "The square of a matrix by tiles", made, draw.integer(0, 1))
