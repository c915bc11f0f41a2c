"""This prints medians of the CUDA kernels on this GPU beside torch's and others', and whether they say
the same as torch.

    CUSET_BUILD=build/cuda python3 tests/gpu/_kernel_times.py [--seconds 90] [--device cuda]
        [--rows 8192] [--vocabulary 131072] [--hidden 4096]

First come the ceilings (a copy, and a product of bfloat16), then the loss head: from hidden rows and
the head's weights to the log-probabilities and the gradient of the hidden rows, the products included,
in each form that cuset has; the best counts. Its peers do the same forward and backward pass: Liger's
fused linear cross entropy, cut-cross-entropy, and torch, eager and compiled. A peer that is missing or
fails is left out. Then AdamW and dropout, each as a ratio of torch's time to ours.

Times are of device events, over inputs far larger than L2. With --device cpu, a rehearsal in tiny sizes,
they are of the clock, the loss is the CPU's kernel (where libkernels_c.so is there), and what only a GPU
can do is left out. What has no time left within --seconds is left out too. Exit code: 0 if nothing
differs from torch and no kernel of ours fails, else 1.
"""
import argparse
import ctypes
import os
import pathlib
import sys
import time
from statistics import median

started = time.monotonic()
import torch  # noqa: E402
import torch.nn.functional as F  # noqa: E402

HERE = pathlib.Path(__file__).resolve().parent
ROOT = HERE.parents[1]
sys.path[:0] = [str(HERE), str(ROOT / "tests/kernels")]
import _c_kernels as ck  # noqa: E402
from _model_speed import within  # noqa: E402
from _results import check, left_out, result  # noqa: E402

parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
parser.add_argument("--device", choices=("cuda", "cpu"), default="cuda")
parser.add_argument("--seconds", type=float, default=90)
parser.add_argument("--rows", type=int)
parser.add_argument("--vocabulary", type=int)
parser.add_argument("--hidden", type=int)
options = parser.parse_args()
on_gpu = options.device == "cuda"
if not on_gpu:  # sizes for which more threads would only wait for each other
    torch.set_num_threads(1)
rows, vocabulary, hidden_size = (
    given or usual for given, usual in zip((options.rows, options.vocabulary, options.hidden),
                                           (8192, 131072, 4096) if on_gpu else (64, 512, 64)))
kernels, no_kernels = None, ""  # why there are none
wrong = 0
lost = ""  # what ended the GPU's context: nothing can be measured after it


def verify(name, right, note=""):
    global wrong
    wrong += not check(name, right, note)


def load_kernels():
    global kernels, no_kernels
    path = pathlib.Path(os.environ.get("CUSET_BUILD", ROOT / "build/release")) / "tests/libkernels_c.so"
    try:
        kernels = ck.Kernels(path)
    except OSError as error:
        no_kernels = f"no {path.name}: {error}"
    except AssertionError as error:
        no_kernels = f"{path.name} is of another version"
        verify("the kernels' structures", False, str(error)[:200])


def stream():
    return torch.cuda.current_stream().cuda_stream


def time_of(function, repeat=15, warm=3):
    """Milliseconds, the median."""
    for _ in range(warm):
        function()
    times = []
    for _ in range(repeat):
        if on_gpu:
            start, end = torch.cuda.Event(enable_timing=True), torch.cuda.Event(enable_timing=True)
            start.record()
            function()
            end.record()
            end.synchronize()
            times.append(start.elapsed_time(end))
        else:
            start = time.perf_counter()
            function()
            times.append(1e3 * (time.perf_counter() - start))
    return median(times)


def line(name, ms, more=""):
    print(f"{name:58}{ms:10.3f} ms  {more}", flush=True)


def compare(name, got, wanted, bound):
    """By the norm of the difference, and no NaN."""
    error = ((got.double() - wanted.double()).norm() / wanted.double().norm()).item()
    verify(name, error <= bound, f"relative difference {error:.2e}, bound {bound:.0e}")


def shown(error):
    return f"{type(error).__name__}: {(str(error).splitlines() or [''])[0][:160]}"


