#!/usr/bin/env bash
# Assembles the web site in a folder: the demo page, and the API pages in api/.
#
#     site.sh FOLDER
set -euo pipefail
cd "$(dirname "$0")/../.."
mkdir -p "$1"
folder=$(cd "$1" && pwd)

npm run docs:api
npm run demo -- --out "$folder"
rm -rf "$folder/api"
cp -R dist/api "$folder/api"
