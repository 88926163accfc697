#!/usr/bin/env bash
# Tests what computes as other CPUs and other numbers of threads would have it, by the libraries' own switches (docs/cpus.md). Called by
# `make test-cpus` with the environment of install-libtorch.sh. --short: what .ci/run takes, the settings that differ most, each with
# fewer cases of the drawn tests. Settings beyond this CPU are left out, saying so.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."

packages=(internal/torch internal/nn pretrained smlm divlstm classifier lm masking runs/stages)

# NAME NEEDS SWITCHES...; NEEDS is a flag of /proc/cpuinfo, or "-".
settings=(
  "plain-1 - OMP_NUM_THREADS=1"
  "plain-2 - OMP_NUM_THREADS=2"
  "plain-3 - OMP_NUM_THREADS=3"
  "sse-1 - ATEN_CPU_CAPABILITY=default ONEDNN_MAX_CPU_ISA=SSE41 MKL_ENABLE_INSTRUCTIONS=SSE4_2 OMP_NUM_THREADS=1"
  "sse-2 - ATEN_CPU_CAPABILITY=default OMP_NUM_THREADS=2"
  "avx2-1 avx2 ATEN_CPU_CAPABILITY=avx2 ONEDNN_MAX_CPU_ISA=AVX2 MKL_ENABLE_INSTRUCTIONS=AVX2 OMP_NUM_THREADS=1"
  "avx2-3 avx2 ATEN_CPU_CAPABILITY=avx2 ONEDNN_MAX_CPU_ISA=AVX2 MKL_ENABLE_INSTRUCTIONS=AVX2 OMP_NUM_THREADS=3"
  "avx2-mkl avx512vl MKL_ENABLE_INSTRUCTIONS=AVX2 OMP_NUM_THREADS=2"
  "avx2-onednn avx512vl ONEDNN_MAX_CPU_ISA=AVX2 OMP_NUM_THREADS=2"
  "avx2-aten avx512vl ATEN_CPU_CAPABILITY=avx2 OMP_NUM_THREADS=2"
  "avx512-1 avx512vl ATEN_CPU_CAPABILITY=avx512 ONEDNN_MAX_CPU_ISA=AVX512_CORE MKL_ENABLE_INSTRUCTIONS=AVX512 OMP_NUM_THREADS=1"
  "avx512-3 avx512vl ATEN_CPU_CAPABILITY=avx512 ONEDNN_MAX_CPU_ISA=AVX512_CORE MKL_ENABLE_INSTRUCTIONS=AVX512 OMP_NUM_THREADS=3"
  "bf16-2 avx512_bf16 ONEDNN_MAX_CPU_ISA=AVX512_CORE_BF16 OMP_NUM_THREADS=2"
)
short=
if [ "${1:-}" = --short ]; then short=" sse-1 avx2-3 avx2-onednn avx512-1 bf16-2 "; fi

work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
echo "test-cpus: building the tests of ${#packages[@]} packages" >&2
for p in "${packages[@]}"; do go test -c -o "$work/${p//\//_}" "./$p"; done

passed=0 failed=0 skipped=0
for line in "${settings[@]}"; do
  read -r name needs switches <<<"$line"
  if [ -n "$short" ] && [[ $short != *" $name "* ]]; then continue; fi
  if [ "$needs" != - ] && ! grep -qw "$needs" /proc/cpuinfo; then
    echo "test-cpus: $name: left out, this CPU has no $needs"
    skipped=$((skipped + 1))
    continue
  fi
  began=$SECONDS bad=()
  # A wait that spins burns the other tests' time where threads outnumber idle cores.
  read -ra env <<<"OMP_WAIT_POLICY=passive $switches"
  for p in "${packages[@]}"; do
    args=()
    if [ -n "$short" ] && grep -q pgregory.net/rapid "$p"/*_test.go; then args=(-rapid.checks=20); fi
    if ! (cd "$p" && env "${env[@]}" "$work/${p//\//_}" "${args[@]}") >"$work/out" 2>&1; then
      bad+=("$p")
      sed "s|^|$name: $p: |" "$work/out" | tail -n 40
    fi
  done
  if [ ${#bad[@]} = 0 ]; then
    passed=$((passed + 1))
    echo "test-cpus: $name: ok, $((SECONDS - began)) s ($switches)"
  else
    failed=$((failed + 1))
    echo "test-cpus: $name: FAILED in ${bad[*]} ($switches)"
  fi
done
echo "test-cpus: settings: $passed passed, $failed failed, $skipped skipped"
[ "$failed" = 0 ] && [ "$passed" -gt 0 ]
