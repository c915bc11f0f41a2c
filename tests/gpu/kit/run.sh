#!/usr/bin/env bash
# Tests and measures cuset on this machine's GPU: run.py beside it says how. What it needs is here,
# but for the driver, nvcc, g++, and a Python with torch (CUSET_PYTHON, or python3).
self=${BASH_SOURCE[0]}
if [ -L "$self" ]; then self=$(readlink -f "$self"); fi
case $self in */*) ;; *) self=./$self ;; esac
python=${CUSET_PYTHON:-$(command -v python3)}
if [ -z "$python" ]; then
    echo 'there is no python3 here (CUSET_PYTHON names one): everything is left out' >&2
    exit 2
fi
exec "$python" -B "${self%/*}/run.py" "$@"
