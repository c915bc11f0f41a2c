"""This compares the objectives that learn from verdicts with TRL 1.16's losses: loss, coefficients and gradients of one
step, and ten optimiser steps, on tiny random models in double.

    CUSET_DEPS=.deps python3 tests/oracle/preference_losses.py --install    # once, 290 MB: TRL itself

The formulas below are TRL's, written again on whole log-probabilities. Where TRL is installed, its own
DPOTrainer._compute_loss or GRPOTrainer._compute_loss is run on the same log-probabilities and must give the same loss and gradients; without it
that part is left out. A gradient may differ by 1e-5 relative, as in loss_gradients.py, or by twice the error of the same
oracle in float, if that is more. log p is a float with errors of about 1e-6, up to 2e-5: a loss that is near 0 is a
difference of large numbers, and may differ by 2e-6 for each unit of its derivatives beside the 1e-5; grpo's coefficients
have the ratio as a factor, which the largest of these errors moves by as much, relative: 3e-5.
"""
import json
import os
import pathlib
import subprocess
import sys

SOURCE = pathlib.Path(__file__).resolve().parents[2]
TRL = pathlib.Path(os.environ.get("CUSET_DEPS", SOURCE / ".deps")) / "trl"
if sys.argv[1:] == ["--install"]:
    sys.exit(subprocess.run([TRL.parent / "oracle/bin/python3", "-m", "pip", "install", "--no-deps", "--require-hashes",
                             "--only-binary", ":all:", "--target", TRL, "-r", SOURCE / "setup/pins/trl.txt"],
                            check=False).returncode)

import tempfile  # noqa: E402
from collections import defaultdict  # noqa: E402
from types import SimpleNamespace  # noqa: E402

import torch  # noqa: E402
import torch.nn.functional as F  # noqa: E402
from safetensors.torch import load_file  # noqa: E402
from transformers import AutoModelForCausalLM, get_scheduler  # noqa: E402

from _checks import check, driver, finish  # noqa: E402
from _random_models import TINY, make_model  # noqa: E402
from _training import distance, lora_model, make_adapter, many_steps  # noqa: E402

LOSS, STEPS = driver("loss_dump"), driver("training_dump")
torch.set_num_threads(2)
ROOM = pathlib.Path(tempfile.mkdtemp())
if TRL.exists():
    sys.path.append(str(TRL))
    from trl import DPOTrainer, GRPOTrainer
else:
    DPOTrainer = GRPOTrainer = None
    print(f"     {TRL} is absent (preference_losses.py --install makes it): the formulas are not held against TRL's own")


def random_tokens(generator, count):
    return torch.randint(0, TINY["vocab_size"], (count,), generator=generator).tolist()


def random_flags(generator, count):
    """About half of the tokens, and at least one."""
    flags = torch.randint(0, 2, (count,), generator=generator)
    flags[0] = 1
    return flags.tolist()


def random_pairs(seed, lengths):
    """Lengths of prompt, chosen and rejected response. The reference's log-probabilities lie beside random models' own,
    so that z is on both sides of 0."""
    generator = torch.Generator().manual_seed(seed)
    pairs = []
    for prompt, chosen, rejected in lengths:
        asked = random_tokens(generator, prompt)
        pairs.append({"tokens": asked + random_tokens(generator, chosen), "prompt": prompt, "key": 0,
                      "rejected": asked + random_tokens(generator, rejected), "rejected_prompt": prompt})
    for pair, (_, chosen, rejected) in zip(pairs, lengths, strict=True):
        pair["sensitive"], pair["rejected_sensitive"] = random_flags(generator, chosen), random_flags(generator, rejected)
    return pairs


WINDOW = 8
# About half of the tokens have a confidence above it.
TAU = 0.001


