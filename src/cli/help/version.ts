/** The versions that --version, --stats and the manual page show. */
import { createRequire } from 'node:module';
import { fileSystem } from '../../file-system.js';
import { installed } from '../../installed.js';

/** This package's version. */
export function packageVersion(): string {
  return versionIn(installed('package.json'));
}

/** All that --version prints. */
export function versionText(): string {
  return `gpusort ${packageVersion()}\nNode ${process.versions.node}\nwebgpu ${webgpuVersion()}\n`;
}

/** Looks the package up without loading it: that takes tens of milliseconds, and may fail without Vulkan. */
function webgpuVersion(): string {
  try {
    return versionIn(createRequire(import.meta.url).resolve('webgpu/package.json'));
  } catch {
    return 'not installed';
  }
}

function versionIn(path: string | URL): string {
  return (JSON.parse(fileSystem.readFileSync(path).toString('utf8')) as { version: string }).version;
}
