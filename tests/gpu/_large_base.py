"""This measures LoRA training on a base of 7 billion weights that is kept in 4 and 8 bits, beside the same
base in bfloat16, on this GPU at 4096 tokens a step: tokens a second, and memory.

    CUSET_BIN=build/cuda/bin CUSET_SOURCE=. python3 tests/gpu/_large_base.py [--seconds 80] [--room DIR]
        [--device cuda] [--steps 12] [--layers 28] [--tokens 4096]

The model, the samples and the options are those of _model_speed.py, which this goes on from where --room has
its model already. What activations take is what the run in bfloat16 has on top of its weights; a quantised
run's memory over that is what its weights take, with the one that is dequantised.
"""
import sys
import time

import _model_speed as speed
from _results import check, left_out, result


class large_base(speed.measurement):
    """The same steps on the base as it is, and quantised."""

    whole = None  # of the base as it is: seconds of a step, bytes over the weights, the first loss

    def all(self):
        is_there = (self.room / "model" / "model.safetensors.index.json").exists()
        if not self.part("the model", 8 if is_there else 25, self.begin):
            return
        for form in ("none", "nf4", "int8"):
            self.part(f"train, {form}", 15, lambda form=form: self.train_on(form))

    def train_on(self, form):
        begun = time.monotonic()
        seconds, memory, settings, loss = self.timed_steps("--objective=sft", f"--quantize={form}")
        beside = time.monotonic() - begun - self.steps * seconds
        used = memory.most - self.before
        result(f"train, {form}", self.size.tokens / seconds, "tokens/s",
               note=f"{used / 2**30:.2f} GiB, first loss {loss:.4f}; {beside:.1f} s beside the steps")
        if form == "none":
            self.whole = seconds, used - self.weights, loss
            return
        check(f"{form}: settings", settings.get("quantize") == form, settings.get("quantize"))
        if self.whole is None:
            left_out(f"{form} beside bfloat16", "bfloat16 was not measured")
            return
        whole, activations, whole_loss = self.whole
        result(f"train, {form}, of bfloat16's speed", whole / seconds, at_least=0.75 if form == "nf4" else None)
        result(f"train, {form}, memory over activations", (used - activations) / 2**30, "GiB",
               at_most=8 if form == "nf4" else None)
        # Weights that were drawn at random and rounded know as little as before.
        check(f"{form}: the first loss", abs(loss - whole_loss) < 0.1 * whole_loss, f"{loss:.4f}, {whole_loss:.4f}")


if __name__ == "__main__":
    sys.exit(speed.main(large_base, __doc__))
