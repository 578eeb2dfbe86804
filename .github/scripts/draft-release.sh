#!/usr/bin/env bash
# Drafts the release of this version on GitHub: its part of CHANGELOG.md, and all files of a folder, without its
# folders.
#
#     draft-release.sh FOLDER [--print]        --print: shows what would be drafted
set -euo pipefail
cd "$(dirname "$0")/../.."
folder=$1

version=$(node -p 'require("./package.json").version')
notes=$(mktemp)
trap 'rm -f "$notes"' EXIT
awk -v heading="## $version " 'index($0 " ", heading) == 1 { on = 1; next } /^## / { on = 0 } on' CHANGELOG.md > "$notes"
options=(--draft --verify-tag --title "gpusort $version" --notes-file "$notes")
case $version in *-*) options+=(--prerelease) ;; esac
files=()
for file in "$folder"/*; do
  if [ -f "$file" ]; then files+=("$file"); fi
done
[ "${#files[@]}" -gt 0 ] || { echo "no files in $folder"; exit 1; }
if [ "${2:-}" = --print ]; then
  echo "gh release create v$version ${options[*]}"
  cat "$notes"
  ls -l "${files[@]}"
else
  gh release create "v$version" "${options[@]}" "${files[@]}"
fi
