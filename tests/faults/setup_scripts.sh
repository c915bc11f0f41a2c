#!/usr/bin/env bash
# Our own shell scripts are free of shellcheck's warnings.
set -euo pipefail
cd "${CUSET_SOURCE:-$(dirname "$0")/../..}"
command -v shellcheck >/dev/null || {
    echo "skipped: shellcheck is absent"
    exit 77
}
shellcheck -x setup/*.sh examples/*.sh tests/run.sh tests/faults/setup_*.sh .ci/run
echo ok
