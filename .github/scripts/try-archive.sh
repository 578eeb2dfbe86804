#!/usr/bin/env bash
# Unpacks the archive of a platform, checks its digest, and sorts with it.
#
#     try-archive.sh FOLDER PLATFORM        for example: dist/release linux-x64
set -euo pipefail
folder=$(cd "$1" && pwd)
platform=$2
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT

shopt -s nullglob
archives=("$folder"/gpusort-*-"$platform".tar.xz "$folder"/gpusort-*-"$platform".zip)
[ "${#archives[@]}" = 1 ] || { echo "no archive, or more than one, for $platform in $folder"; exit 1; }
archive=$(basename "${archives[0]}")
# macOS has shasum; the other systems' shells have sha256sum.
sums=(sha256sum)
if [ "$(uname -s)" = Darwin ]; then sums=(shasum -a 256); fi
(cd "$folder" && grep "  $archive\$" SHA256SUMS | "${sums[@]}" -c -)

cd "$scratch"
case $archive in
  *.zip) if command -v unzip > /dev/null; then unzip -q "$folder/$archive"; else tar -xf "$folder/$archive"; fi ;;
  *) tar -xJf "$folder/$archive" ;;
esac
program=(*/bin/gpusort)
if [ "$platform" = win-x64 ]; then program=(*/bin/gpusort.cmd); fi

"${program[0]}" --version
"${program[0]}" --adapters
for i in $(seq 50000); do echo "$((i * 7919 % 50021)) line $i"; done > input
LC_ALL=C sort input > expected
"${program[0]}" --engine cpu input > output
cmp expected output
"${program[0]}" input -o output
cmp expected output
echo "$archive sorts"
