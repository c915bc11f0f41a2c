"""The execution model, its API and its library: each program checks itself against values computed
by hand or by plain C++, in the plain order of threads and in others, and with asynchronous streams.
Also code that is not modelled, which is refused by name, and code that nvcc refuses, but g++ would
accept."""
import _programs
from _rotation import third

files = third(_programs.programs("model", "library", least=30), "programs")
wrong = _programs.right_in_orders(files)
# These go on after faults, which runs without asynchronous streams do not survive.
wrong += _programs.failed(_programs.run(_programs.programs("asynchronous"), "--seed", "1", "--asynchronous"),
                          "asynchronous")
wrong += _programs.wrongly_accepted("unmodelled") + _programs.wrongly_accepted("refused")
_programs.finish(wrong, f"{len(files)} programs")
