"""Programs that check themselves as model.py's do, and call CUDA's libraries, whose headers only a
toolkit has."""
import _programs

files = _programs.programs("toolkit", least=20)
_programs.need_toolkit(f"{len(files)} programs of tests/host/toolkit")
files.sort(key=lambda path: path.stem != "cublas")
_programs.finish(_programs.right_in_orders(files), f"{len(files)} programs")