def attempt(name, function, ours=False, seconds=60):
    """The function's value, or None if it could not be had. What of ours fails is wrong."""
    global lost
    left = started + options.seconds - time.monotonic()
    if lost or left < 1:
        left_out(name, f"{lost} ended the GPU's context" if lost else "no time left")
        return None
    try:
        with within(min(seconds, left)):
            return function()
    except Exception as error:  # of another project's kernel, or out of memory: said, not fatal
        why = shown(error)
        if ours and not isinstance(error, TimeoutError):
            verify(name, False, why)
        else:
            left_out(name, why)
    # Outside the handler, since an exception keeps the tensors of its frames.
    if on_gpu:
        try:
            torch.cuda.synchronize()
            torch.cuda.empty_cache()
        except Exception:  # such as an illegal access to memory
            lost = name
    return None


def ceilings():
    count = 1 << (30 if on_gpu else 22)
    x = torch.empty(count, dtype=torch.float32, device=options.device).normal_()
    y = torch.empty_like(x)
    ms = time_of(lambda: y.copy_(x))
    rate = 8 * count / ms / 1e6
    result(f"copy of {4 * count >> 20} MiB", rate, "GB/s", note="read + write")
    side = 8192 if on_gpu else 512
    a, b = (torch.randn(side, side, dtype=torch.bfloat16, device=options.device) for _ in range(2))
    ms = time_of(lambda: a @ b)
    products = 2 * side**3 / ms / 1e9
    result(f"bf16 product of {side}^3", products, "TFLOP/s")
    return rate, products


