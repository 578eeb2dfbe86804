#!/usr/bin/env bash
# Assembles the web site in a folder: the demo page, with the kernels beside it, and the API pages.
#
#     site.sh FOLDER
set -euo pipefail
cd "$(dirname "$0")/../.."
folder=$1

npm run build
npm run docs:api
rm -rf "$folder"
mkdir -p "$folder"
