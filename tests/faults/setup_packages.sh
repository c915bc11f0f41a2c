#!/usr/bin/env bash
# This tests setup.sh's messages if Debian packages are missing and cannot be installed.
# shellcheck source=tests/faults/_setup.sh
. "$(dirname "$0")/_setup.sh"

# A PATH with everything that it needs but a package manager.
mkdir "$tmp/bin"
for tool in awk bash cat chmod comm dirname env find flock grep id mkdir mktemp rm sed sort; do
    ln -s "$(command -v $tool)" "$tmp/bin/$tool"
done
export PATH=$tmp/bin
program() {
    printf '#!/usr/bin/env bash\n%s\n' "$2" >"$tmp/bin/$1"
    chmod +x "$tmp/bin/$1"
}

setup 1
says "no Debian package manager here"
says "ninja-build"
if grep -q shellcheck "$tmp/said"; then
    fail "lists a package that only the tests need"
fi
nothing_made
setup 1 --tests
says "shellcheck"

# Everything is installed but two packages.
# shellcheck disable=SC2016
program dpkg-query '
shift 3
for package; do
    case $package in
        cmake) ;;
        ninja-build) echo "config-files ninja-build" ;;
        *) echo "installed $package" ;;
    esac
done
exit 1'
# shellcheck disable=SC2016
program apt-get '[ "$1" = update ] || { echo "E: Unable to locate package $9"; exit 100; }'
setup 1
if [ "$(id -u)" -eq 0 ]; then
    says "apt-get could not install: cmake ninja-build"
    says "E: Unable to locate package" # apt-get's own message is shown
fi
nothing_made

rm "$tmp/bin/id"
program id 'echo 1000'
setup 1
says "not root and no sudo: have these packages installed: cmake ninja-build"
nothing_made

program sudo 'echo "as root: $*" >&2'
setup 1 # and then unzip is missing
says "as root: apt-get update"
says "unzip is missing (Debian package unzip)"
nothing_made
echo ok
