"""Programs that check themselves as model.py's do, and include the toolkit's own headers: its
libraries, and the calls and types that only they declare."""
import _programs

files = _programs.programs("toolkit", least=40)
_programs.need_toolkit(f"{len(files)} programs of tests/host/toolkit")
files.sort(key=lambda path: path.stem != "cublas")  # alone, it compiles the libraries' runtime once
_programs.finish(_programs.right_in_orders(files), f"{len(files)} programs")