class head_loss:
    """The loss head's inputs and its forms."""

    def __init__(self):
        m, v, h = rows, vocabulary, hidden_size
        self.name = f"loss head, {m} x {v} x {h}"
        on = {"device": options.device}
        self.hidden = torch.randn(m, h, dtype=torch.bfloat16, **on)
        self.head = (torch.randn(v, h, **on) * (3 / h**0.5)).to(torch.bfloat16)
        self.targets = torch.randint(0, v, (m,), **on)
        self.short = self.targets.to(torch.int32)
        self.log_p, self.entropy = torch.empty(m, **on), torch.empty(m, **on)
        self.d_hidden = torch.empty(m, h, dtype=torch.bfloat16, **on)
        self.best, self.best_peer = None, None  # (milliseconds, name)

    def logits(self, part, out):
        if out.dtype == torch.bfloat16:
            torch.mm(part, self.head.t(), out=out)
        elif on_gpu:
            torch.mm(part, self.head.t(), out_dtype=torch.float32, out=out)
        else:  # the CPU has no product of bfloat16 with a result in float
            torch.mm(part.float(), self.head.float().t(), out=out)

    def ours(self, chunk, dtype, products=True, loss=True, top=False):
        on = {"device": options.device}
        logits = torch.empty(chunk, vocabulary, dtype=dtype, **on).normal_()
        gradient = (logits if dtype == torch.bfloat16
                    else torch.zeros(chunk, vocabulary, dtype=torch.bfloat16, **on))

        def run():
            for first in range(0, rows, chunk):
                some = slice(first, min(first + chunk, rows))
                count = some.stop - first
                if products:
                    self.logits(self.hidden[some], logits[:count])
                if loss:
                    token_loss(kernels.rows(logits[:count], self.short[some], self.log_p[some], gradient[:count],
                                            self.entropy[some] if top else None))
                if products:
                    torch.mm(gradient[:count], self.head, out=self.d_hidden[some])
        return run

    def time_ours(self):
        forms = []
        for dtype, name in FORMS:
            for chunk in chunks():
                forms.append((time_of(self.ours(chunk, dtype)), f"{name}, {chunk} rows at a time"))
        self.best = min(forms)
        others = "; ".join(f"{name}: {ms:.1f}" for ms, name in forms if name != self.best[1])
        floor = 4 * rows * vocabulary * hidden_size / 790e9
        result(f"{self.name}: ours", self.best[0], "ms", at_most=28,
               note=f"{self.best[1]} ({others}; products at 790 TFLOP/s: {floor:.1f})")

    def check_ours(self):
        """A few rows in double. Where logits are bfloat16, they are rounded by 2^-9 of a value of 3, and
        log p is near 16: half of 4e-4. Gradients are rounded to bfloat16 in either form."""
        few = min(256, rows)
        exact = torch.log_softmax(self.hidden[:few].double() @ self.head.t().double(), -1)
        wanted = exact.gather(1, self.targets[:few, None]).squeeze(1)
        d = exact.exp()
        d[torch.arange(few), self.targets[:few]] -= 1
        d_hidden = d @ self.head.double()
        for (dtype, name), log_p, gradient in zip(FORMS, (1e-5, 2e-3), (1e-2, 2e-2)):
            self.ours(chunks()[0], dtype)()
            compare(f"loss head, log p, {name}", self.log_p[:few], wanted, log_p)
            compare(f"loss head, gradient of the hidden rows, {name}", self.d_hidden[:few], d_hidden, gradient)

    def peer(self, name, make, seconds=60):
        """`make` returns a function from hidden rows to the summed loss."""
        def measure():
            loss = make()

            def run():
                loss(self.hidden.detach().requires_grad_()).backward()
            ms = time_of(run, 5)
            result(f"{self.name}: {name}", ms, "ms")
            if self.best_peer is None or ms < self.best_peer[0]:
                self.best_peer = ms, name
        attempt(f"{self.name}: {name}", measure, seconds=seconds)

    def peers(self):
        def liger():
            from liger_kernel.transformers import LigerFusedLinearCrossEntropyLoss
            loss = LigerFusedLinearCrossEntropyLoss(reduction="sum")
            return lambda x: loss(self.head, x, self.targets)

        def cut():
            from cut_cross_entropy import linear_cross_entropy
            return lambda x: linear_cross_entropy(x, self.head, self.targets, reduction="sum")

        def eager(x, head, targets):
            chosen = torch.log_softmax((x @ head.t()).float(), -1).gather(1, targets[:, None])
            return -chosen.sum()

        def compiled():
            loss = torch.compile(eager)
            return lambda x: loss(x, self.head, self.targets)

        self.peer("Liger's fused linear cross entropy", liger)
        self.peer("cut-cross-entropy", cut)
        self.peer("torch, eager", lambda: lambda x: eager(x, self.head, self.targets))
        if on_gpu:
            self.peer("torch.compile", compiled, 45)
        else:
            left_out(f"{self.name}: torch.compile", "no GPU")
        if self.best and self.best_peer:
            result("loss head against the best peer", self.best_peer[0] / self.best[0], at_least=1,
                   note=self.best_peer[1])
        else:
            left_out("loss head against the best peer", "one side is missing")

    def details(self, rate):
        """The kernel without its products, and over vocabularies of models."""
        chunk = min(2048, rows)
        for dtype, name in FORMS:
            size = (4 + 2 if dtype == torch.float32 else 2 + 2) * rows * vocabulary
            ms = time_of(self.ours(chunk, dtype, products=False))
            line(f"the loss alone, {name}", ms, f"{size / ms / 1e6:.0f} GB/s of read + write, copy {rate:.0f}")
            line("  the products alone", time_of(self.ours(chunk, dtype, loss=False)))
            line("  the loss alone, with H20", time_of(self.ours(chunk, dtype, products=False, top=True), 5))
            count = min(4096, rows)
            for v in (32000, 49152, 102400, 152064, 262144) if on_gpu else (vocabulary,):
                x = torch.randn(count, v, device=options.device).to(dtype)
                g = x if dtype == torch.bfloat16 else torch.empty_like(x, dtype=torch.bfloat16)
                t = torch.randint(0, min(v, 32000), (count,), dtype=torch.int32, device=options.device)
                p = torch.empty(count, device=options.device)
                ms = time_of(lambda: token_loss(kernels.rows(x, t, p, g)))
                line(f"  the loss alone, {count} x {v}", ms,
                     f"{(x.element_size() + 2) * x.numel() / ms / 1e6:.0f} GB/s")
                del x, g


