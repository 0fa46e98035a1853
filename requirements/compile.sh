#!/bin/sh
# Pin every layer with hashes, each on top of the layer below, so that versions agree; sam and peers stand alone.
# Usage: requirements/compile.sh [--upgrade]
set -eu
cd "$(dirname "$0")"
uv=${UV:-../.venv/bin/uv}

pin() {
    name=$1
    shift
    "$uv" pip compile "$name.in" --output-file "$name.txt" --universal --generate-hashes --quiet \
        --python-version 3.11 --no-emit-index-url --no-header --no-config "$@"
}

pin runtime "$@"
pin documents --constraint runtime.txt "$@"
pin local --constraint documents.txt "$@"
pin test --constraint local.txt "$@"
pin tools --constraint test.txt "$@"
pin bench --constraint test.txt "$@"
pin sam --no-strip-extras "$@"
pin peers "$@"

if grep -nE '[a-z]+://' ./*.txt; then
    echo "a pin file records an address (above); take it out" >&2
    exit 1
fi
