#!/usr/bin/env bash
# Makes a Debian package of the tools that need no model, for the Debian release of this machine, and
# beside it cuset-dbgsym with their debug files.
#
# usage: setup/deb.sh [--build FOLDER] [-o FOLDER]
#   --build FOLDER  a build that is there, taken as it is (default: the preset no-torch, which is built)
#   -o FOLDER       where the packages go (dist)
#
# The name of the package is the last line, on standard output. Environment: CUSET_DEPS.
set -euo pipefail

source_dir=$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)
deps=$(realpath -m "${CUSET_DEPS:-$source_dir/.deps}")
die() {
    printf 'deb: %s\n' "$*" >&2
    exit 1
}
usage() { sed -n '2,/^set -/{/^#/s/^# \{0,1\}//p}' "${BASH_SOURCE[0]}"; }

build='' out=dist
while [ $# -gt 0 ]; do
    case $1 in
        --build) build=${2:?--build needs a folder} && shift ;;
        -o) out=${2:?-o needs a folder} && shift ;;
        -h | --help) usage; exit 0 ;;
        *) usage >&2; exit 2 ;;
    esac
    shift
done
mkdir -p "$out"
out=$(realpath "$out")
for tool in dpkg-shlibdeps cpack; do
    command -v $tool >/dev/null || die "$tool is missing (Debian packages dpkg-dev and cmake)"
done
if [ -z "$build" ]; then
    build=$source_dir/build/no-torch
    CUSET_DEPS=$deps "$source_dir/setup/setup.sh" >&2
    { cd "$source_dir" && cmake --preset no-torch -DCUSET_DEPS="$deps" &&
        cmake --build --preset no-torch --target tools/all; } >&2
fi
build=$(realpath -m "$build")
[ -e "$build/CPackConfig.cmake" ] || die "$build is not a build folder"
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
umask 022 # the folders of a package have these modes
(cd "$scratch" && cpack --config "$build/CPackConfig.cmake" -B "$scratch" >log 2>&1) ||
    { tail -n 20 "$scratch/log" >&2 && die 'cpack failed'; }
packages=("$scratch"/cuset*.deb "$scratch"/cuset*.ddeb)
for package in "${packages[@]}"; do
    [ ! -e "$package" ] || mv "$package" "$out/"
done
version=$(sed -n 's/^CMAKE_PROJECT_VERSION:[A-Z]*=//p' "$build/CMakeCache.txt")
package=$out/cuset_${version}_$(dpkg --print-architecture).deb
[ -e "$package" ] || die "cpack made no $package"
printf '%s\n' "$package"