def hardest_window(log_p):
    """The tokens of the first window of the least mean confidence: that at token t, from 1, has those from t - l/2 to
    t + l/2 - 1, clipped at the ends."""
    confidence, count = log_p.exp(), len(log_p)
    if count < WINDOW:
        return torch.ones(count)
    windows = [(max(1, t - WINDOW // 2), min(count, t + (WINDOW + 1) // 2 - 1)) for t in range(1, count + 1)]
    first, last = min(windows, key=lambda w: confidence[w[0] - 1:w[1]].mean().item())
    blame = torch.zeros(count)
    blame[first - 1:last] = 1
    return blame


def blame_of(part, flags, log_p):
    """1 for the tokens that have a loss."""
    code, confident = torch.tensor(flags, dtype=torch.float32), (log_p.exp() > TAU).float()
    return {"all": torch.ones(len(log_p)), "code": code, "confident": confident, "cuset": torch.maximum(code, confident),
            "window": hardest_window(log_p)}[part].to(log_p)


def log_p_of(model, tokens, prompt):
    """log p of the tokens behind the prompt."""
    ids = torch.tensor([tokens])
    logits = model(ids).logits[0, prompt - 1:-1]
    return logits.log_softmax(-1).gather(1, ids[0, prompt:, None])[:, 0]


def sides(model, pair):
    return log_p_of(model, pair["tokens"], pair["prompt"]), log_p_of(model, pair["rejected"], pair["rejected_prompt"])


# --- DPO -----------------------------------------------------------------------------------------

def dpo_loss(log_p, references, beta=0.1, label_smoothing=0.0, length_normalise=False, blame=None):
    """Of lists of (chosen, rejected): "sigmoid" of TRL, "sigmoid_norm" if it normalises; with smoothing TRL 0.24's
    "sigmoid", which is "aot" of TRL 1.16 for one pair at a time. The mean over pairs, and each z."""
    margins = []
    for i, (pair, reference) in enumerate(zip(log_p, references, strict=True)):
        kept = blame[i] if blame else [torch.ones_like(r) for r in reference]
        gains = [((p - r) * k).sum() / (k.sum() if length_normalise else 1)
                 for p, r, k in zip(pair, reference, kept, strict=True)]
        margins.append(beta * (gains[0] - gains[1]))
    z = torch.stack(margins)
    loss = -(1 - label_smoothing) * F.logsigmoid(z) - label_smoothing * F.logsigmoid(-z)
    return loss.mean(), z.detach()


class Scored:
    """What DPOTrainer calls a model with a fused head: it gives log p of the labels."""
    training = True

    def __init__(self, log_p):
        self.log_p = log_p

    def __call__(self, labels, **_):
        zeros = torch.zeros_like(self.log_p)
        return SimpleNamespace(log_probs=self.log_p, entropy=zeros, mean_logits=zeros, is_top1=zeros.bool())


def trl_dpo_loss(log_p, references, beta=0.1, label_smoothing=0.0, length_normalise=False):
    """The loss by DPOTrainer._compute_loss itself."""
    if label_smoothing and len(log_p) > 1:
        return torch.stack([trl_dpo_loss([p], [r], beta, label_smoothing) for p, r in
                            zip(log_p, references, strict=True)]).mean()
    rows = [pair[side] for side in (0, 1) for pair in log_p]  # all chosen, then all rejected
    wide = max(len(row) for row in rows)
    padded = torch.stack([F.pad(row, (0, wide - len(row))) for row in rows])
    mask = torch.stack([F.pad(torch.ones(len(row)), (1, wide - len(row))) for row in rows]).long()
    name = "aot" if label_smoothing else "sigmoid_norm" if length_normalise else "sigmoid"
    same = lambda value: value  # noqa: E731
    trainer = SimpleNamespace(
        model=Scored(padded), accelerator=SimpleNamespace(device="cpu", gather=same, gather_for_metrics=same),
        aux_loss_enabled=False, ld_alpha=None, precompute_ref_logps=True, f_divergence_type="reverse_kl",
        loss_types=[name], loss_weights=[1.0], beta=beta, label_smoothing=label_smoothing, use_weighting=False,
        _metrics=defaultdict(lambda: defaultdict(list)), _total_train_tokens=0, _tp_size=1)
    inputs = {"input_ids": torch.zeros_like(mask), "attention_mask": torch.ones_like(mask), "completion_mask": mask,
              "ref_chosen_logps": torch.stack([reference[0].sum() for reference in references]),
              "ref_rejected_logps": torch.stack([reference[1].sum() for reference in references])}
    return DPOTrainer._compute_loss(trainer, trainer.model, inputs, False)


def compare_with_trl(what, ours, theirs, log_p):
    """Both losses, and their derivatives by every log p."""
    leaves = [p for pair in log_p for p in pair]
    a, b = (torch.autograd.grad(loss, leaves, retain_graph=True, allow_unused=True) for loss in (ours, theirs))
    apart = max((torch.zeros(()) if x is None and y is None else (x - y).abs().max()).item()
                for x, y in zip(a, b, strict=True))
    check(f"{what}: TRL's own", abs((ours - theirs).item()) <= 1e-12 and apart <= 1e-12,
          f"loss {abs((ours - theirs).item()):.2g} derivatives {apart:.2g}")


PAIRS = random_pairs(17, [(5, 40, 22), (1, 1, 3), (12, 7, 60), (3, 25, 25)])
SETTINGS = {
    "dpo": {},
    "dpo beta 0.5": dict(beta=0.5),
    "dpo label smoothing": dict(label_smoothing=0.2, beta=0.3),
    "dpo length normalised": dict(length_normalise=True, beta=2.0),
    "dpo smoothed and normalised": dict(length_normalise=True, beta=2.0, label_smoothing=0.1),
}


def one_step(base, batches, **options):
    out = ROOM / "gradients.safetensors"
    run = subprocess.run([LOSS, base, out], text=True, capture_output=True,
                         input=json.dumps({"options": options, "micro_batches": batches}) + "\n")
    if run.returncode != 0:
        sys.exit(f"loss_dump {options}: {run.returncode} {run.stderr}")
    return json.loads(run.stdout), load_file(out)


def gradients_of(model, loss):
    model.zero_grad()
    loss.backward()
    return {name.replace(".default", ""): parameter.grad.clone() for name, parameter in model.named_parameters()
            if parameter.grad is not None}


def near(a, b, relative, absolute):
    return abs(a - b) <= relative * abs(b) + absolute


def compare_gradients(what, gradients, reference, of_floats):
    check(f"{what}: names", gradients.keys() == reference.keys(), str(list(gradients.keys() ^ reference.keys())[:4]))
    worst = max((distance(gradients[n], reference[n]), n) for n in reference)
    tolerance, detail = 1e-5, f"{worst[0]:.2g} {worst[1]}"
    if worst[0] > tolerance:
        rounded = of_floats()
        tolerance = max(tolerance, 2 * max(distance(rounded[n], reference[n]) for n in reference))
        detail += f", float's own error {tolerance / 2:.2g}"
    check(f"{what}: gradients", worst[0] <= tolerance, detail)


def compare_dpo(what, base, model, settings, part="all", **options):
    def loss_of(references):
        log_p = [sides(model, pair) for pair in PAIRS]
        blame = [[blame_of(part, flags, r) for flags, r in zip((pair["sensitive"], pair["rejected_sensitive"]), reference,
                                                               strict=True)]
                 for pair, reference in zip(PAIRS, references, strict=True)]
        return log_p, *dpo_loss(log_p, references, blame=blame, **settings)

    # The reference is the model itself with noise of 0.5 a token, in floats: z reaches several units.
    generator = torch.Generator().manual_seed(3)
    with torch.no_grad():
        references = [[(p + 0.5 * torch.randn(len(p), generator=generator)).float().double() for p in sides(model, pair)]
                      for pair in PAIRS]
    asked = [pair | {"reference": torch.cat(reference).tolist()}
             for pair, reference in zip(PAIRS, references, strict=True)]
    mine, gradients = one_step(base, [asked], objective="dpo", blame=part, window=WINDOW, tau=TAU, **settings, **options)
    log_p, loss, z = loss_of(references)
    if DPOTrainer and part == "all" and not (settings.get("length_normalise") and settings.get("label_smoothing")):
        compare_with_trl(what, loss, trl_dpo_loss(log_p, references, **settings), log_p)
    check(f"{what}: loss", near(mine["loss"], loss.item(), 1e-5, 2e-6), f"{mine['loss']:.9g} {loss.item():.9g}")
    chosen = mine["samples"][::2]
    # z is beta times a sum over up to 80 tokens of floats with errors of about 1e-6.
    apart = max(abs(s["margin"] - m) for s, m in zip(chosen, z.tolist(), strict=True)) / settings.get("beta", 0.1)
    both_sides = min(z) < 0 < max(z) or part == "confident"  # sure tokens are those that random models gain on
    check(f"{what}: margins", apart <= 1e-4 and [s["preferred"] for s in chosen] == (z > 0).double().tolist() and both_sides,
          f"{apart:.2g} of {[round(m, 2) for m in z.tolist()]}")
    leaves = [p for pair in log_p for p in pair]
    wanted = torch.autograd.grad(loss, leaves, retain_graph=True)
    apart = max((torch.tensor(s["k"]).double() + k).abs().max().item()
                for s, k in zip(mine["samples"], wanted, strict=True))
    check(f"{what}: coefficients", apart <= 1e-5 * max(k.abs().max().item() for k in wanted) + 1e-9, f"{apart:.2g}")

    def of_floats():
        model.float()
        rounded = gradients_of(model, loss_of([[r.float() for r in pair] for pair in references])[1])
        model.double()
        return rounded

    compare_gradients(what, gradients, gradients_of(model, loss), of_floats)
    return asked, mine, gradients


def train(model, data, loss_of, steps=10, lr=1e-2, batch=1):
    """Ten steps of torch.optim.AdamW; loss_of(samples) gives a loss and figures to log."""
    trained = [p for p in model.parameters() if p.requires_grad]
    optimizer = torch.optim.AdamW(trained, lr=lr, weight_decay=0.0)
    scheduler = get_scheduler("cosine", optimizer, num_warmup_steps=1, num_training_steps=steps)
    log, epoch = [], [data[i:i + batch] for i in range(0, len(data), batch)]
    for step in range(steps):
        optimizer.zero_grad()
        loss, figures = loss_of(epoch[step % len(epoch)])
        loss.backward()
        norm = torch.nn.utils.clip_grad_norm_(trained, 1.0)
        log.append({"loss": loss.item(), "norm": norm.item()} | figures)
        optimizer.step()
        scheduler.step()
    return log, {n.replace(".default", ""): p.detach() for n, p in model.named_parameters() if p.requires_grad}


def compare_steps(what, base, data, model, loss_of, start, batch, **options):
    """5e-4 relative for what a step reports, as in training_steps.py, beside rounding of z that starts at 0: log p is
    float, and AdamW enlarges it from step to step."""
    log, trained = many_steps(STEPS, base, ROOM / "out", data, steps=10, batch=batch, warmup=1, **options)
    expected, reference = train(model, data, loss_of, batch=batch)
    worst = {key: max(abs(a[key] - b[key]) / (abs(b[key]) + 1e-2) for a, b in zip(log, expected, strict=True))
             for key in expected[0]}
    check(f"{what}: steps", all(value <= 5e-4 for value in worst.values()), str(worst))
    apart = max((distance(trained[n], reference[n]), n) for n in reference)
    check(f"{what}: weights", apart[0] <= 1e-3, f"{apart[0]:.2g} {apart[1]}")
    moved = min(distance(reference[n], start[n]) for n in reference if n in start)
    check(f"{what}: it was trained", moved > 1e-3, f"{moved:.2g}")


def dpo_steps(model, **settings):
    with torch.no_grad():
        kept = {pair["tokens"][0] * 1000 + len(pair["tokens"]): sides(model, pair) for pair in PAIRS}

    def loss_of(samples):
        references = [kept[pair["tokens"][0] * 1000 + len(pair["tokens"])] for pair in samples]
        loss, z = dpo_loss([sides(model, pair) for pair in samples], references, **settings)
        return loss, {"margin": z.mean().item(), "accuracy": (z > 0).double().mean().item()}
    return loss_of


# --- GRPO ----------------------------------------------------------------------------------------

def random_answers(seed, lengths):
    """Lengths of prompt and answer, advantage, and whether the answer is masked."""
    generator = torch.Generator().manual_seed(seed)
    answers = [{"tokens": random_tokens(generator, prompt + answer), "prompt": prompt, "key": 0,
                "advantage": advantage, "masked": masked} for prompt, answer, advantage, masked in lengths]
    for answer, (_, length, _, _) in zip(answers, lengths, strict=True):
        answer["sensitive"] = random_flags(generator, length)
    return answers


def answer_blame(part, answer):
    return blame_of(part, answer["sensitive"], torch.tensor(answer["old_log_p"], dtype=torch.float64))


def counted_tokens(answers, part):
    return sum(int(answer_blame(part, answer).sum()) for answer in answers if not answer["masked"])


def grpo_loss(log_p, answers, references, norm="tokens", clip_low=0.2, clip_high=0.2, beta=0.0, part="all"):
    """TRL's "dapo" (norm tokens) and "grpo" (norm sample), with mask_truncated_completions."""
    total, figures = 0, defaultdict(float)
    tokens = max(1, counted_tokens(answers, part))
    for p, answer, reference in zip(log_p, answers, references, strict=True):
        if answer["masked"]:
            continue
        a = torch.tensor(answer["advantage"], dtype=p.dtype)
        ratio = (p - torch.tensor(answer["old_log_p"], dtype=p.dtype)).exp()
        loss = -torch.min(ratio * a, ratio.clamp(1 - clip_low, 1 + clip_high) * a)
        divergence = torch.exp(reference - p) - (reference - p) - 1
        blame = answer_blame(part, answer).to(p)
        loss = (loss + beta * divergence) * blame
        total = total + loss.sum() / {"tokens": tokens, "sample": len(answers) * blame.sum(), "sum": len(answers)}[norm]
        clipped = ratio < 1 - clip_low if a < 0 else (ratio > 1 + clip_high) & (a > 0)
        for key, values in (("ratio", ratio), ("clip_share", clipped.to(p)), ("kl", divergence)):
            figures[key] += (values.detach() * blame).sum().item() / tokens
    return total, figures


def trl_grpo_loss(log_p, answers, references, norm="tokens", clip_low=0.2, clip_high=0.2, beta=0.0, part="all"):
    """The loss by GRPOTrainer._compute_loss itself."""
    wide = max(len(p) for p in log_p)

    def padded(rows):
        return torch.stack([F.pad(row, (0, wide - len(row))) for row in rows])

    mask = padded([answer_blame(part, answer) * (not answer["masked"]) for answer in answers]).long()
    rows, same = padded(log_p), lambda value, **_: value
    trainer = SimpleNamespace(
        model=SimpleNamespace(training=True), beta=beta, epsilon_low=clip_low, epsilon_high=clip_high,
        loss_type={"tokens": "dapo", "sample": "grpo"}[norm], importance_sampling_level="token", top_entropy_quantile=1.0,
        off_policy_mask_threshold=None, use_vllm=False, aux_loss_enabled=False, _entropy_bonus_enabled=False,
        current_gradient_accumulation_steps=1,
        args=SimpleNamespace(delta=None, use_bias_correction_kl=False, steps_per_generation=1),
        accelerator=SimpleNamespace(num_processes=1, gather=same, reduce=same, device="cpu"),
        _metrics=defaultdict(lambda: defaultdict(list)),
        _get_per_token_logps_and_entropies=lambda *_, **__: (rows, torch.zeros_like(rows), None))
    inputs = {"prompt_ids": torch.zeros(len(rows), 1).long(), "prompt_mask": torch.ones(len(rows), 1).long(),
              "completion_ids": torch.zeros_like(mask), "completion_mask": mask, "num_items_in_batch": mask.sum(),
              "advantages": torch.tensor([answer["advantage"] for answer in answers], dtype=rows.dtype),
              "old_per_token_logps": padded([torch.tensor(answer["old_log_p"], dtype=rows.dtype) for answer in answers]),
              "ref_per_token_logps": padded(references)}
    return GRPOTrainer._compute_loss(trainer, None, inputs)


ANSWERS = random_answers(19, [(5, 40, 1.3, False), (1, 1, -0.4, False), (12, 60, -1.1, False), (3, 25, 2.0, True),
                              (4, 33, 0.7, False), (2, 9, 0.0, False)])
GRPO = {
    "grpo": {},
    "grpo sample": dict(norm="sample"),
    "grpo sum": dict(norm="sum"),
    "grpo clips": dict(clip_low=0.1, clip_high=0.28),
    "grpo kl": dict(beta=0.04),
    "grpo code": dict(part="code", beta=0.04),
    "grpo code sample": dict(part="code", norm="sample"),
    "grpo window": dict(part="window", norm="sample"),
    "grpo confident": dict(part="confident"),
    "grpo cuset": dict(part="cuset", beta=0.04),
    "grpo cuset sample": dict(part="cuset", norm="sample"),
    "grpo kl sample": dict(beta=0.3, norm="sample", clip_high=0.28),
}


def answers_log_p(model, answers):
    return [log_p_of(model, answer["tokens"], answer["prompt"]) for answer in answers]


def with_old(model, answers, noise):
    """The answers with the probabilities of a model that is near to this one, in floats."""
    generator = torch.Generator().manual_seed(4)
    with torch.no_grad():
        return [answer | {"old_log_p": (p + noise * torch.randn(len(p), generator=generator)).clamp(max=0).float().tolist()}
                for answer, p in zip(answers, answers_log_p(model, answers), strict=True)]


def compare_grpo(what, base, model, settings, **options):
    answers = with_old(model, ANSWERS, 0.3)
    generator = torch.Generator().manual_seed(5)
    with torch.no_grad():
        references = [(p + 0.4 * torch.randn(len(p), generator=generator)).float().double()
                      for p in answers_log_p(model, answers)]
    asked = [answer | {"reference": reference.tolist()} for answer, reference in zip(answers, references, strict=True)]
    part = settings.get("part", "all")
    asked_for = {"beta": 0.0, "blame": part, "window": WINDOW, "tau": TAU} | {k: v for k, v in settings.items() if k != "part"}
    mine, gradients = one_step(base, [asked], objective="grpo", counted=counted_tokens(answers, part), **asked_for,
                               **options)
    log_p = answers_log_p(model, answers)
    loss, figures = grpo_loss(log_p, answers, references, **settings)
    if GRPOTrainer and settings.get("norm") != "sum":
        compare_with_trl(what, loss, trl_grpo_loss(log_p, answers, references, **settings), log_p)
    wanted = torch.autograd.grad(loss, log_p, retain_graph=True, allow_unused=True)
    reach = sum(k.abs().sum().item() for k in wanted if k is not None)
    check(f"{what}: loss", near(mine["loss"], loss.item(), 1e-5, 2e-6 * reach), f"{mine['loss']:.9g} {loss.item():.9g}")
    counted = counted_tokens(answers, part)
    told = {key: sum(s[name] for s in mine["samples"]) / counted
            for key, name in (("ratio", "ratio"), ("clip_share", "clipped"), ("kl", "kl"))}
    apart = max(abs(told[key] - figures[key]) for key in told if key != "kl" or settings.get("beta"))
    check(f"{what}: figures", apart <= 1e-5 and 0.1 < figures["clip_share"] < 0.9, f"{apart:.2g} {dict(figures)}")
    apart = max((torch.tensor(s["k"]).double() + (0 if k is None else k)).abs().max().item()
                for s, k in zip(mine["samples"], wanted, strict=True))
    largest = max(k.abs().max().item() for k in wanted if k is not None)
    check(f"{what}: coefficients", apart <= 3e-5 * largest, f"{apart / largest:.2g}")
    check(f"{what}: kept", [s["kept"] for s in mine["samples"]] ==
          [0 if k is None else (k != 0).sum().item() for k in wanted])

    def of_floats():
        model.float()
        rounded = gradients_of(model, grpo_loss(answers_log_p(model, answers), answers,
                                                [r.float() for r in references], **settings)[0])
        model.double()
        return rounded

    compare_gradients(what, gradients, gradients_of(model, loss), of_floats)
    return asked, mine, gradients


def grpo_steps(model, answers, **settings):
    with torch.no_grad():
        kept = {tuple(answer["tokens"]): p for answer, p in zip(answers, answers_log_p(model, answers), strict=True)}

    def loss_of(samples):
        loss, figures = grpo_loss(answers_log_p(model, samples), samples, [kept[tuple(s["tokens"])] for s in samples],
                                  **settings)
        return loss, dict(figures) if settings.get("beta") else {k: v for k, v in figures.items() if k != "kl"}
    return loss_of


for name in ("llama", "qwen2", "qwen3"):
    base = make_model(name, ROOM)
    adapter = make_adapter(base, ROOM / f"{name}-adapter")
    model = lora_model(base, adapter, torch.float64)
    for what, settings in SETTINGS.items():
        asked, mine, gradients = compare_dpo(f"{name} {what}", str(base), model, settings, adapter=str(adapter))
    for part, more in (("code", {}), ("window", {}), ("confident", {}), ("cuset", {}), ("code", dict(length_normalise=True, beta=2.0))):
        compare_dpo(f"{name} dpo {part} {more}", str(base), model, more, part=part, adapter=str(adapter))
    # Passes of whole pairs do not change the result.
    other, apart = one_step(str(base), [[pair] for pair in asked], objective="dpo", adapter=str(adapter), **settings)
    worst = max(distance(apart[n], gradients[n]) for n in gradients)
    check(f"{name}: one pair a pass changes nothing", worst <= 1e-5 and near(other["loss"], mine["loss"], 1e-6, 0),
          f"{worst:.2g}")
    # A run's reference is the adapter that it begins with.
    start = load_file(adapter / "adapter_model.safetensors")
    for what, settings in (("dpo", {}), ("dpo normalised", dict(length_normalise=True, beta=2.0, label_smoothing=0.1))):
        model = lora_model(base, adapter, torch.float64)
        compare_steps(f"{name} {what}", str(base), PAIRS, model, dpo_steps(model, **settings), start, 2,
                      objective="dpo", adapter=str(adapter), pass_tokens=70, **settings)

    model = lora_model(base, adapter, torch.float64)
    above = torch.cat(answers_log_p(model, ANSWERS)).exp() > TAU
    check(f"{name}: tokens above tau", 0.3 < above.double().mean().item() < 0.7, f"{above.double().mean().item():.2g}")
    for what, settings in GRPO.items():
        asked, mine, gradients = compare_grpo(f"{name} {what}", str(base), model, settings, adapter=str(adapter))
    other, apart = one_step(str(base), [asked[:2], asked[2:]], objective="grpo", adapter=str(adapter), **settings)
    worst = max(distance(apart[n], gradients[n]) for n in gradients)
    check(f"{name}: two passes of answers change nothing", worst <= 1e-5 and near(other["loss"], mine["loss"], 1e-6, 1e-9),
          f"{worst:.2g}")
    for what, settings in (("grpo", {}), ("grpo kl sample", dict(beta=0.3, norm="sample", clip_high=0.28)),
                           ("grpo code", dict(part="code")), ("grpo window", dict(part="window")), ("grpo cuset", dict(part="cuset"))):
        model = lora_model(base, adapter, torch.float64)
        answers = with_old(model, ANSWERS, 0.1)
        compare_steps(f"{name} {what}", str(base), answers, model, grpo_steps(model, answers, **settings), start, 3,
                      objective="grpo", adapter=str(adapter), pass_tokens=70, window=WINDOW, tau=TAU,
                      blame=settings.get("part", "all"),
                      **({"beta": 0.0} | {k: v for k, v in settings.items() if k != "part"}))

base = make_model("llama", ROOM)
model = AutoModelForCausalLM.from_pretrained(base, dtype=torch.float64).eval()
compare_dpo("full dpo", str(base), model, {}, full=True)
compare_grpo("full grpo", str(base), model, dict(beta=0.1), full=True)
start = {n: p.detach().clone() for n, p in model.named_parameters()}
compare_steps("full dpo", str(base), PAIRS, model, dpo_steps(model), start, 2, objective="dpo", full=True)

finish()
