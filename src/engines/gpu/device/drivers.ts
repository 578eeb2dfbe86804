/**
 * Finds the Vulkan drivers that WebGPU can use, and keeps the others silent. Dawn, the Vulkan loader, its layers and
 * drivers write to standard error, and Node cannot redirect that of its own process. So each driver is first asked in a
 * process of its own (bin/drivers.cjs); this process then loads only those that can be used. Linux only.
 */
import { execFile } from 'node:child_process';
import { basename } from 'node:path';
import { fileURLToPath } from 'node:url';
import { warn } from '../../../report/warnings.js';
import { fileSystem } from '../../../system/file-system.js';
import { installed } from '../../../system/installed.js';
import { mayOpen } from './cards.js';
import { isSoftware } from './device.js';
import { driverAdvice, driverManifests } from './vulkan.js';

/** The facts of an adapter that another process found. */
export type KnownAdapter = Pick<GPUAdapter, 'info' | 'limits'>;

/** What a driver answered. */
export interface DriverAnswer {
  /** The path of its manifest. */
  readonly manifest: string;
  /** What WebGPU can use of the driver. */
  readonly offers: 'nothing' | 'software' | 'hardware';
  /** The adapters, some more than once; null: not asked. */
  readonly adapters: readonly KnownAdapter[] | null;
  /** The names of its devices, as the Vulkan loader lists them. */
  readonly devices: readonly string[];
  /** Why WebGPU refuses its devices; null if it does not say. */
  readonly reason: string | null;
}

/** How a process that asked drivers ended. */
export interface AskedProcess {
  /** One line for each driver that answered. */
  readonly stdout: string;
  /** What they wrote: a part for each driver, which ends in a separator. */
  readonly stderr: string;
  /** Why the process ended before its work was done, as part of a sentence; null: it did not. */
  readonly failure: string | null;
}

/** Drivers that Dawn loads without a message. NVIDIA's alone takes 0.3 s, which would be spent twice. */
const SILENT = /^(nvidia|vk_swiftshader)[^/]*\.json$/;
/** A driver that takes longer counts as broken. */
const LONGEST_MS = 20_000;
const NAMELESS = { architecture: '', description: '', isFallbackAdapter: false };
/** Written after the messages of each driver. */
const SEPARATOR = '\x1e';
/** A device in the list of the Vulkan loader. */
const DEVICE = /^[A-Z |]*:\s+\[\d+\] (.*\S)/;
/** Other messages of the Vulkan loader. */
const LOADER = /^(?:(?:ERROR|WARNING|INFO|PERF|DEBUG|LAYER|DRIVER)(?: \| )?)+:/;
/** Dawn's message, which is followed by the place in its source. */
const REFUSAL = /^Warning: (.*?)\.?\n - While initializing adapter/m;

/** The last answers, which are kept because a library may sort many times. */
let last: { readonly manifests: string; readonly answers: Promise<DriverAnswer[] | null> } | undefined;

/** The answers of the installed drivers, which are asked once. Null: nothing is known of them. */
export function installedDrivers(): Promise<DriverAnswer[] | null> {
  const manifests = driverManifests();
  if (last?.manifests !== manifests.join(':'))
    last = { manifests: manifests.join(':'), answers: askDrivers(manifests) };
  return last.answers;
}

/**
 * Asks the drivers for a device that WebGPU can use. Those that are known to be silent are not asked and count as
 * usable. Null: there are no manifests, or drivers cannot be asked.
 */
export async function askDrivers(
  manifests: readonly string[],
  ask: (manifests: readonly string[]) => Promise<AskedProcess> = askInProcess,
): Promise<DriverAnswer[] | null> {
  if (manifests.length === 0) return null;
  const isSilent = (manifest: string): boolean => SILENT.test(basename(manifest));
  const all: DriverAnswer[] = manifests.filter(isSilent).map((manifest) => ({
    ...{ manifest, devices: [], reason: null, adapters: null },
    offers: isSoftware({ ...NAMELESS, device: basename(manifest) }) ? 'software' : 'hardware',
  }));
  let asked = manifests.filter((manifest) => !isSilent(manifest));
  while (asked.length > 0) {
    const { stdout, stderr, failure } = await ask(asked);
    const lines = stdout.split('\n').slice(0, -1);
    const texts = stderr.split(SEPARATOR);
    if (lines.length === 0 && failure === null) return null;
    for (const [i, manifest] of asked.slice(0, lines.length).entries())
      all.push(answerOf(manifest, JSON.parse(lines[i]) as KnownAdapter[], texts[i] ?? ''));
    // The driver at which the process ended is broken; the others have not been asked.
    const broken: string | undefined = asked[lines.length];
    if (broken !== undefined)
      all.push({ ...answerOf(broken, [], texts[lines.length] ?? ''), reason: failure ?? 'it gave no answer' });
    asked = asked.slice(lines.length + 1);
  }
  return all;
}

