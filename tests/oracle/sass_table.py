"""The table of what a GPU executes for divisions, roots and functions (lib/cost/sass_operations.tsv), against nvcc's own
output, which sass/sass_operations.py interprets."""

import pathlib
import shutil
import subprocess
import sys

if not shutil.which("nvcc") and not pathlib.Path("/usr/local/cuda/bin/nvcc").exists():
    print("skipped: there is no nvcc")
    sys.exit(77)
script = pathlib.Path(__file__).parent / "sass/sass_operations.py"
sys.exit(subprocess.run([sys.executable, script, "--check"], check=False).returncode)
