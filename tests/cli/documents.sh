#!/usr/bin/env bash
# Help, man page and completions agree with the option table: the committed files are those that the
# tools generate, and each names the same options as --help. This test reads the options by itself.
source "$(dirname "$0")/../_shell_test.sh"
cd "$CUSET_SOURCE"

if command -v man >/dev/null; then
    for page in man/*; do
        LC_ALL=C.UTF-8 man --warnings -E UTF-8 -l -Tutf8 -Z "$page" 2>&1 >/dev/null | diff /dev/null - ||
            fail "man has something to say of $page"
    done
fi

# An option that the texts written by hand name is one of a tool (an alias stands in its table alone), of
# setup.sh, or of cmake, nvcc, hipcc and pip.
for text in README.md docs/*.md man/*.[57]; do
    while read -r name; do
        grep -qE -- "(^|[ '])$name( |'|$)" completions/bash/* ||
            grep -rqF -- "\"${name#--}\"" tools ||
            grep -qE -- "$name\)" setup/setup.sh ||
            [[ " --build --install --prefix --preset --extended-lambda --no-deps --expt-relaxed-constexpr --offload-arch " == *" $name "* ]] ||
            fail "$(basename "$text") names $name, which is no option"
    done < <(sed 's/\\-/-/g' "$text" | grep -oE -- '(^|[^-A-Za-z])--[a-z][a-z-]+' | grep -oE -- '--[a-z-]+' | sort -u)
done

for tool in "$CUSET_BIN"/cuset-*; do
    name=$(basename "$tool")
    case_is "$name"
    version=$("$tool" --version)
    assert_equal "$version" "$name $(cut -d' ' -f2 <<<"$version")"
    assert_equal "$("$tool" -V | head -n 1)" "$version"

    man=man/$name.1 bash=completions/bash/$name zsh=completions/zsh/_$name
    fish=completions/fish/$name.fish
    for pair in "man $man" "bash $bash" "zsh $zsh" "fish $fish"; do
        read -r kind file <<<"$pair"
        "$tool" --generate="$kind" | diff -u "$file" - ||
            fail "$file is behind $name: cmake --build --preset release --target documents"
    done

    "$tool" --help | sed -n '/^options:/,/^examples:/p' |
        grep -oE '^  (-[A-Za-z], |    )--[a-z-]+' | grep -oE -- "--[a-z-]+" | sort -u >"$scratch/help"
    [ "$(wc -l <"$scratch/help")" -ge 8 ] || fail "$name --help lists few options"
    sed -n '/^\.SH OPTIONS/,/^\.SH EXIT/p' "$man" | sed -n '/^\.TP/{n;p}' | sed 's/\\-/-/g' |
        grep -oE '\\fB--[a-z-]+' | grep -oE -- '--[a-z-]+' | sort | diff "$scratch/help" - ||
        fail "$man and --help differ"
    grep -oE "' -- |--[a-z-]+" "$bash" | grep -E '^--[a-z]' | sort -u >"$scratch/bash"
    grep -vxE -- '--generate' "$scratch/bash" | diff "$scratch/help" - || fail "$bash and --help differ"
    grep -oE "^ +'--[a-z-]+" "$zsh" | grep -oE -- '--[a-z-]+' | sort | diff "$scratch/help" - ||
        fail "$zsh and --help differ"
    grep -oE -- ' -l [a-z-]+' "$fish" | sed 's/ -l /--/' | sort | diff "$scratch/help" - ||
        fail "$fish and --help differ"

    # The completions load and complete.
    (
        # shellcheck disable=SC1090
        source "$bash"
        function=$(complete -p "$name" | grep -oE -- '-F [^ ]+' | cut -d' ' -f2)
        # The completion function reads COMP_WORDS.
        # shellcheck disable=SC2034
        COMP_WORDS=("$name" --quie) COMP_CWORD=1
        "$function"
        [ "${COMPREPLY[*]}" = --quiet ]
    ) || fail "bash does not complete $name --quie"
    for shell in zsh fish; do
        file=${!shell}
        if command -v "$shell" >/dev/null; then
            "$shell" -n "$file" || fail "$shell cannot read $file"
        else
            echo "$shell is absent: $file is not loaded"
        fi
    done
done
