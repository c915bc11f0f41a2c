#!/usr/bin/env bash
# This tests setup.sh's messages about an archive that is missing or not the pinned one, and the
# files that a killed or failed run leaves.
# shellcheck source=tests/faults/_setup.sh
. "$(dirname "$0")/_setup.sh"
need_deps

# Without a network there is no archive.
ln -s "$real_deps/tools" "$CUSET_DEPS/tools"
setup 1 --no-packages
says "tree-sitter==0.25.2"
says "could not fetch tree-sitter tree-sitter-cuda as pinned"
nothing_made

# An archive with the right name but other bytes.
mkdir "$tmp/index"
for name in tree-sitter-0.25.2 tree_sitter_cuda-0.21.2; do
    echo "not what was pinned" >"$tmp/index/$name.tar.gz"
done
export PIP_FIND_LINKS=$tmp/index
setup 1 --no-packages
says "DO NOT MATCH THE HASHES"
says "tree-sitter==0.25.2"
says "fe43c158555da46723b28b52e058ad444195afd1db3ca7720c59a254544e9c20"
nothing_made

# A pin that went missing.
mkdir "$tmp/source"
cp -r "$root/setup" "$tmp/source/setup"
sed -i '/^tree-sitter==/d' "$tmp/source/setup/pins/archives.txt"
setup=$tmp/source/setup/setup.sh setup 1 --no-packages
says "setup/pins/archives.txt has no tree-sitter"
nothing_made

# No Python, or one of another version.
CUSET_PYTHON=$tmp/no-python setup 1 --no-packages
says "$tmp/no-python is missing"
printf '#!/bin/sh\necho python 3.99\n' >"$tmp/python"
chmod +x "$tmp/python"
CUSET_PYTHON=$tmp/python setup 1 --no-packages
says "with python 3.99: the pinned archives are for x86_64 and Python 3.11"
nothing_made

# Killed in the middle of a part: the part is not there, and the next run removes the rest.
rm "$CUSET_DEPS/tools"
cat >"$tmp/python" <<'EOF'
#!/bin/sh
if [ "$2" = venv ]; then
    mkdir -p "$3/bin"
    kill -KILL $PPID
fi
echo python 3.11
EOF
CUSET_PYTHON=$tmp/python setup 137 --no-packages
[ ! -e "$CUSET_DEPS/tools" ] || fail "a half-made part is in place"
ls -d "$CUSET_DEPS"/.new.* >/dev/null || fail "the kill came too early"
ln -s "$real_deps/tools" "$CUSET_DEPS/tools"
setup 1 --no-packages
nothing_made
echo ok
