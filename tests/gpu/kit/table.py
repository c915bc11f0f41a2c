"""The table of what the kit found, from the lines that its scripts wrote (tests/gpu/_results.py)."""
import contextlib
import json


def read(path):
    """The results; a line that was cut, as by a full disk, is none."""
    results = []
    try:
        with open(path, encoding="utf-8", errors="replace") as file:
            for line in file:
                with contextlib.suppress(ValueError):
                    results.append(json.loads(line))
    except FileNotFoundError:
        pass
    return results


def value(result):
    v = result["value"]
    if v is None:
        return "left out"
    if isinstance(v, float):
        return f"{v:.1f}" if 100 <= abs(v) < 1e7 else f"{v:.4g}"
    return str(v)


def text(results, head):
    """Lines of `head`, then a line for each result, then the counts."""
    rows = [("part", "what", "value", "unit", "target", "", "note")]
    for r in results:
        mark = {True: "ok", False: "NO", None: ""}[r["met"]]
        rows.append((r["part"], r["name"], value(r), r["unit"], r["target"], mark, r["note"].replace("\n", " ")))
    widths = [max(len(row[i]) for row in rows) for i in range(6)]
    lines = list(head) + [""]
    for row in rows:
        cells = [row[i].rjust(widths[i]) if i == 2 else row[i].ljust(widths[i]) for i in range(6)]
        lines.append("  ".join([*cells, row[6][:160]]).rstrip())
    met = [r["met"] for r in results]
    lines += ["", f"{met.count(True)} right or met, {met.count(False)} wrong or missed, "
              f"{sum(r['value'] is None for r in results)} left out"]
    return "\n".join(lines) + "\n"
