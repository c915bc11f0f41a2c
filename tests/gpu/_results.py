"""What a script of tests/gpu found, for people and for the table of the kit: each result is a line on
standard output and, where CUSET_KIT_RESULTS names a file, a JSON object appended to it.

    {"part":"speed","name":"score, 4096 tokens","value":36000.0,"unit":"tokens/s","target":">= 30000",
     "met":true,"note":"..."}

`met` is null where there is no target. A result that could not be had has `value` null and says why
in `note`; it is neither met nor missed. In a rehearsal (CUSET_KIT_REHEARSAL), whose sizes are tiny, figures
have no target. The line is written at once and whole, so that a script that
is ended leaves what it had found.
"""
import json
import os

missed = 0  # results of this process that missed their target


def result(name, value, unit="", at_most=None, at_least=None, note=""):
    """One figure. Returns whether it meets its target; without a target, True."""
    target, met = "", None
    if os.environ.get("CUSET_KIT_REHEARSAL"):
        pass
    elif at_most is not None:
        target, met = f"<= {at_most:g}", value <= at_most
    elif at_least is not None:
        target, met = f">= {at_least:g}", value >= at_least
    _write(name, value, unit, target, met, note)
    return met is not False


def check(name, right, note=""):
    """Something that is right or wrong. Returns it."""
    _write(name, "right" if right else "WRONG", "", "right", bool(right), note)
    return bool(right)


def left_out(name, why):
    """Something that could not be had on this machine."""
    _write(name, None, "", "", None, why)


def _write(name, value, unit, target, met, note):
    global missed
    missed += met is False
    shown = "left out" if value is None else f"{value:.6g}" if isinstance(value, float) else str(value)
    parts = [f"{name}: {shown}", unit, f"({target})" if target and target != "right" else "",
             "MISSED" if met is False and target != "right" else "", note]
    print(" ".join(part for part in parts if part), flush=True)
    path = os.environ.get("CUSET_KIT_RESULTS")
    if path:
        line = json.dumps({"part": os.environ.get("CUSET_KIT_PART", ""), "name": name, "value": value,
                           "unit": unit, "target": target, "met": met, "note": note})
        with open(path, "ab", buffering=0) as file:  # one write, for processes side by side
            file.write(line.encode() + b"\n")