function answerOf(manifest: string, adapters: readonly KnownAdapter[], text: string): DriverAnswer {
  const lines = text.split('\n');
  const devices = lines.flatMap((line) => DEVICE.exec(line)?.[1] ?? []);
  if (process.env.GPUSORT_DEBUG) {
    for (const line of lines)
      if (line.trim() !== '' && !LOADER.test(line)) warn(`Vulkan driver ${basename(manifest)}: ${line.trim()}`);
  }
  const hardware = adapters.filter(({ info }) => !isSoftware(info));
  const offers = hardware.length > 0 ? 'hardware' : adapters.length > 0 ? 'software' : 'nothing';
  return { manifest, offers, adapters, devices: [...new Set(devices)], reason: REFUSAL.exec(text)?.[1] ?? null };
}

/** The drivers that can be used: those of hardware if there are any, otherwise those of software. */
export function bestDrivers(answers: readonly DriverAnswer[]): DriverAnswer[] {
  const hardware = answers.filter(({ offers }) => offers === 'hardware');
  return hardware.length > 0 ? hardware : answers.filter(({ offers }) => offers === 'software');
}

/** Why none of these drivers can be used, as a part of a sentence, and the remedy without its full stop. */
export function whyNone(answers: readonly DriverAnswer[]): { readonly why: string; readonly remedy: string } {
  const closed = closedDevice();
  if (closed !== null) return { why: `this user may not open ${closed}`, remedy: `Join the group of ${closed}` };
  const refused = answers.filter(({ devices, reason }) => devices.length > 0 || reason !== null);
  if (refused.length > 0) return { why: refused.map(refusal).join('; '), remedy: 'Update the Vulkan driver' };
  const names = answers.map(({ manifest }) => driverName(manifest)).join(', ');
  return { why: `the installed Vulkan drivers (${names}) find no device`, remedy: driverAdvice() };
}

/** The first GPU device in /dev/dri if this process may open no such device; otherwise null. */
function closedDevice(): string | null {
  try {
    const names = fileSystem.readdirSync('/dev/dri').map(String);
    const devices = names.filter((name) => name.startsWith('renderD')).map((name) => `/dev/dri/${name}`);
    return devices.some(mayOpen) ? null : (devices[0] ?? null);
  } catch {
    return null;
  }
}

/** For example `WebGPU refuses llvmpipe (lvp): Vulkan 1.1 required`. */
export function refusal({ manifest, devices, reason }: DriverAnswer): string {
  const device = devices.length > 0 ? devices.join(', ') : 'the devices';
  return `WebGPU refuses ${device} of the Vulkan driver ${driverName(manifest)}: ${reason ?? 'no reason is known'}`;
}

/** `lvp` for `/usr/share/vulkan/icd.d/lvp_icd.x86_64.json`. */
const driverName = (manifest: string): string => basename(manifest, '.json').replace(/_icd\b.*/, '');

function askInProcess(manifests: readonly string[]): Promise<AskedProcess> {
  return new Promise((resolve) => {
    const program = fileURLToPath(installed('bin/drivers.cjs'));
    // The loader lists devices by name. Electron runs as Node only if a variable says so.
    const env = { ...process.env, VK_LOADER_DEBUG: 'info,driver', ELECTRON_RUN_AS_NODE: '1' };
    const options = { env, encoding: 'latin1', timeout: LONGEST_MS, killSignal: 'SIGKILL', windowsHide: true } as const;
    execFile(process.execPath, [program, ...manifests], options, (error, stdout, stderr) => {
      const signal = error?.signal ?? null;
      const failure = signal === null ? null : error?.killed ? 'it does not answer' : `it crashes (${signal})`;
      resolve({ stdout, stderr, failure });
    });
  });
}

/**
 * Variables that keep drivers silent: Mesa's log; its note that a driver is not certified; and messages of its layer
 * about a missing Wayland directory ("Environment Variables" in Mesa's manual). The user's values are kept.
 */
function silenced(): Record<string, string> {
  const { MESA_LOG = 'null', MESA_VK_IGNORE_CONFORMANCE_WARNING = '1', XDG_RUNTIME_DIR = '/dev/null' } = process.env;
  return { MESA_LOG, MESA_VK_IGNORE_CONFORMANCE_WARNING, XDG_RUNTIME_DIR };
}

/**
 * Calls `load`, which loads drivers before it returns, so that it loads only these. Meanwhile the environment has other
 * variables. A worker thread cannot set these (its `process.env` is a copy), so it loads all drivers.
 */
export function loadingDrivers<T>(drivers: readonly DriverAnswer[], load: () => T): T {
  const files = drivers.map(({ manifest }) => manifest).join(':');
  const changed = { ...silenced(), VK_DRIVER_FILES: files, VK_ICD_FILENAMES: files };
  const before = Object.keys(changed).map((name) => [name, process.env[name]] as const);
  Object.assign(process.env, changed);
  try {
    return load();
  } finally {
    for (const [name, value] of before) {
      if (value === undefined) delete process.env[name];
      else process.env[name] = value;
    }
  }
}
