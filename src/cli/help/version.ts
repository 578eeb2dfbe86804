/** The versions that --version, --stats and the manual page show. */

import { webgpuManifest } from '../../engines/gpu/device/webgpu.js';
import { packageVersion, versionIn } from '../../system/installed.js';

/** The output of --version. */
export function versionText(): string {
  return `gpusort ${packageVersion()}\nNode ${process.versions.node}\nwebgpu ${webgpuVersion()}\n`;
}

/** Reads the package's manifest without loading the package: that takes tens of milliseconds and may fail. */
function webgpuVersion(): string {
  const manifest = webgpuManifest();
  return manifest === null ? 'not installed (optional: without it, the CPU sorts)' : versionIn(manifest);
}
