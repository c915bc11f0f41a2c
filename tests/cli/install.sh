#!/usr/bin/env bash
# `cmake --install` gives a prefix that can be moved: the tools run from another place and with an
# empty environment, on their own libraries, with man pages and completions beside them.
source "$(dirname "$0")/../_shell_test.sh"
sanitized && skip "a sanitizer build is not for installing"
need cmake
[ -e "$CUSET_BUILD/cmake_install.cmake" ] || skip "$CUSET_BUILD is not a build folder"
for tool in tag window curate stats view eval run report reward score train merge sample; do
    [ ! -e "$CUSET_BIN/cuset-$tool" ] || tools="${tools-} cuset-$tool"
done

case_is 'Staged, as a package would be, under a prefix that is not the final one'
DESTDIR=$scratch/stage cmake --install "$CUSET_BUILD" --prefix /opt/cuset >log 2>&1 ||
    fail "cmake --install: $(tail -n 5 log)"
[ "$(ls stage stage/opt)" = $'stage:\nopt\n\nstage/opt:\ncuset' ] || fail "files beside the prefix: $(find stage -maxdepth 3)"
prefix="$scratch/another place"
mv stage/opt/cuset "$prefix"
rm -r stage
[ "$(cd "$prefix/bin" && echo *)" = "$(printf '%s\n' cuset $tools | sort | xargs)" ] || fail "bin holds: $(ls "$prefix/bin")"

tiny_model
head -3 "$CUSET_SOURCE/examples/pairs.jsonl" >pairs.jsonl
for tool in $tools; do
    [ "$(env -i "$prefix/bin/$tool" --version)" = "$("$CUSET_BIN/$tool" --version)" ] || fail "$tool --version"
    # No library may come from the build or the set-up's folder: these are not installed.
    program=$prefix/libexec/$tool
    [ -e "$program" ] || program=$prefix/bin/$tool
    env -i ldd "$program" >libraries
    if grep -F 'not found' libraries; then fail "$tool lacks libraries"; fi
    if grep -vE "^[[:space:]]*(linux-vdso|/lib|[^ ]+ => (/lib|/usr/lib|$prefix/((bin|libexec)/../)?lib))" libraries; then
        fail "$tool takes libraries from elsewhere"
    fi
done
env -i "$prefix/bin/cuset-tag" pairs.jsonl -o tagged.jsonl
cmp tagged.jsonl <("$CUSET_BIN/cuset-tag" --plain pairs.jsonl) || fail "the installed cuset-tag writes other bytes"
if [ -e "$prefix/bin/cuset-score" ]; then
    env -i "$prefix/bin/cuset-score" -q --model model --device=cpu tagged.jsonl -o scored.jsonl.zst
    [ "$(env -i "$prefix/bin/cuset-window" scored.jsonl.zst | wc -l)" = 3 ] || fail "the installed pipe"
    env -i "$prefix/bin/cuset-train" -q --model model --device=cpu --max-steps=1 -o adapter tagged.jsonl
    env -i "$prefix/bin/cuset-merge" -q --model model --adapter adapter -o merged
    [ -s merged/model.safetensors ] || fail "the installed cuset-train and cuset-merge"
else
    records 3 | env -i "$prefix/bin/cuset-window" >table
    [ "$(wc -l <table)" = 3 ] || fail "the installed cuset-window"
fi

[ -s "$prefix/share/cuset/cuda/include/crt/host_defines.h" ] || fail "CUDA's headers are not installed"

case_is "A tool's other files are where shells and man look for them"
sources=$(sed -n 's/^CMAKE_HOME_DIRECTORY:INTERNAL=//p' "$CUSET_BUILD/CMakeCache.txt")
for tool in $tools; do
    for pair in man/$tool.1=man/man1 completions/bash/$tool=bash-completion/completions \
        completions/zsh/_$tool=zsh/site-functions completions/fish/$tool.fish=fish/vendor_completions.d; do
        file=${pair%%=*}
        cmp "$sources/$file" "$prefix/share/${pair#*=}/$(basename "$file")" || fail "$file is not installed"
    done
    if command -v man >/dev/null; then
        [ "$(man -M "$prefix/share/man" -w "$tool")" = "$prefix/share/man/man1/$tool.1" ] || fail "man $tool"
    fi
    # shellcheck disable=SC1090
    (source "$prefix/share/bash-completion/completions/$tool" && complete -p "$tool" >/dev/null) ||
        fail "bash completes no $tool"
done

case_is 'The line that set-up prints is enough for a shell'
line=$(sed -n "s/^say '  \(cmake --install .*\)'$/\1/p" "$sources/setup/setup.sh")
[ -n "$line" ] || fail 'setup.sh prints no line that installs'
mkdir home
HOME=$scratch/home XDG_DATA_HOME='' bash -c "${line/build\/release/\"\$CUSET_BUILD\"}"' >/dev/null
[ "$(command -v cuset-tag)" = "$HOME/.local/bin/cuset-tag" ] || exit 1
[ -s "$HOME/.local/share/man/man7/cuset.7" ] && [ -s "$HOME/.local/share/bash-completion/completions/cuset-tag" ]' ||
    fail "in a shell: $line"
