# Sourced by setup_*.sh: a scratch folder, and checks of setup/setup.sh's messages. No network.
set -euo pipefail
root=${CUSET_SOURCE:-$(cd "$(dirname "$0")/../.." && pwd)}
real_deps=${CUSET_DEPS:-$root/.deps}
tmp=$(mktemp -d)
trap 'rm -rf "$tmp"' EXIT
export PIP_NO_INDEX=1 CUSET_DEPS=$tmp/deps
mkdir "$CUSET_DEPS"

fail() {
    echo "FAIL: $*" >&2
    cat "$tmp/said" >&2
    exit 1
}
# setup STATUS ARGUMENT...: setup.sh must end with STATUS; its messages go to $tmp/said.
setup() {
    local want=$1 status=0
    shift
    "${setup:-$root/setup/setup.sh}" "$@" >"$tmp/said" 2>&1 || status=$?
    [ "$status" -eq "$want" ] || fail "exit status $status instead of $want"
}
says() { grep -qF -- "$1" "$tmp/said" || fail "it does not say: $1"; }
# Only the lock may be left behind.
nothing_made() {
    local left
    left=$(find "$CUSET_DEPS" -mindepth 1 -maxdepth 1 ! -name .lock ! -type l)
    [ -z "$left" ] || fail "left behind: $left"
}
need_deps() {
    [ -f "$real_deps/tools/.stamp" ] || {
        echo "skipped: $real_deps was not made by setup/setup.sh"
        exit 77
    }
}
