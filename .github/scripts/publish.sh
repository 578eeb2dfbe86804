#!/usr/bin/env bash
# Publishes the npm package of a folder, with provenance. npm gets its credentials from the workflow's identity (trusted
# publishing). A prerelease gets the tag `next` instead of `latest`.
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
# npm makes provenance only in a workflow; without one, --dry-run would fail as well.
npm publish "./$folder/gpusort-$version.tgz" --access public --tag "$tag" "$@"