FORMS = ((torch.float32, "f32 logits, bf16 gradient"), (torch.bfloat16, "bf16 in place"))


def chunks():
    return [chunk for chunk in (1024, 2048, 4096, 8192) if chunk <= rows] or [rows]


def token_loss(some):
    if on_gpu:
        kernels.token_loss(some, stream())
    else:
        kernels.token_loss_cpu(some)


def regions():
    samples, length = 16, 4096
    n = samples * length
    log_p = torch.rand(n, device="cuda").log()
    batch = ck.RegionBatch()
    first = torch.arange(0, n + 1, length, device="cuda")
    sums = torch.empty(2 * (n + samples), dtype=torch.float64, device="cuda")
    scale = torch.empty(n, device="cuda")
    results = torch.empty(samples * ctypes.sizeof(ck.SampleRegion), dtype=torch.uint8, device="cuda")
    batch.samples, batch.first_row, batch.log_probability = samples, first.data_ptr(), log_p.data_ptr()
    batch.sums, batch.row_scale, batch.results = sums.data_ptr(), scale.data_ptr(), results.data_ptr()
    settings = ck.RegionSettings(ck.MASKS, 0, n, samples, 0.1, 1, 1, 256, 1, 1, 0, 1)
    line(f"regions, {samples} samples of {length} tokens",
         time_of(lambda: kernels.regions(settings, batch, stream())))


def adamw(millions, shapes):
    """Ours is two launches that clear the gradient too; torch's is clip_grad_norm_ and fused AdamW."""
    values = [torch.nn.Parameter(torch.randn(s, device="cuda")) for s in shapes]
    total = sum(v.numel() for v in values)
    grads = [torch.randn_like(v) for v in values]
    ours = [v.detach().clone() for v in values]
    ours_grads = [torch.empty_like(v) for v in values]
    moments = [[torch.zeros_like(v) for v in ours] for _ in range(2)]
    table = (ck.AdamwTensor * len(ours))(*[
        ck.AdamwTensor(v.data_ptr(), g.data_ptr(), m.data_ptr(), s.data_ptr(), v.numel(), 0)
        for v, g, m, s in zip(ours, ours_grads, *moments)])
    step = ck.AdamwStep()
    step.count, step.chunks = len(ours), kernels.adamw_chunks(table)
    device_table = torch.frombuffer(bytearray(bytes(table)), dtype=torch.uint8).cuda()
    rates = torch.tensor([1e-4], dtype=torch.float64, device="cuda")
    partials = torch.empty(ck.PARTIALS, dtype=torch.float64, device="cuda")
    state = torch.zeros(ctypes.sizeof(ck.AdamwState), dtype=torch.uint8, device="cuda")
    step.tensors, step.learning_rates, step.rates = device_table.data_ptr(), rates.data_ptr(), 1
    step.partials, step.state = partials.data_ptr(), state.data_ptr()
    step.options = ck.AdamwOptions(0.9, 0.999, 1e-8, 0, 1.0)
    optimizer = torch.optim.AdamW(values, lr=1e-4, weight_decay=0.0, fused=True)

    def theirs():
        for v, g in zip(values, grads):
            v.grad = g
        torch.nn.utils.clip_grad_norm_(values, 1.0, foreach=True)
        optimizer.step()

    for g, o in zip(grads, ours_grads):
        o.copy_(g)
    kernels.adamw(step, stream())
    saved = [g.clone() for g in grads]
    theirs()
    compare(f"AdamW, values after a step, {millions} M", torch.cat([v.flatten() for v in ours]),
            torch.cat([v.detach().flatten() for v in values]), 1e-6)
    for g, s in zip(grads, saved):
        g.copy_(s)
    ms = time_of(lambda: kernels.adamw(step, stream()), 50)
    torch_ms = time_of(theirs, 50)
    result(f"clip and AdamW against torch, {len(values)} tensors, {millions} M values", torch_ms / ms, at_least=1,
           note=f"{ms:.3f} and {torch_ms:.3f} ms; ours {36 * total / ms / 1e6:.0f} GB/s")


