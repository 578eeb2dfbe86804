#!/usr/bin/env bash
# Publishes the npm package of a folder, with provenance. npm gets its credentials from the workflow's identity (trusted
# publishing). A prerelease gets the tag `next` instead of `latest`. The first version is published by hand before the
# workflow makes it again: if the registry has the version with the same bytes, there is nothing to do.
#
#     publish.sh FOLDER [npm option...]        --dry-run: everything but the upload
set -euo pipefail
cd "$(dirname "$0")/../.."
folder=$1
shift

node .github/scripts/ready-to-publish.mjs
version=$(node -p 'require("./package.json").version')
tag=latest
case $version in *-*) tag=next ;; esac
(cd "$folder" && grep " gpusort-$version.tgz\$" SHA256SUMS | sha256sum -c -)
integrity=sha512-$(node -p "require('crypto').createHash('sha512').update(fs.readFileSync(process.argv[1])).digest('base64')" \
  "$folder/gpusort-$version.tgz")
published=$(npm view "gpusort@$version" dist.integrity 2> /dev/null || true)
if [ "$published" = "$integrity" ]; then
  echo "gpusort@$version is on npm already, with the same bytes"
  exit
fi
[ -z "$published" ] || { echo "gpusort@$version is on npm already, with other bytes: $published"; exit 1; }
# npm makes provenance only in a workflow; without one, --dry-run would fail as well.
npm publish "./$folder/gpusort-$version.tgz" --access public --tag "$tag" "$@"
