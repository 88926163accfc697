#!/usr/bin/env bash
# usage: make-launcher.sh LIBTORCH VERSION OUTPUT: writes the launcher, which looks for LIBTORCH before it starts the program.
set -euo pipefail
libtorch=$1 version=$2 output=$3
template=$(cat "$(dirname "${BASH_SOURCE[0]}")/launcher.sh.in")
quoted="'${libtorch//\'/\'\\\'\'}'"
template=${template/@LT@/"$quoted"}
template=${template/@VERSION@/"$version"}
template=${template/@SIZES@/"$(stat -Lc %s "$libtorch/lib/libc10.so" "$libtorch/lib/libtorch_cpu.so" 2>/dev/null | tr '\n' ' ')"}
mkdir -p "$(dirname "$output")"
printf '%s\n' "$template" >"$output.new"
chmod +x "$output.new"
if cmp -s "$output.new" "$output"; then rm "$output.new"; else mv "$output.new" "$output"; fi
