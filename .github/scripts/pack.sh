#!/usr/bin/env bash
# Makes the npm package in a folder, and adds its digest to the folder's SHA256SUMS.
#
#     pack.sh FOLDER
set -euo pipefail
cd "$(dirname "$0")/../.."
folder=$1

mkdir -p "$folder"
# The folder may lie in dist/, which a build for a package removes.
held=$(mktemp -d)
trap 'rm -rf "$held"' EXIT
npm pack --pack-destination "$held" > "$held/log"
mkdir -p "$folder"
package=$(cd "$held" && ls gpusort-*.tgz)
mv "$held/$package" "$folder/"
cd "$folder"
touch SHA256SUMS
{ grep -v " $package\$" SHA256SUMS || true; sha256sum "$package"; } > "$held/sums"
mv "$held/sums" SHA256SUMS
cat SHA256SUMS
