"""The execution model, its API and its library: each program checks itself against values computed
by hand or by plain C++, in the plain order of threads and in others, and with asynchronous streams.
Also code that is not modelled, which is refused by name, and code that nvcc refuses, but g++ would
accept."""
import _programs
from _rotation import third

files = _programs.programs("model", "library", least=30)
# Each takes g++ (grid_full: the model) 7 to 24 s, and all together nearly as long as the other 140 programs.
slow = {"conversions", "cub_block_scans", "cub_device_sorts", "cub_types", "grid_full", "group_reduce", "group_updates",
        "matrix_fragments", "matrix_layouts", "mma_shapes", "special_functions", "thrust_sorts"}
rotating = [path for path in files if path.stem in slow]
assert len(rotating) == len(slow), "a slow program is missing"
files = [path for path in files if path.stem not in slow] + third(rotating, "programs that take long")
wrong = _programs.right_in_orders(files)
# These go on after faults, which runs without asynchronous streams do not survive.
wrong += _programs.failed(_programs.run(_programs.programs("asynchronous"), "--seed", "1", "--asynchronous"),
                          "asynchronous")
wrong += _programs.wrongly_accepted("unmodelled") + _programs.wrongly_accepted("refused")
_programs.finish(wrong, f"{len(files)} programs")
