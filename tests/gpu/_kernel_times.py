"""This prints medians of the CUDA kernels on this GPU beside torch's, and whether both say the
same. kernels.sh runs it; it says what could not be measured. Times are of device events, over
inputs far larger than L2."""
import argparse
import ctypes
import os
import pathlib
import sys
from statistics import median

import torch
import torch.nn.functional as F

ROOT = pathlib.Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "tests/kernels"))
import _c_kernels as ck  # noqa: E402

kernels = ck.Kernels(pathlib.Path(os.environ.get("CUSET_BUILD", ROOT / "build/release")) / "tests/libkernels_c.so")
ignored = []
agree = True


def stream():
    return torch.cuda.current_stream().cuda_stream


def time_of(function, repeat=15, warm=3):
    """Milliseconds, the median."""
    for _ in range(warm):
        function()
    times = []
    for _ in range(repeat):
        start, end = torch.cuda.Event(enable_timing=True), torch.cuda.Event(enable_timing=True)
        start.record()
        function()
        end.record()
        end.synchronize()
        times.append(start.elapsed_time(end))
    return median(times)


def line(name, ms, more=""):
    print(f"{name:58}{ms:10.3f} ms  {more}", flush=True)


def compare(name, got, wanted, bound):
    """By the norm of the difference, and no NaN."""
    global agree
    error = ((got.double() - wanted.double()).norm() / wanted.double().norm()).item()
    if not error <= bound:
        agree = False
    print(f"    {name}: relative difference {error:.2e}, bound {bound:.0e}{'' if error <= bound else '  DIFFERS'}")


def attempt(name, function):
    try:
        function()
    except Exception as error:  # of another project's kernel, or out of memory: said, not fatal
        ignored.append(f"{name}: {type(error).__name__}: {str(error).splitlines()[0][:120] if str(error) else ''}")
        torch.cuda.empty_cache()


def ceilings():
    x = torch.empty(1 << 30, dtype=torch.float32, device="cuda").normal_()
    y = torch.empty_like(x)
    ms = time_of(lambda: y.copy_(x))
    rate = 8 * x.numel() / ms / 1e6
    line("copy of 4 GiB", ms, f"{rate:.0f} GB/s")
    a, b = (torch.randn(8192, 8192, dtype=torch.bfloat16, device="cuda") for _ in range(2))
    ms = time_of(lambda: a @ b)
    line("bf16 product of 8192^3", ms, f"{2 * 8192**3 / ms / 1e9:.0f} TFLOP/s")
    return rate


def token_loss(a, rate):
    m, v, h = a.rows, a.vocabulary, a.hidden
    hidden = torch.randn(m, h, dtype=torch.bfloat16, device="cuda")
    head = (torch.randn(v, h, device="cuda") * (3 / h**0.5)).to(torch.bfloat16)
    targets = torch.randint(0, v, (m,), device="cuda")
    short = targets.to(torch.int32)
    log_p, entropy = torch.empty(m, device="cuda"), torch.empty(m, device="cuda")
    d_hidden = torch.empty(m, h, dtype=torch.bfloat16, device="cuda")

    def ours(chunk, dtype, products=True, loss=True, top=False):
        logits = torch.empty(chunk, v, dtype=dtype, device="cuda").normal_()
        gradient = logits if dtype == torch.bfloat16 else torch.empty(chunk, v, dtype=torch.bfloat16, device="cuda")

        def run():
            for first in range(0, m, chunk):
                part = hidden[first:first + chunk]
                if products and dtype == torch.float32:
                    torch.mm(part, head.t(), out_dtype=torch.float32, out=logits)
                elif products:
                    torch.mm(part, head.t(), out=logits)
                if loss:
                    kernels.token_loss(kernels.rows(logits, short[first:first + chunk], log_p[first:first + chunk],
                                                    gradient, entropy[first:first + chunk] if top else None), stream())
                if products:
                    torch.mm(gradient, head, out=d_hidden[first:first + chunk])
        return run

    print(f"\nloss + gradient + log-probs, M {m}, V {v}, H {h}")
    floor = 4 * m * v * h / 790e9
    for dtype, name in ((torch.float32, "f32 logits, bf16 gradient"), (torch.bfloat16, "bf16 in place")):
        for chunk in (1024, 2048, 4096, 8192):
            attempt(f"ours, {name}, {chunk} rows", lambda: line(
                f"ours, {name}, {chunk} rows at a time", time_of(ours(chunk, dtype)),
                f"(products at 790 TFLOP/s: {floor:.1f})"))
        size = (4 + 2 if dtype == torch.float32 else 2 + 2) * m * v
        ms = time_of(ours(2048, dtype, products=False))
        line(f"  the loss alone, {name}", ms, f"{size / ms / 1e6:.0f} GB/s of read + write, copy {rate:.0f}")
        line("  the products alone", time_of(ours(2048, dtype, loss=False)))
        line("  the loss alone, with H20", time_of(ours(2048, dtype, products=False, top=True), 5))
        for vocabulary in (32000, 49152, 102400, 152064, 262144):
            x = torch.randn(4096, vocabulary, device="cuda").to(dtype)
            g = x if dtype == torch.bfloat16 else torch.empty_like(x, dtype=torch.bfloat16)
            t = torch.randint(0, 32000, (4096,), dtype=torch.int32, device="cuda")
            p = torch.empty(4096, device="cuda")
            ms = time_of(lambda: kernels.token_loss(kernels.rows(x, t, p, g), stream()))
            line(f"  the loss alone, 4096 x {vocabulary}", ms,
                 f"{(x.element_size() + 2) * x.numel() / ms / 1e6:.0f} GB/s")
            del x, g

    few = 256  # rows, in double
    logits = hidden[:few].double() @ head.t().double()
    exact = torch.log_softmax(logits, -1)
    d = exact.exp()
    d[torch.arange(few), targets[:few]] -= 1
    ours(1024, torch.float32)()
    compare("log p", log_p[:few], exact.gather(1, targets[:few, None]).squeeze(1), 1e-5)
    compare("gradient of the hidden rows", d_hidden[:few], d @ head.double(), 1e-2)
    del logits, exact, d

    def torch_loss(x, w, t):
        chosen = torch.log_softmax((x @ w.t()).float(), -1).gather(1, t[:, None])
        return -chosen.sum()

    def backward(function):
        def run():
            x = hidden.detach().requires_grad_()
            function(x).backward()
        return run

    attempt("eager", lambda: line("torch, eager", time_of(backward(lambda x: torch_loss(x, head, targets)), 5)))
    compiled = torch.compile(torch_loss)
    attempt("compile", lambda: line("torch.compile", time_of(backward(lambda x: compiled(x, head, targets)), 5)))

    def liger():
        from liger_kernel.transformers import LigerFusedLinearCrossEntropyLoss
        loss = LigerFusedLinearCrossEntropyLoss(reduction="sum")
        line("Liger's fused linear cross entropy", time_of(backward(lambda x: loss(head, x, targets)), 5))

    def cut():
        from cut_cross_entropy import linear_cross_entropy
        line("cut-cross-entropy", time_of(backward(
            lambda x: linear_cross_entropy(x, head, targets, reduction="sum")), 5))

    attempt("Liger", liger)
    attempt("cut-cross-entropy", cut)


