"""This measures transformers (and peft) on the model of _model_speed.py, on the same GPU: scoring and LoRA
training of 4096 tokens, and sampling of 64 answers at a time. Where _model_speed.py left its figures in
--room (cuset.json), the ratios of the tools to these peers come out too.

    python3 tests/gpu/_model_peers.py --room DIR [--seconds 60] [--device cuda] [--layers 28]

Each peer has several forms, and the fastest counts; a form that fails, such as for want of memory, is
left out. One form of each comes first, then the others. Scoring: SDPA attention, one sample or four at a
time, logits of the response's rows alone (by logits_to_keep, or some rows at a time), log-softmax in
float. Training: r = 8 on all linear layers but the head, dropout 0.05, adapters in float, gradient
clipped, fused AdamW; with and without gradient checkpointing, under autocast or not, with the model's own
cross entropy or Liger's kernels for Qwen2.
Sampling: generate at temperature 1 over the whole vocabulary, with the dynamic or the static cache.

A time is the median of several, the first ones uncounted, and ends when the GPU is done. Sampling's is
the difference of a long and a short run. Memory is the most that torch had allocated, without the
weights (and without the context). With --device cpu, a rehearsal, the model is tiny. What has no time
left within --seconds is left out. Exit code: 0 if scores agree with cuset-score's, else 1.
"""
import argparse
import contextlib
import json
import logging
import os
import pathlib
import signal
import sys
import time
import warnings
from statistics import median

started = time.monotonic()
os.environ.setdefault("HF_HUB_OFFLINE", "1")
import torch  # noqa: E402

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent))
import _model_speed as speed  # noqa: E402
from _results import check, left_out, result  # noqa: E402

ROWS = 1024  # of logits in float at a time
FEW = 4  # tokens of the short run of generate
FIRST, OTHERS = slice(0, 1), slice(1, None)  # of a list of forms


class best_form:
    """The fastest of several forms, and what the others reached."""

    def __init__(self, name):
        self.name, self.rates, self.memory = name, {}, {}

    def result(self):
        """Tokens a second, or None."""
        if not self.rates:
            left_out(self.name, "no form of it could be measured")
            return None
        form = max(self.rates, key=self.rates.get)
        others = "; ".join(f"{name}: {rate:.0f}" for name, rate in self.rates.items() if name != form)
        result(self.name, self.rates[form], "tokens/s", note=form + (f" ({others})" if others else ""))
        if form in self.memory:
            result(f"{self.name}, memory over the weights", self.memory[form], "MiB", note=form)
        return self.rates[form]


