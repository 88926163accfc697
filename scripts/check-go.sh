#!/usr/bin/env bash
# Says in one sentence that Go is missing or older than go.mod asks for. `go` itself fetches a newer tool chain where it
# may, which `go env GOVERSION` then names.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."
wanted=$(awk '$1 == "go" {print $2; exit}' go.mod)
advice="install Go $wanted or newer (go.dev/dl; Debian: golang-go, Fedora: golang, Arch and Homebrew: go)"
if ! command -v go >/dev/null 2>&1; then
  echo "go is missing: $advice" >&2
  exit 3
fi
found=$(go env GOVERSION 2>/dev/null) || found=$(GOTOOLCHAIN=local go version 2>/dev/null | cut -d' ' -f3) || found=unknown
oldest=$(printf '%s\n' "${found#go}" "$wanted" | sort -V | head -n 1)
if [ "$oldest" != "$wanted" ]; then
  echo "go is too old, $found: $advice" >&2
  exit 3
fi
