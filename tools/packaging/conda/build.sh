#!/bin/bash
# Installs the npm package, and webgpu with the library of the platform alone. conda-build sets SRC_DIR, PREFIX and
# target_platform.
set -euo pipefail
: "${target_platform:?}" "${SRC_DIR:?}" "${PREFIX:?}"

case $target_platform in
  linux-64) library=linux-x64 ;;
  linux-aarch64) library=linux-arm64 ;;
  osx-64 | osx-arm64) library=darwin-universal ;;
  *)
    echo "gpusort: webgpu has no library for $target_platform" >&2
    exit 1
    ;;
esac

program=$PREFIX/lib/gpusort
mkdir -p "$program/node_modules/webgpu/dist" "$PREFIX/bin" "$PREFIX/share/man/man1"
cp -R "$SRC_DIR"/{bin,dist,kernels,package.json} "$program"
cp -R "$SRC_DIR"/webgpu/{index.js,package.json,LICENSE.md} "$program/node_modules/webgpu"
cp -R "$SRC_DIR/webgpu/dist/$library" "$program/node_modules/webgpu/dist"
chmod 755 "$program/bin/gpusort.cjs"
ln -s ../lib/gpusort/bin/gpusort.cjs "$PREFIX/bin/gpusort"
cp "$SRC_DIR/docs/gpusort.1" "$PREFIX/share/man/man1"

# By the Node of the build, so that it also works if the package is for another platform.
completions() {
  mkdir -p "$PREFIX/$(dirname "$2")"
  node "$program/bin/gpusort.cjs" --completions="$1" > "$PREFIX/$2"
}
completions bash share/bash-completion/completions/gpusort
completions zsh share/zsh/site-functions/_gpusort
completions fish share/fish/vendor_completions.d/gpusort.fish
