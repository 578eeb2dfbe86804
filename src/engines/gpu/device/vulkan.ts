/**
 * Looks for Vulkan in the file system. Without a loader or a driver Dawn writes warnings to standard error and takes
 * longer to fail. Linux only: Dawn uses Metal on macOS and Direct3D 12 on Windows, which belong to the system.
 */
import { fileSystem } from '../../../system/file-system.js';
import { isLinux, isMac } from '../../../system/platform.js';

/** What is missing, as a sentence; null if nothing is known to be missing. */
export function vulkanProblem(): string | null {
  if (!isLinux()) return null;
  if (!loaderFound()) return 'the Vulkan loader, libvulkan.so.1, is not installed';
  if (driverManifests().length === 0) return 'no Vulkan driver is installed';
  return null;
}

/** What to install on this platform if there is no driver; a sentence without its full stop. */
export function driverAdvice(): string {
  if (!isLinux()) return isMac() ? 'Update macOS, which brings the GPU driver' : 'Install or update the GPU driver';
  const driver = "Install the Vulkan driver of this machine's GPU";
  return loaderFound() ? driver : `${driver} and the Vulkan loader (Debian, Ubuntu: libvulkan1)`;
}

const listed = (variable: string | undefined): string[] => (variable ?? '').split(':').filter((path) => path !== '');

function loaderFound(): boolean {
  const directories = [
    ...listed(process.env.LD_LIBRARY_PATH),
    '/usr/lib',
    '/lib',
    '/usr/lib64',
    '/lib64',
    '/usr/local/lib',
  ];
  if (directories.some((directory) => fileSystem.existsSync(`${directory}/libvulkan.so.1`))) return true;
  try {
    return fileSystem.readFileSync('/etc/ld.so.cache').includes('libvulkan.so.1');
  } catch {
    return true; // no cache (other C libraries have none): Dawn will find out
  }
}

/** Mesa's layer for the Vulkan loader that selects a device by its PCI address. */
export const DEVICE_SELECT = 'VkLayer_MESA_device_select';

/** Whether an implicit layer is installed: one that the Vulkan loader loads by itself. `name`: that of its manifest. */
export function hasLayer(name: string): boolean {
  return manifestRoots().some((root) => fileSystem.existsSync(`${root}/vulkan/implicit_layer.d/${name}.json`));
}

/** The manifests of the Vulkan drivers that the loader would load; none if it does not look for them in files. */
export function driverManifests(): string[] {
  if (!isLinux()) return [];
  const { env } = process;
  const named = listed(env.VK_DRIVER_FILES ?? env.VK_ICD_FILENAMES);
  if (named.length > 0) return named.flatMap(manifestsAt);
  const roots = manifestRoots().map((root) => `${root}/vulkan/icd.d`);
  return [...new Set([...listed(env.VK_ADD_DRIVER_FILES), ...roots].flatMap(manifestsAt))];
}

/** A manifest, or those of a directory. */
function manifestsAt(path: string): string[] {
  try {
    if (path.endsWith('.json')) return fileSystem.existsSync(path) ? [path] : [];
    const names = fileSystem.readdirSync(path).map(String);
    return names.filter((name) => name.endsWith('.json')).map((name) => `${path}/${name}`);
  } catch {
    return [];
  }
}

/**
 * The directories that the Vulkan loader searches for manifests ("Driver discovery on Linux" in the loader's interface
 * document).
 */
function manifestRoots(): string[] {
  const { env } = process;
  const home = env.HOME ?? '';
  return [
    ...listed(env.XDG_CONFIG_HOME ?? `${home}/.config`),
    ...listed(env.XDG_CONFIG_DIRS ?? '/etc/xdg'),
    '/etc',
    '/usr/local/etc',
    ...listed(env.XDG_DATA_HOME ?? `${home}/.local/share`),
    ...listed(env.XDG_DATA_DIRS),
    '/usr/local/share',
    '/usr/share',
  ];
}
