/**
 * Checks the file system for Vulkan. Without a loader or a driver Dawn writes warnings to standard error and takes
 * longer to fail. Linux only: Dawn uses Metal on macOS and Direct3D 12 on Windows, which belong to the system.
 */
import { fileSystem } from '../../../system/file-system.js';
import { isLinux, isMac } from '../../../system/platform.js';

/** What is missing, as a sentence; null if nothing is known to be missing. */
export function vulkanProblem(): string | null {
  if (!isLinux()) return null;
  if (!loaderFound()) return 'the Vulkan loader, libvulkan.so.1, is not installed';
  if (!driverFound()) return 'no Vulkan driver is installed';
  return null;
}

/** What to install on this platform if there is no adapter; a sentence without its full stop. */
export function driverAdvice(): string {
  if (isLinux()) return 'Install a GPU driver with Vulkan and the Vulkan loader (Debian, Ubuntu: libvulkan1)';
  return isMac() ? 'Update macOS, which brings the GPU driver' : 'Install or update the GPU driver';
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

/** Whether a layer is installed that the Vulkan loader loads by itself. Its name is that of its manifest. */
export function hasLayer(name: string): boolean {
  return manifestRoots().some((root) => fileSystem.existsSync(`${root}/vulkan/implicit_layer.d/${name}.json`));
}

/** Checks the directories that the Vulkan loader searches for driver manifests. */
function driverFound(): boolean {
  const { env } = process;
  const named = listed(env.VK_DRIVER_FILES ?? env.VK_ICD_FILENAMES);
  if (named.length > 0) return named.some((file) => fileSystem.existsSync(file));
  const manifests = (directory: string): boolean => {
    try {
      return fileSystem
        .readdirSync(directory)
        .map(String)
        .some((file) => file.endsWith('.json'));
    } catch {
      return false;
    }
  };
  return (
    listed(env.VK_ADD_DRIVER_FILES).some((file) => fileSystem.existsSync(file)) ||
    manifestRoots().some((root) => manifests(`${root}/vulkan/icd.d`))
  );
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
