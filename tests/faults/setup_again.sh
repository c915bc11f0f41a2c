#!/usr/bin/env bash
# If everything is there, setup.sh makes nothing, fetches nothing and calls no package manager.
# shellcheck source=tests/faults/_setup.sh
. "$(dirname "$0")/_setup.sh"
need_deps
for part in oracle models/SmolLM2-135M-Instruct; do
    [ -f "$real_deps/$part/.stamp" ] || {
        echo "skipped: $real_deps/$part is absent (./tests/run.sh --all makes it)"
        exit 77
    }
done

for part in "$real_deps"/*; do
    ln -s "$part" "$CUSET_DEPS/"
done
export PIP_FIND_LINKS=$tmp/none
setup 0 --oracles --no-packages
[ "$(head -n 1 "$tmp/said")" = "setup: ready: $CUSET_DEPS" ] || fail "it did something"
nothing_made

# The Debian packages that a test needs are installed; else this would call apt-get.
if command -v dpkg-query >/dev/null; then
    mkdir "$tmp/bin"
    printf '#!/bin/sh\necho "apt-get was called: $*"\nexit 1\n' >"$tmp/bin/apt-get"
    chmod +x "$tmp/bin/apt-get"
    PATH=$tmp/bin:$PATH setup 0 --oracles
    nothing_made
fi
echo ok
