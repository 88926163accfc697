#!/usr/bin/env bash
# damage.sh [WORKSPACE [SEED]]: takes a copy of a finished workspace of the demo (none: it makes one, which takes
# minutes) and in turn truncates, empties, flips a bit in the middle of, replaces by its neighbour's and removes every
# file of every stage. `verify` finds and names each and nothing else; `tables` prints what it printed before or names
# the file; and of the stages of each name one file, damaged in each way, is made again by `run` with the same
# bytes, and nothing else is. It needs bin/smlm-exp; `make damage` builds it.
set -euo pipefail
whole=${1:-}
RANDOM=${2:-1}
dir=$(mktemp -d)
trap 'rm -rf "$dir"' EXIT

fail() {
	echo "damage: $1" >&2
	trap - EXIT
	echo "damage: the workspaces are in $dir" >&2
	exit 1
}

if [ -z "$whole" ]; then
	whole=$dir/made
	bin/smlm-exp run experiments.toml --quiet --workspace "$whole" >/dev/null
fi
cp -a "$whole" "$dir/calm"
ws=$dir/ws
cp -a "$dir/calm" "$ws"
exp() { # COMMAND OPTIONS...: on the workspace that is damaged
	local command=$1
	shift
	bin/smlm-exp "$command" experiments.toml --workspace "$ws" "$@"
}
# As many threads as the stages were made with: their last digits depend on it.
threads=$(sed -n 's/^  "threads": \([0-9]*\),$/\1/p' "$(find "$ws/stages/divlstm" -name stage.json | head -n 1)")
exp run --quiet --threads "$threads" >/dev/null # all is there, and what tables remember is of this program
exp tables >"$dir/tables"
cp -a "$ws/tables" "$ws/figures" "$ws/reports" "$dir/calm/"

# What a run makes that holds no times (scripts/chaos.sh says the same of another sweep).
made() {
	(
		cd "$1"
		find stages tables/*/results.* -type f ! -name stage.json ! -name log.txt ! -name history.json ! -name result.json \
			-print0 | sort -z | xargs -0 sha256sum
		find stages -name result.json -print0 | sort -z | xargs -0 grep -v '"seconds"'
	)
}

flip() { # FILE: another bit in the middle
	local at=$(($(stat -c %s "$1") / 2)) byte
	byte=$(od -An -tu1 -j "$at" -N 1 "$1")
	# shellcheck disable=SC2059
	printf "\\$(printf %03o $((byte ^ 1)))" | dd of="$1" bs=1 seek="$at" conv=notrunc status=none
}

neighbour() { # FILE: one of the same name with other bytes, of the next stage of its name, else of any other
	local stage=${1%/*} name=${1##*/} other
	for other in "${stage%/*}"/*/"$name" "$dir/calm"/stages/*/*/"$name"; do
		if ! cmp -s "$other" "$1"; then
			echo "$other"
			return
		fi
	done
}

spoil() { # DAMAGE FILE: false where that leaves the file as it was
	case $1 in
	truncated) truncate -s $(($(stat -c %s "$2") / 2)) "$2" ;;
	emptied) : >"$2" ;;
	flipped) flip "$2" ;;
	"another's")
		local other
		other=$(neighbour "$2")
		[ -z "$other" ] || cp "$other" "$2"
		;;
	removed) rm "$2" ;;
	esac
	! cmp -s "$2" "$dir/calm/${2#"$ws"/}"
}

mend() { # FILE: as it was, its time too
	cp -p "$dir/calm/${1#"$ws"/}" "$1"
}

# The files that a command names, in the order of their names.
named() { grep -o "\"$ws/stages/[^\"]*\"" "$1" | tr -d '"' | sort -u || true; }

same() { # WHAT: the files in "$dir/named" are those in "$dir/spoilt"
	diff <(LC_ALL=C sort -u "$dir/spoilt") <(LC_ALL=C sort -u "$dir/named") >&2 || fail "$1: < was damaged, > was named"
}

shopt -s nullglob
most=0 files=0
for stage in "$ws"/stages/*/*/; do
	of=$(find "$stage" -type f | wc -l)
	files=$((files + of))
	[ "$of" -le "$most" ] || most=$of
done
kinds=(truncated emptied flipped "another's" removed)

# Every file: the first ones of all stages at once, then the second ones, and so on: `verify` names one file of a stage.
for damage in "${kinds[@]}"; do
	found=0
	for ((i = 1; i <= most; i++)); do
		: >"$dir/spoilt"
		for stage in "$ws"/stages/*/*/; do
			file=$(find "$stage" -type f | LC_ALL=C sort | sed -n "${i}p")
			if [ -n "$file" ] && spoil "$damage" "$file"; then echo "$file" >>"$dir/spoilt"; fi
		done
		code=0
		exp verify >"$dir/out" 2>&1 || code=$?
		[ "$code" = 1 ] || [ ! -s "$dir/spoilt" ] || fail "verify of $damage files ended with status $code"
		named "$dir/out" >"$dir/named"
		same "verify of $damage files"
		found=$((found + $(wc -l <"$dir/spoilt")))
		while read -r file; do mend "$file"; done <"$dir/spoilt"
	done
	echo "damage: verify named all of $found files, $damage"
done
exp verify >/dev/null || fail "the workspace is not whole again"

# One file at a time, drawn by chance: tables are as before, or name it.
mapfile -t all < <(find "$ws/stages" -type f | LC_ALL=C sort)
kept=0
for ((n = 0; n < 60; n++)); do
	file=${all[RANDOM % ${#all[@]}]} damage=${kinds[n % 5]}
	spoil "$damage" "$file" || continue
	if ! exp tables >"$dir/out" 2>"$dir/err" || ! cmp -s "$dir/out" "$dir/tables"; then
		grep -qF "\"$file\"" "$dir/err" || fail "tables with $file $damage are other and say: $(cat "$dir/err")"
	else
		kept=$((kept + 1))
	fi
	mend "$file"
done
echo "damage: tables named what they need of 60 damaged files; $kept times they needed it not"

# Of the stages of each name one file: a run names it and makes that stage again, no other, with the same bytes.
made "$dir/calm" >"$dir/calm.sums"
for damage in "${kinds[@]}"; do
	: >"$dir/spoilt"
	for stages in "$ws"/stages/*/; do
		mapfile -t all < <(find "$stages" -type f | LC_ALL=C sort)
		file=${all[RANDOM % ${#all[@]}]}
		if spoil "$damage" "$file"; then echo "$file" >>"$dir/spoilt"; fi
	done
	exp run --threads "$threads" >/dev/null 2>"$dir/out" || fail "run with $damage files: $(tail -n 3 "$dir/out")"
	grep '^damaged: ' "$dir/out" >"$dir/err" || true
	named "$dir/err" >"$dir/named"
	same "run with $damage files"
	grep -q "^to run: $(wc -l <"$dir/spoilt") stages" "$dir/out" || fail "not these alone ran: $(grep '^to run' "$dir/out")"
	made "$ws" >"$dir/ws.sums"
	diff "$dir/calm.sums" "$dir/ws.sums" >&2 || fail "what was $damage is not as it was before"
	exp verify >/dev/null || fail "the workspace is not whole after a run"
	rm -rf "$ws"
	cp -a "$dir/calm" "$ws" # the records of stages made again are of other times
	echo "damage: a run made $(wc -l <"$dir/spoilt") stages again, $damage, with the same bytes"
done
echo "damage: all of $files files of $whole are watched over"
