"""The rotating third of a long suite. tests/run.sh sets CUSET_PART to 0, 1 or 2 by the commit's hash, so
that three commits in a row are likely to see all of a suite; without it, and with CUSET_LONG, every run
takes all. A suite of planted faults never rotates: each of them has to be found each time."""
import os


def third(items, what):
    """A third of `items`, a list of `what`; prints which. The parts are interleaved, so that each has
    some of every kind."""
    items = list(items)
    part = os.environ.get("CUSET_PART", "")
    if not part or os.environ.get("CUSET_LONG"):
        return items
    chosen = items[int(part)::3]
    print(f"part {int(part) + 1} of 3: {len(chosen)} of {len(items)} {what}", flush=True)
    return chosen
