#!/bin/sh
# Bundles the portal into the directory OUT.
# usage: build.sh BUILD OUT
#
# Installs the packages of package-lock.json in BUILD/node/web, without running
# their scripts; their integrity is in the lock file.
set -eu

here=$(cd -- "$(dirname -- "$0")" && pwd)
build=$(cd -- "${1:?usage: build.sh BUILD OUT}" && pwd)
mkdir -p -- "${2:?usage: build.sh BUILD OUT}"
out=$(cd -- "$2" && pwd)
node=$build/node/web

for program in node npm; do
    if ! command -v $program >/dev/null; then
        echo "portal: $program is missing: install the packages nodejs and npm" >&2
        exit 1
    fi
done

mkdir -p "$node"

if ! cmp -s "$here/package-lock.json" "$node/installed"; then
    cp "$here/package.json" "$here/package-lock.json" "$node/"
    (cd "$node" && npm ci --ignore-scripts --no-audit --no-fund \
        --loglevel=error >npm.log 2>&1) || {
        cat "$node/npm.log" >&2
        exit 1
    }
    cp "$here/package-lock.json" "$node/installed"
fi

cd "$here"
NODE_PATH=$node/node_modules node build.mjs "$out"
