# Sourced by tests that are shell scripts: a scratch folder, names for cases, checks, and scored records. Every command is
# a check, since the script ends with the first that fails and says which: its case, itself, and what ./err and ./log hold.
set -euo pipefail
: "${CUSET_BIN:?}" "${CUSET_SOURCE:?}"
export PATH="$CUSET_BIN:$PATH" CUSET_PLAIN=0
window=cuset-window
scratch=$(mktemp -d)
main=$BASHPID case_name='' has_failed=''
trap 'end $? "$BASH_COMMAND"' EXIT
cd "$scratch"

# case_is NAME: what follows, up to the next, is this case.
case_is() { case_name=$*; }

fail() {
    has_failed=yes
    echo "FAILED: ${case_name:+$case_name: }$*" >&2
    for file in err log; do
        if [ -s $file ]; then tail -n 20 $file | sed "s/^/    $file: /" >&2; fi
    done
    exit 1
}

# end CODE COMMAND
end() {
    [ "$BASHPID" = "$main" ] || return
    [ "$1" = 0 ] || [ "$1" = 77 ] || [ -n "$has_failed" ] || (fail "exit code $1: $2") || true
    rm -rf "$scratch"
    exit "$1"
}

skip() {
    echo "skipped: $*"
    exit 77
}

need() { for tool; do command -v "$tool" >/dev/null || skip "$tool is absent"; done; }

# expect CODE COMMAND...: runs it, with its stderr in ./err.
expect() {
    local wanted=$1 got=0
    shift
    "$@" 2>err || got=$?
    [ "$got" = "$wanted" ] || fail "exit code $got, not $wanted: $*"
}

assert_equal() { [ "$1" = "$2" ] || fail "'$1', not '$2'"; }

# tiny_model: writes a random model of a few kilobytes into the folder ./model.
tiny_model() { PYTHONPATH=$CUSET_SOURCE/tests/cli python3 -B -c 'import _tiny_model; _tiny_model.write("model")'; }

# host_runtime: programs are judged with a cache of this test's own that has the host backend's runtime.
host_runtime() {
    export XDG_CACHE_HOME=$scratch/cache
    python3 -B "$CUSET_SOURCE/tests/cli/_host_runtime.py" "$XDG_CACHE_HOME"
}

# records COUNT: that many scored records.
records() {
    awk -v n="$1" 'BEGIN { for (i = 0; i < n; ++i)
        printf "{\"id\":\"k%d\",\"prompt\":\"p\",\"response\":\"int a;\\nint b;\",\"score\":{\"end\":[3,5,6,13],\"confidence\":[0.9,0.%d,1e-05,1]}}\n", i, i % 89 + 10 }'
}

sanitized() { [ -n "${CUSET_SANITIZERS:-}" ]; }