class peers:
    def __init__(self, a):
        self.size, self.device, self.room = speed.size_of(a), a.device, a.room
        self.time = speed.budget(a.seconds)
        self.on_gpu = a.device == "cuda"
        if not self.on_gpu:  # sizes for which more threads would only wait for each other
            torch.set_num_threads(1)
        self.wrong = 0
        figures = a.room / "cuset.json"
        self.ours = json.loads(figures.read_text()) if figures.exists() else {}
        if self.ours.get("device") != a.device or self.ours.get("tokens") != self.size.tokens:
            self.ours = {}
        size = self.size
        if "ids" in self.ours:
            self.ids, self.prompt = self.ours["ids"], self.ours["prompt_tokens"]
        else:
            self.ids, self.prompt = [65 + i % 26 for i in range(size.tokens)], size.tokens // 3
        self.tokens = torch.tensor([self.ids], device=a.device)
        self.best = {"score": best_form(f"transformers, score, {len(self.ids)} tokens"),
                     "sft": best_form(f"transformers + peft, train, {len(self.ids)} tokens"),
                     "sample": best_form(f"transformers, sample, {size.answers} answers at a time")}

    def left_over(self, name, needed):
        """Whether there is time for a form that needs so many seconds on a GPU; says if not."""
        enough = self.time.left() > (needed if self.on_gpu else 1)
        if not enough:
            left_out(name, "no time left")
        return enough

    def done(self):
        if self.on_gpu:
            torch.cuda.synchronize()

    def form(self, best, name, needed, measure):
        """Measures one form; `measure` returns tokens a second."""
        if not self.left_over(f"{best.name}, {name}", needed):
            return
        why = ""
        if self.on_gpu:
            torch.cuda.reset_peak_memory_stats()
        try:
            with speed.within(self.time.left()):
                best.rates[name] = measure()
            if self.on_gpu:
                best.memory[name] = (torch.cuda.max_memory_allocated() - self.weights) / 2**20
        except Exception as error:  # out of memory, or another project's kernel: said, not fatal
            why = f"{type(error).__name__}: {(str(error).strip().splitlines() or [''])[0][:160]}"
        # Outside the handler, since an exception keeps the tensors of its frames.
        if why:
            left_out(f"{best.name}, {name}", why)
        if self.on_gpu:
            torch.cuda.empty_cache()

    def seconds_of(self, function, repeat=5, warm=2):
        for _ in range(warm):
            function()
        self.done()
        times = []
        for _ in range(repeat):
            start = time.perf_counter()
            function()
            self.done()
            times.append(time.perf_counter() - start)
        return median(times)

    def load(self):
        from transformers import AutoModelForCausalLM
        from transformers.utils import logging as transformers_logging
        transformers_logging.disable_progress_bar()
        begun = time.monotonic()
        folder = self.room / "model"
        speed.write_model(folder, self.size, self.device, self.time.left)
        dtype = torch.bfloat16 if self.on_gpu else torch.float32
        kind = {"dtype": dtype, "attn_implementation": "sdpa", "local_files_only": True}
        if self.on_gpu:
            try:
                self.model = AutoModelForCausalLM.from_pretrained(folder, device_map={"": 0}, **kind)
            except (ImportError, ValueError):  # device_map needs accelerate
                self.model = AutoModelForCausalLM.from_pretrained(folder, **kind).to(self.device)
        else:
            self.model = AutoModelForCausalLM.from_pretrained(folder, **kind)
        self.model.eval()
        self.weights = torch.cuda.memory_allocated() if self.on_gpu else 0
        print(f"loaded in {time.monotonic() - begun:.1f} s", flush=True)

    # Scoring.

    def log_p_by_rows(self, ids):
        """Of the response's tokens, [batch x response]; the head takes some rows at a time."""
        n, count = ids.shape[1], ids.shape[0]
        hidden = self.model.model(ids, use_cache=False).last_hidden_state[:, self.prompt - 1:n - 1]
        targets = ids[:, self.prompt:].reshape(-1, 1)
        hidden = hidden.reshape(-1, hidden.shape[-1])
        return torch.cat([
            torch.log_softmax(self.model.lm_head(hidden[row:row + ROWS]), -1, dtype=torch.float32)
            .gather(1, targets[row:row + ROWS]) for row in range(0, len(hidden), ROWS)]).view(count, -1)

    def log_p_kept(self, ids):
        """The same from the model's own logits of the last rows."""
        n, count = ids.shape[1], ids.shape[0]
        kept = n - self.prompt + 1
        logits = self.model(ids, use_cache=False, logits_to_keep=kept).logits[:, :-1]
        logits = logits.reshape(-1, logits.shape[-1])
        targets = ids[:, self.prompt:].reshape(-1, 1)
        return torch.cat([
            torch.log_softmax(logits[row:row + ROWS], -1, dtype=torch.float32).gather(1, targets[row:row + ROWS])
            for row in range(0, len(logits), ROWS)]).view(count, -1)

    def agree(self, log_p):
        """With cuset-score's. Random weights give log p a deviation of 1.2, so that those of other tokens are
        1.3 apart; sums in another order, rounded to bfloat16 in each layer, move it by some hundredths."""
        if "confidence" not in self.ours:
            return
        ours = torch.tensor(self.ours["confidence"], dtype=torch.float64).log()
        apart = (ours - log_p.double().cpu()).abs().mean().item()
        bound = 0.3 if self.on_gpu else 1e-3
        self.wrong += not check("scores of cuset-score and transformers", apart <= bound,
                                f"log p {apart:.2e} apart in the mean, bound {bound:g}")

    def score(self, which):
        best = self.best["score"]
        with torch.inference_mode():
            for batch, name, function in [
                    (1, "head by rows", self.log_p_by_rows), (4, "head by rows", self.log_p_by_rows),
                    (1, "logits_to_keep", self.log_p_kept), (4, "logits_to_keep", self.log_p_kept)][which]:
                ids = self.tokens.expand(batch, -1).contiguous()
                self.form(best, f"{name}, batch {batch}", 3,
                          lambda: ids.numel() / self.seconds_of(lambda: function(ids)))
            if which == FIRST and best.rates:
                self.agree(self.log_p_by_rows(self.tokens)[0])

    # Training.

    @contextlib.contextmanager
    def ligers_kernels(self, causal_lm):
        """Liger's own patch of this model, undone at the end."""
        from liger_kernel.transformers import apply_liger_kernel_to_qwen2
        from transformers.models.qwen2 import modeling_qwen2 as qwen2
        before = {module: dict(module.__dict__) for module in causal_lm.modules()}
        kept = {name: getattr(qwen2, name) for name in ("apply_rotary_pos_emb", "Qwen2RMSNorm", "Qwen2MLP")}
        try:
            apply_liger_kernel_to_qwen2(model=causal_lm)
            yield
        finally:
            for module, attributes in before.items():
                for name in set(module.__dict__) - set(attributes):
                    del module.__dict__[name]
                module.__dict__.update(attributes)
            for name, value in kept.items():
                setattr(qwen2, name, value)

    def train(self, which):
        best = self.best["sft"]
        try:
            self.train_forms(best, which)
        except Exception as error:
            left_out(f"{best.name}, adapters", f"{type(error).__name__}: {str(error)[:160]}")
        if self.on_gpu:
            torch.cuda.empty_cache()

    def train_forms(self, best, which):
        from peft import LoraConfig, get_peft_model
        from peft.helpers import disable_input_dtype_casting
        # The adapters' products may use TF32, as their rows are of bfloat16's precision anyway.
        torch.set_float32_matmul_precision("high" if self.on_gpu else "highest")
        causal_lm = self.model
        model = get_peft_model(causal_lm, LoraConfig(
            task_type="CAUSAL_LM", r=8, lora_alpha=16, lora_dropout=0.05, target_modules=[
                "q_proj", "k_proj", "v_proj", "o_proj", "gate_proj", "up_proj", "down_proj"])).train()
        trained = [p for p in model.parameters() if p.requires_grad]
        for p in trained:
            p.data = p.data.float()
        optimizer = torch.optim.AdamW(trained, lr=1e-4, weight_decay=0.0, fused=True)
        labels = self.tokens.clone()
        labels[:, :self.prompt] = -100

        def step(autocast):
            with contextlib.ExitStack() as stack:
                if autocast:
                    stack.enter_context(torch.autocast(self.device, torch.bfloat16))
                    stack.enter_context(disable_input_dtype_casting(model))
                loss = model(input_ids=self.tokens, labels=labels, use_cache=False, return_dict=True).loss
                loss.backward()
            torch.nn.utils.clip_grad_norm_(trained, 1.0, foreach=True)
            optimizer.step()
            optimizer.zero_grad(set_to_none=True)

        def measure(checkpointing, liger, autocast):
            optimizer.zero_grad(set_to_none=True)
            if checkpointing:
                causal_lm.gradient_checkpointing_enable(gradient_checkpointing_kwargs={"use_reentrant": False})
            else:
                causal_lm.gradient_checkpointing_disable()
            with self.ligers_kernels(causal_lm) if liger else contextlib.nullcontext():
                return len(self.ids) / self.seconds_of(lambda: step(autocast))

        try:
            for checkpointing, liger, autocast in [
                    (True, False, True), (False, False, True), (False, True, True), (True, True, True),
                    (False, False, False)][which]:
                name = ", ".join([
                    "Liger's kernels" if liger else "own loss", f"checkpointing {'on' if checkpointing else 'off'}",
                    *(["autocast"] if autocast else [])])
                self.form(best, name, 6, lambda: measure(checkpointing, liger, autocast))
        finally:
            causal_lm.gradient_checkpointing_disable()
            optimizer.zero_grad(set_to_none=True)
            self.model = model.unload().eval()
            torch.set_float32_matmul_precision("highest")

    # Sampling.

    def generate(self, which):
        size, best = self.size, self.best["sample"]
        prompts = torch.tensor([[112] * size.prompt] * size.answers, device=self.device)

        def seconds(new, **kind):
            def run():
                out = self.model.generate(
                    prompts, attention_mask=torch.ones_like(prompts), do_sample=True, temperature=1.0, top_k=0,
                    top_p=1.0, max_new_tokens=new, min_new_tokens=new, eos_token_id=None, pad_token_id=0, **kind)
                if tuple(out.shape) != (size.answers, size.prompt + new):
                    raise ValueError(f"answers of {out.shape[1] - size.prompt} tokens, not {new}")
            return run

        def measure(**kind):
            short = self.seconds_of(seconds(FEW, **kind), 3, 1)
            return size.answers * (size.new - FEW) / (self.seconds_of(seconds(size.new, **kind), 2, 0) - short)

        with torch.inference_mode():
            if which == FIRST:
                self.form(best, "dynamic cache", 6, measure)
                return
            self.form(best, "static cache", 6,
                      lambda: measure(cache_implementation="static", disable_compile=True))
            # Compiling takes a minute or so, and cannot be ended.
            name = "static cache, compiled"
            if self.on_gpu and self.time.left() > 100:
                self.form(best, name, 100, lambda: measure(cache_implementation="static"))
            else:
                left_out(f"{best.name}, {name}", "no time to compile" if self.on_gpu else "no GPU")

    def ratio(self, name, ours, theirs):
        """Of tokens a second."""
        had = self.ours.get(ours)
        if ours == "sft" and self.ours.get("train", {}).get("sft"):
            had = self.ours["tokens"] / min(self.ours["train"]["sft"])
        if had and theirs:
            result(name, had / theirs, at_least=1, note=f"{had:.0f} and {theirs:.0f} tokens/s")
        else:
            left_out(name, "one side is missing")

    def all(self):
        with speed.within(self.time.left()):
            self.load()
        try:
            for which in (FIRST, OTHERS):
                self.score(which)
                self.train(which)
                self.generate(which)
        finally:
            self.ratio("score against transformers", "score", self.best["score"].result())
            self.ratio("train SFT against transformers + peft", "sft", self.best["sft"].result())
            self.ratio("sample against transformers", "sample", self.best["sample"].result())


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--device", choices=("cuda", "cpu"), default="cuda")
    parser.add_argument("--seconds", type=float, default=60)
    parser.add_argument("--room", type=pathlib.Path, required=True)
    for name in ("layers", "tokens", "new", "answers"):
        parser.add_argument("--" + name, type=int)
    a = parser.parse_args()
    warnings.simplefilter("ignore")
    logging.disable(logging.WARNING)
    a.room.mkdir(parents=True, exist_ok=True)
    p = peers(a)
    # Whoever ends it gets what there is.
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(1))
    try:
        p.all()
    except Exception as error:
        if not hasattr(p, "model"):
            left_out("transformers", f"{type(error).__name__}: {str(error)[:200]}")
        else:
            raise
    sys.stdout.flush()
    return 1 if p.wrong else 0


if __name__ == "__main__":
    sys.exit(main())
