#!/usr/bin/env bash
# chaos.sh [KILLS [SEED]]: kills workers of the demo's sweep, and now and then all of them, with SIGKILL at random moments
# (seeded), until so many have died. Every weight file, output and table then equals an undisturbed run's, no finished
# stage was run again, and nothing temporary is left. It needs bin/smlm-exp; `make chaos` builds it.
set -euo pipefail
kills=${1:-200}
RANDOM=${2:-1}
dir=$(mktemp -d)
trap 'rm -rf "$dir"' EXIT

study() { # WORKSPACE OPTIONS...: the sweep, with checkpoints every second
	local ws=$1
	shift
	bin/smlm-exp run experiments.toml --set checkpoint_seconds=1 --threads 1 --quiet --workspace "$ws" "$@"
}

# What a run makes that holds no times: all files of stages but records, logs and histories, of results all lines but how
# long they took, and the tables of results.
made() {
	(
		cd "$1"
		find stages tables/demo/results.* -type f ! -name stage.json ! -name log.txt ! -name history.json ! -name result.json \
			-print0 | sort -z | xargs -0 sha256sum
		find stages -name result.json -print0 | sort -z | xargs -0 grep -v '"seconds"'
	)
}

records() { (cd "$1/stages" 2>/dev/null && find . -name stage.json -print0 | xargs -0r sha256sum | LC_ALL=C sort) || true; }

# Every record there was before is there still, byte by byte.
kept() {
	records "$1" >"$dir/after"
	[ -z "$(LC_ALL=C comm -23 "$dir/before" "$dir/after")" ] || fail "a finished stage was run again or is gone"
	mv "$dir/after" "$dir/before"
}

fail() {
	echo "chaos: $1" >&2
	trap - EXIT
	echo "chaos: the workspaces are in $dir" >&2
	exit 1
}

study "$dir/calm" --workers 2 >/dev/null
made "$dir/calm" >"$dir/calm.sums"

killed=0 rounds=0
while [ "$killed" -lt "$kills" ]; do
	ws=$dir/wild
	rm -rf "$ws"
	: >"$dir/before"
	rounds=$((rounds + 1))
	while :; do
		study "$ws" --workers 3 >"$dir/log" 2>&1 &
		first=$!
		while kill -0 "$first" 2>/dev/null && [ "$killed" -lt "$kills" ]; do
			sleep "$((RANDOM % 3)).$((RANDOM % 10))"
			mapfile -t workers < <(pgrep -f -- "--workspace $ws" || true)
			[ "${#workers[@]}" -gt 0 ] || continue
			victims=("${workers[RANDOM % ${#workers[@]}]}")
			[ $((RANDOM % 4)) -ne 0 ] || victims=("${workers[@]}")
			for v in "${victims[@]}"; do
				if kill -KILL "$v" 2>/dev/null; then killed=$((killed + 1)); fi
			done
		done
		if wait "$first"; then break; fi
		kept "$ws"
	done
	kept "$ws"
	while pgrep -f -- "--workspace $ws" >/dev/null; do sleep 0.1; done # workers whose first process was killed end by themselves
	study "$ws" >/dev/null                                              # clears what killed processes left half-written
	made "$ws" >"$dir/wild.sums"
	diff "$dir/calm.sums" "$dir/wild.sums" >&2 || fail "what was made differs from an undisturbed run's"
	left=$(find "$ws/tmp" "$ws/claims" "$ws/scratch" -type f | head)
	[ -z "$left" ] || fail "temporary files are left: $left"
	echo "chaos: round $rounds whole, $killed processes killed so far"
done
