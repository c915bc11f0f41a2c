"""This measures LoRA training on a base of 7 billion weights that is kept in 4 and 8 bits, beside the same
base in bfloat16, on this GPU at 4096 tokens a step: tokens a second, and memory.

    CUSET_BIN=build/cuda/bin CUSET_SOURCE=. python3 tests/gpu/_large_base.py [--seconds 80] [--room DIR]
        [--device cuda] [--steps 12] [--layers 28] [--tokens 4096]

The model, the samples and the options are those of _model_speed.py, which this goes on from where --room has
its model already. What activations take is what the run in bfloat16 has on top of its weights; a quantised
run's memory over that is what its weights take, with the one that is dequantised.
"""
import sys

import _model_speed as speed
from _results import check, left_out, result


class large_base(speed.measurement):
    """The same steps on the base as it is, and quantised."""

    def all(self):
        if not self.part("the model", 25, self.begin):
            return
        runs = {}
        for form in ("none", "nf4", "int8"):
            def train(form=form):
                runs[form] = self.timed_steps("--objective=sft", f"--quantize={form}")
            self.part(f"train, {form}", 15, train)
        if "none" not in runs:
            left_out("quantised beside bfloat16", "bfloat16 was not measured")
            return
        whole, over, _, loss = runs.pop("none")
        result("train, not quantised", self.size.tokens / whole, "tokens/s")
        activations = over.most - self.before - self.weights
        for form, (seconds, memory, settings, first) in runs.items():
            check(f"{form}: settings", settings.get("quantize") == form, settings.get("quantize"))
            result(f"train, {form}", self.size.tokens / seconds, "tokens/s")
            result(f"train, {form}, of bfloat16's speed", whole / seconds,
                   at_least=0.75 if form == "nf4" else None)
            result(f"train, {form}, memory over activations", (memory.most - self.before - activations) / 2**30, "GiB",
                   at_most=8 if form == "nf4" else None)
            # Weights that were drawn at random and rounded know as little as before.
            check(f"{form}: the first loss", abs(first - loss) < 0.1 * loss, f"{first:.4f}, {loss:.4f} in bfloat16")


if __name__ == "__main__":
    sys.exit(speed.main(large_base, __doc__))
