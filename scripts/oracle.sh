#!/usr/bin/env bash
# oracle.sh OLD NEW: run the same small studies with two builds of smlm-exp, and compare what they made: the sha256 of
# weights, masks and outputs of stages that both have, and the cells of tables that both have. OLD and NEW are programs as
# `make build` makes them (bin/smlm-exp). Prints the differences. Exit status: 0 nothing differs, 1 something differs.
set -euo pipefail
[ $# -eq 2 ] || { echo "usage: scripts/oracle.sh OLD NEW" >&2; exit 2; }
old=$(realpath "$1") new=$(realpath "$2")
cd "$(dirname "${BASH_SOURCE[0]}")/.."
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cp testdata/oracle/*.toml "$work"
cp -r pretrained/testdata/bert "$work/bert"
python3 scripts/oracle.py data "$work"

# One thread each, so that sums are added in the same order. The two builds run side by side.
study() {
	OMP_NUM_THREADS=1 "$1" run "$3" --workspace "$work/$2" --threads 1 --quiet "${@:4}" >>"$work/$2.log" 2>&1 || {
		echo "$1 cannot run $3:" >&2
		tail -n 20 "$work/$2.log" >&2
		exit 1
	}
}
all() {
	study "$1" "$2" experiments.toml --devices cpu --set datasets.demo.max_train=1500 --set smlm.epochs=2 --set divlstm.epochs=2 \
		--set 'smlm.decoding=["copied","predicted"]'
	study "$1" "$2" "$work/styles.toml"
	study "$1" "$2" "$work/options.toml"
}
all "$old" old &
first=$!
all "$new" new
wait "$first"
python3 scripts/oracle.py compare "$work/old" "$work/new"
