#!/usr/bin/env bash
# The tests that run on this system. On Linux all of them, on a software GPU. Elsewhere those that need no GNU sort, on
# the system's own GPU; without one, those that need no GPU.
#
#     test.sh [portable]        portable: what other systems than Linux run
set -euo pipefail
cd "$(dirname "$0")/../.."

if [ "$(uname -s)" = Linux ] && [ "${1:-}" != portable ]; then
  exec npm run test:all
fi
npm run build
if [ -z "${GPUSORT_TEST_GPU:-}" ] && ! node test/setup/probe.mjs; then
  echo 'No GPU was found: the GPU tests are left out.'
  export GPUSORT_TEST_GPU=none
fi
# Names of tests have no spaces, and macOS's bash has no mapfile.
# shellcheck disable=SC2046
npm test -- --no-build $(node .github/scripts/portable-tests.mjs)