def dropout():
    samples = (ck.DropoutSample * 3)(*[ck.DropoutSample(row, row + 1) for row in (0, 1000, 3000)])
    table = torch.frombuffer(bytearray(bytes(samples)), dtype=torch.uint8).cuda()
    for width in (3584, 18944):
        x = torch.randn(4096, width, device="cuda", dtype=torch.bfloat16)
        y = torch.zeros_like(x)
        some = ck.DropoutRows(x.data_ptr(), y.data_ptr(), ck.BFLOAT16, ck.BFLOAT16, 0, 4096, width, table.data_ptr(), 3,
                              7, int(0.05 * 2**32), 1.0)
        times = []
        for add in (0, 1):
            some.add = add
            times.append(time_of(lambda: kernels.dropout(some, stream()), 50))
        torch_ms = time_of(lambda: F.dropout(x, 0.05), 50)
        result(f"dropout against torch, 4096 x {width}", torch_ms / times[0], at_least=1,
               note=f"{times[0]:.4f} and {torch_ms:.4f} ms; ours {4 * x.numel() / times[0] / 1e6:.0f} GB/s, "
                    f"added {times[1]:.4f} ms")


def dequantising(copy_rate):
    """The largest matrix of a model of 7 billion weights, to bfloat16."""
    rows, columns = 18944, 3584
    codes = torch.randint(256, (rows * columns,), device="cuda", dtype=torch.uint8)
    blocks = rows * columns // 64
    values, groups = torch.randn(256, device="cuda"), torch.randn(blocks // 256 + 1, device="cuda")
    row_scales = torch.randn(rows, device="cuda")
    to = torch.empty(rows, columns, device="cuda", dtype=torch.bfloat16)
    matrix = ck.CodeRows(0, rows * columns, columns, codes.data_ptr(), codes.data_ptr(), groups.data_ptr(), 0.1,
                         values.data_ptr(), None)
    for name, bytes_read in (("nf4", 0.5 + 1 / 64), ("int8", 1)):
        if name == "int8":
            matrix.format, matrix.scales = 1, row_scales.data_ptr()
        ms = time_of(lambda: kernels.dequantise(matrix, to, stream()), 50)
        rate = (2 + bytes_read) * rows * columns / ms / 1e6
        result(f"dequantise {name}, {rows} x {columns}", rate, "GB/s",
               note=f"{ms:.4f} ms, {rate / copy_rate if copy_rate else 0:.2f} of a copy's rate")


def main():
    torch.manual_seed(1)
    load_kernels()
    print(f"{torch.cuda.get_device_name() if on_gpu else 'CPU'}, torch {torch.__version__}, "
          f"kernels {kernels.name() if kernels else 'none'}", flush=True)
    found = attempt("the ceilings", ceilings)
    loss = attempt("the loss head's inputs", head_loss)
    if loss:
        if kernels:
            attempt(f"{loss.name}: ours", loss.time_ours, ours=True)
            attempt("loss head, agreement", loss.check_ours, ours=True)
        else:
            left_out(f"{loss.name}: ours", no_kernels)
        loss.peers()
    if kernels and on_gpu:
        attempt("AdamW, 20 M", lambda: adamw(20, [(8, 4096), (4096, 8)] * 305), ours=True)
        attempt("AdamW, 135 M", lambda: adamw(135, [(2048, 2048)] * 32), ours=True)
        attempt("dropout", dropout, ours=True)
        attempt("dequantise", lambda: dequantising(found[0] if found else 0), ours=True)
        attempt("regions", regions, ours=True)
    else:
        for name in ("clip and AdamW against torch", "dropout against torch", "dequantise", "regions"):
            left_out(name, no_kernels if on_gpu else "no GPU")
    if loss and kernels:
        attempt("the loss alone", lambda: loss.details(found[0] if found else 0), ours=True)
    sys.stdout.flush()
    sys.stderr.flush()
    # Not sys.exit: what a lost context or an ended compiler leaves behind must not hang.
    os._exit(1 if wrong else 0)


main()
