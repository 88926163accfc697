#!/usr/bin/env bash
# chaos.sh [KILLS [SEED [RUNS]]]: kills workers of the demo's sweep, and now and then all of them, at random moments
# (seeded), until so many have died. Every weight file, output and table then equals an undisturbed run's, no finished
# stage was run again, and nothing temporary is left. It needs bin/smlm-exp; `make chaos` builds it.
#
# Without RUNS it is one run of three workers, and SIGKILL. With RUNS so many runs share the workspace, `clean --yes`,
# `verify` and `tables` come and go beside them, half of the kills are SIGTERM and SIGHUP, and now and then a run tells
# its progress to a `head` that goes away. Each process must end with a status that is documented.
set -euo pipefail
kills=${1:-200}
RANDOM=${2:-1}
runs=${3:-}
dir=$(mktemp -d)
trap 'rm -rf "$dir"' EXIT

study() { # WORKSPACE OPTIONS...: the sweep, with checkpoints every second
	local ws=$1
	shift
	bin/smlm-exp run experiments.toml --set checkpoint_seconds=1 --threads 1 --workspace "$ws" --quiet "$@"
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

killed=0 rounds=0 beside=0

victim() { # PID: ends a process by one of the signals
	local signals=(KILL)
	[ -z "$runs" ] || signals=(KILL KILL TERM HUP)
	if kill -"${signals[RANDOM % ${#signals[@]}]}" "$1" 2>/dev/null; then killed=$((killed + 1)); fi
}

# One run of several, until it is whole. 129, 137, 141 and 143 are what a signal leaves of a process that has not come
# to its own code yet or was killed; 2 is told apart by its sentence: somebody cleans at that moment.
again() { # WORKSPACE NUMBER
	local status log=$dir/run$2.log
	while :; do
		status=0
		case $((RANDOM % 4)) in
		0) if study "$1" --quiet=false 2>&1 >/dev/null | head -n $((RANDOM % 12)) >"$log"; then :; else status=${PIPESTATUS[0]}; fi ;;
		*) study "$1" >/dev/null 2>"$log" || status=$? ;;
		esac
		case $status in
		0) return ;;
		129 | 130 | 137 | 141 | 143) ;;
		*)
			if [ "$status" -ne 2 ] || ! grep -q 'is in use by process' "$log"; then
				cp "$log" "$dir/wrong.$2"
				echo "a run ended with status $status" >>"$dir/wrong.$2"
				return
			fi
			;;
		esac
	done
}

# clean, verify and tables, one after the other, for as long as the file "disturb" is there. What they say of a workspace
# that is not whole yet is their right (1, 2), a crash is not.
disturb() { # WORKSPACE
	local command status n=0
	while [ -f "$dir/disturb" ]; do
		for command in "clean --yes" verify "tables --workspace"; do
			status=0
			case $command in
			tables*) bin/smlm-exp tables experiments.toml --workspace "$1" >"$dir/beside.log" 2>&1 || status=$? ;;
			verify) bin/smlm-exp verify experiments.toml --workspace "$1" >"$dir/beside.log" 2>&1 || status=$? ;;
			*) bin/smlm-exp clean --yes --workspace "$1" experiments.toml >"$dir/beside.log" 2>&1 || status=$? ;;
			esac
			n=$((n + 1))
			echo "$n" >"$dir/beside"
			if [ "$status" -gt 2 ] || grep -qE 'panic|goroutine|damaged' "$dir/beside.log"; then
				{ cat "$dir/beside.log"; echo "$command ended with status $status"; } >"$dir/wrong.beside"
			fi
		done
	done
}

together() { # WORKSPACE: runs side by side, until all are whole
	local i pids=() others
	touch "$dir/disturb"
	disturb "$1" &
	others=$!
	for ((i = 1; i <= runs; i++)); do
		again "$1" "$i" &
		pids+=($!)
	done
	while [ "$killed" -lt "$kills" ] && [ "$(jobs -rp | wc -l)" -gt 1 ]; do
		sleep "$((RANDOM % 2)).$((RANDOM % 10))"
		mapfile -t found < <(pgrep -f -- "smlm-exp(.bin)? run experiments.toml.*--workspace $1" || true)
		[ "${#found[@]}" -gt 0 ] || continue
		victims=("${found[RANDOM % ${#found[@]}]}")
		[ $((RANDOM % 4)) -ne 0 ] || victims=("${found[@]}")
		for v in "${victims[@]}"; do victim "$v"; done
		kept "$1"
	done
	wait "${pids[@]}"
	rm "$dir/disturb"
	wait "$others"
	beside=$((beside + $(cat "$dir/beside")))
	set -- "$1" "$dir"/wrong.*
	[ ! -e "$2" ] || fail "$(cat "${@:2}")"
}

alone() { # WORKSPACE: one run of three workers, until it is whole
	local ws=$1 first
	while :; do
		study "$ws" --workers 3 >"$dir/log" 2>&1 &
		first=$!
		while kill -0 "$first" 2>/dev/null && [ "$killed" -lt "$kills" ]; do
			sleep "$((RANDOM % 3)).$((RANDOM % 10))"
			mapfile -t workers < <(pgrep -f -- "--workspace $ws" || true)
			[ "${#workers[@]}" -gt 0 ] || continue
			victims=("${workers[RANDOM % ${#workers[@]}]}")
			[ $((RANDOM % 4)) -ne 0 ] || victims=("${workers[@]}")
			for v in "${victims[@]}"; do victim "$v"; done
		done
		if wait "$first"; then break; fi
		kept "$ws"
	done
}

while [ "$killed" -lt "$kills" ]; do
	ws=$dir/wild
	rm -rf "$ws"
	: >"$dir/before"
	rounds=$((rounds + 1))
	if [ -n "$runs" ]; then together "$ws"; else alone "$ws"; fi
	kept "$ws"
	while pgrep -f -- "--workspace $ws" >/dev/null; do sleep 0.1; done # workers whose first process was killed end by themselves
	study "$ws" >/dev/null                                              # clears what killed processes left half-written
	made "$ws" >"$dir/wild.sums"
	diff "$dir/calm.sums" "$dir/wild.sums" >&2 || fail "what was made differs from an undisturbed run's"
	left=$(find "$ws/tmp" "$ws/claims" "$ws/scratch" -type f | head)
	[ -z "$left" ] || fail "temporary files are left: $left"
	echo "chaos: round $rounds whole, $killed processes killed so far${runs:+, $beside commands beside them}"
done
