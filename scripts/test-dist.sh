#!/usr/bin/env bash
# usage: test-dist.sh [ROOT]: unpacks the newest tarball of dist/ in a bare Debian, which debootstrap makes unless a folder
# with one is named, and runs the demo there, in a chroot that has no network. Needs root.
set -euo pipefail
root=${1:-}

fail() {
	echo "test-dist: $1" >&2
	exit 2
}

[ "$(id -u)" = 0 ] || fail "only root may chroot: run it as root"
tarball=$(find dist -name 'smlm-exp-*.tar.gz' -printf '%T@ %p\n' | sort -n | tail -n 1 | cut -d' ' -f2)
[ -n "$tarball" ] || fail "there is no tarball in dist: run make dist first"
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
if [ -z "$root" ]; then
	command -v debootstrap >/dev/null || fail "debootstrap is missing: apt-get install debootstrap, or name a folder with a bare Debian"
	# Either place may be missing, which is no failure of the pipe.
	mirror=$({ sed -n 's/^URIs: *//p; s/^deb \([^[][^ ]*\).*/\1/p' /etc/apt/sources.list /etc/apt/sources.list.d/* 2>/dev/null || true; } |
		grep -m 1 -E '/debian/?$') || fail "no Debian mirror is named in /etc/apt: name a folder with a bare Debian"
	debootstrap --variant=minbase bookworm "$work/bare" "$mirror" >"$work/log" || fail "debootstrap: $(tail -n 1 "$work/log")"
	root=$work/bare
fi
(cd dist && sha256sum --quiet -c "$(basename "$tarball").sha256")
for tool in gcc python3 curl wget; do
	if [ -x "$root/usr/bin/$tool" ]; then echo "test-dist: the Debian in $root is not bare, it has $tool" >&2; fi
done
rm -rf "$root/opt/smlm-exp" && mkdir -p "$root/opt/smlm-exp"
tar -xzf "$tarball" -C "$root/opt/smlm-exp" --strip-components=1
# A mount namespace of its own for /proc, and a network namespace in which there is not even loopback.
# shellcheck disable=SC2016 # the inner shell expands it
unshare --mount --net --fork bash -euc '
	mount -t proc proc "$1/proc"
	mount -t tmpfs tmpfs "$1/tmp"
	chroot "$1" /usr/bin/env -i PATH=/usr/bin:/bin HOME=/root /bin/sh -euc "
		cd /opt/smlm-exp
		bin/smlm-exp version
		bin/smlm-exp run experiments.toml --workers 2 --workspace /tmp/ws
		bin/smlm-exp tables experiments.toml --workspace /tmp/ws --format latex --table results >/tmp/results.tex
		grep -c toprule /tmp/results.tex >/dev/null"
' bash "$root"
rm -rf "$root/opt/smlm-exp"
echo "test-dist: the demo ran in a bare $(sed -n 's/^PRETTY_NAME=//p' "$root/etc/os-release") without network"
