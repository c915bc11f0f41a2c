#!/usr/bin/env bash
# The Debian package (setup/deb.sh): it names the packages of all libraries that its programs need, has
# their manuals, and no file that Debian's policy has elsewhere. The long form installs it on a Debian 12
# that debootstrap makes, which has nothing but the essential packages.
source "$(dirname "$0")/../_shell_test.sh"
sanitized && skip "a sanitizer build is not for packages"
[ -e "$CUSET_BUILD/CPackConfig.cmake" ] || skip "$CUSET_BUILD is not a build folder"
need dpkg-shlibdeps

setup="$CUSET_SOURCE/setup/deb.sh"
package=$("$setup" --build "$CUSET_BUILD" -o packages 2>log | tail -n 1) || fail "deb.sh: $(cat log)"
version=$(cuset --version | cut -d' ' -f2)
[ "${package##*/}" = "cuset_${version}_$(dpkg --print-architecture).deb" ] || fail "the name $package"
[ "$(dpkg-deb -f "$package" Version)" = "$version" ] || fail "version $(dpkg-deb -f "$package" Version)"
[ -s "packages/cuset-dbgsym_${version}_$(dpkg --print-architecture).ddeb" ] || fail "no debug files: $(ls packages)"
expect 2 "$setup" --nonsense
expect 1 "$setup" --build "$scratch" -o packages

dpkg-deb -x "$package" root
[ "$(cd root/usr/bin && echo *)" = 'cuset cuset-curate cuset-eval cuset-report cuset-reward cuset-run cuset-stats cuset-tag cuset-view cuset-window' ] ||
    fail "programs: $(ls root/usr/bin)"
if [ -n "$(find root/usr -maxdepth 1 -name 'lib*')" ]; then fail "libraries: $(find root/usr/lib*)"; fi
depends=$(dpkg-deb -f "$package" Depends)
for program in root/usr/bin/*; do
    [ "$(root/usr/bin/cuset --version)" = "cuset $version" ] || fail "cuset --version"
    if grep -qE 'RPATH|RUNPATH' <(readelf -d "$program"); then fail "$program has a run path"; fi
    while IFS= read -r library; do
        owner=$(dpkg-query -S "*/$(gcc -print-multiarch)/$library" | cut -d: -f1 | sort -u | head -n 1)
        [[ ", $depends," == *", $owner"[\ ,]* ]] || fail "$program needs $library of $owner: $depends"
    done < <(readelf -d "$program" | sed -n 's/.*(NEEDED).*\[\(.*\)\]/\1/p' | grep -v '^ld-linux')
done
for page in man1/cuset-tag.1 man7/cuset.7 man7/cuset-host.7 man5/cuset-tasks.5; do
    zgrep -q '^\.TH' "root/usr/share/man/$page.gz" || fail "no manual $page"
done
# Where Debian's zsh looks.
[ -s root/usr/share/zsh/vendor-completions/_cuset-tag ] || fail 'no completion for zsh'
[ -s root/usr/share/doc/cuset/copyright ] || fail 'no copyright'
zgrep -q "^## $version - " root/usr/share/doc/cuset/changelog.gz || fail 'no changelog'

if [ -z "${CUSET_LONG:-}" ]; then exit 0; fi
need debootstrap
[ "$(id -u)" = 0 ] || skip "debootstrap needs root"
# shellcheck disable=SC2016
mirror=$(apt-get indextargets --format '$(SITE)' 'Created-By: Packages' 'Codename: bookworm' | head -n 1)
[ -n "$mirror" ] || skip "apt knows no mirror of Debian 12"
debootstrap --variant=minbase bookworm bare "$mirror" >log 2>&1 || fail "debootstrap: $(tail -n 5 log)"
for file in /etc/apt/apt.conf.d/*; do
    case $(basename "$file") in *proxy* | *local* | 9*) cp "$file" bare/etc/apt/apt.conf.d/ ;; esac
done
cp "$package" "$CUSET_SOURCE/examples/pairs.jsonl" bare/root/
inside() { chroot bare env -i PATH=/usr/sbin:/usr/bin:/sbin:/bin DEBIAN_FRONTEND=noninteractive "$@"; }
inside apt-get update -qq >log 2>&1 || fail "apt-get update: $(tail -n 5 log)"
inside apt-get install -y -qq --no-install-recommends "/root/${package##*/}" >log 2>&1 || fail "apt-get install: $(tail -n 5 log)"
inside cuset tag --plain /root/pairs.jsonl >tagged.jsonl || fail 'cuset tag on a bare Debian 12'
cmp tagged.jsonl <(cuset-tag --plain "$CUSET_SOURCE/examples/pairs.jsonl") || fail 'cuset tag writes other bytes there'
