#!/usr/bin/env bash
# usage: dist.sh LIBTORCH VERSION OUTPUT: packs the program that `make build` left in bin/, the libtorch it was built with,
# the experiment files, the documentation and all licences into one tarball,
# OUTPUT/smlm-exp-VERSION-COMMIT-linux-x86_64.tar.gz,
# which runs where there is nothing but a C library. Equal sources make equal tarballs.
set -euo pipefail
libtorch=$1 version=$2 output=$3

fail() {
	echo "dist: $1" >&2
	exit "${2:-2}"
}

[ -d "$libtorch/licences" ] ||
	fail "$libtorch holds no licences, without which it must not be passed on: remove that folder and run ./install-libtorch.sh --version $version" 3
commit=$(git describe --always --dirty --abbrev=12) || fail "this is no git checkout, whose commit the tarball is named after"
stamp=$(git log -1 --format=%cI)
name=smlm-exp-$(sed -n 's/^version: //p' CITATION.cff)-$commit-linux-x86_64
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
to=$work/$name

mkdir -p "$to/bin" "$to/libtorch/lib" "$to/licences"
cp bin/smlm-exp bin/smlm-exp.bin "$to/bin/"
cp -L "$libtorch"/lib/*.so* "$to/libtorch/lib/"
cp "$libtorch"/licences/* "$to/licences/"
git ls-files experiments.toml experiments docs README.md CHANGELOG.md CONTRIBUTING.md SECURITY.md CITATION.cff LICENSE | while IFS= read -r file; do
	mkdir -p "$to/$(dirname "$file")"
	cp "$file" "$to/$file"
done
for shell in bash zsh fish; do
	mkdir -p "$to/share/completion"
	bin/smlm-exp completion "$shell" >"$to/share/completion/smlm-exp.$shell"
done

# The licence of every Go module that is in the program.
go list -deps -f '{{with .Module}}{{if not .Main}}{{.Path}} {{.Dir}}{{end}}{{end}}' ./cmd/smlm-exp | sort -u |
	while read -r module folder; do
		found=$(find "$folder" -maxdepth 1 -type f -iname 'licen[cs]e*' -o -maxdepth 1 -type f -iname 'copying*')
		[ -n "$found" ] || fail "the module $module has no licence in its folder"
		for file in $found; do
			cp "$file" "$to/licences/${module//\//-}-${file##*/}"
		done
	done
cp "$(go env GOROOT)/LICENSE" "$to/licences/go-LICENSE" || fail "the licence of Go is not in $(go env GOROOT)"
chmod -R u+w,go=u-w "$to"

mkdir -p "$output"
tar --create --directory "$work" --sort=name --owner=0 --group=0 --numeric-owner --mtime="$stamp" "$name" |
	gzip --no-name -6 >"$output/$name.tar.gz.part"
mv "$output/$name.tar.gz.part" "$output/$name.tar.gz"
(cd "$output" && sha256sum "$name.tar.gz" >"$name.tar.gz.sha256")
echo "$output/$name.tar.gz: $(du -h "$output/$name.tar.gz" | cut -f1), unpacked $(du -sh "$to" | cut -f1)"