def regions(a):
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
    settings = ck.RegionSettings(ck.MASKS, 0, n, samples, 0.1, 1, 1, 256, 1, 1)
    print("\nregions")
    line(f"{samples} samples of {length} tokens", time_of(lambda: kernels.regions(settings, batch, stream())))


def adamw(a):
    for millions, shapes in ((20, [(8, 4096), (4096, 8)] * 305), (135, [(2048, 2048)] * 32)):
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

        def theirs(read):
            for v, g in zip(values, grads):
                v.grad = g
            norm = torch.nn.utils.clip_grad_norm_(values, 1.0, foreach=True)
            optimizer.step()
            return norm.item() if read else norm

        print(f"\nclip and AdamW, {len(values)} tensors, {total / 1e6:.0f} M elements")
        for g, o in zip(grads, ours_grads):
            o.copy_(g)
        kernels.adamw(step, stream())
        saved = [g.clone() for g in grads]
        theirs(False)
        compare("values after a step", torch.cat([v.flatten() for v in ours]),
                torch.cat([v.detach().flatten() for v in values]), 1e-6)
        for g, s in zip(grads, saved):
            g.copy_(s)
        ms = time_of(lambda: kernels.adamw(step, stream()), 50)
        line("ours, two launches, gradient cleared", ms, f"{36 * total / ms / 1e6:.0f} GB/s")
        line("torch, clip_grad_norm_ and fused AdamW", time_of(lambda: theirs(False), 50))


def dropout():
    samples = (ck.DropoutSample * 3)(*[ck.DropoutSample(row, row + 1) for row in (0, 1000, 3000)])
    table = torch.frombuffer(bytearray(bytes(samples)), dtype=torch.uint8).cuda()
    print("\ndropout of 4096 rows, bfloat16")
    for width in (3584, 18944):
        x = torch.randn(4096, width, device="cuda", dtype=torch.bfloat16)
        y = torch.zeros_like(x)
        rows = ck.DropoutRows(x.data_ptr(), y.data_ptr(), ck.BFLOAT16, ck.BFLOAT16, 0, 4096, width, table.data_ptr(), 3,
                              7, int(0.05 * 2**32), 1.0)
        for add in (0, 1):
            rows.add = add
            ms = time_of(lambda: kernels.dropout(rows, stream()), 50)
            bytes_moved = (4 + 2 * add) * x.numel()
            line(f"ours, width {width}{', added' if add else ''}", ms, f"{bytes_moved / ms / 1e6:.0f} GB/s")
        line(f"torch.nn.functional.dropout, width {width}", time_of(lambda: F.dropout(x, 0.05), 50))


def main():
    parser = argparse.ArgumentParser()
    for name, value in (("rows", 8192), ("vocabulary", 131072), ("hidden", 4096)):
        parser.add_argument("--" + name, type=int, default=value)
    a = parser.parse_args()
    torch.manual_seed(1)
    print(f"{torch.cuda.get_device_name()}, torch {torch.__version__}, kernels {kernels.name()}")
    rate = ceilings()
    token_loss(a, rate)
    regions(a)
    adamw(a)
    dropout()
    if ignored:
        print("\nnot measured:\n  " + "\n  ".join(ignored))
    sys.exit(0 if agree else 1)


main()
