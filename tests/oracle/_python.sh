#!/usr/bin/env bash
# Runs an oracle script in the environment that ./tests/run.sh --all made for it; else skips it.
python="$CUSET_DEPS/oracle/bin/python3"
if [ ! -x "$python" ]; then
    echo "skipped: the oracle environment $CUSET_DEPS/oracle is absent (./tests/run.sh --all makes it)"
    exit 77
fi
exec "$python" "$@"
