/** Which Vulkan drivers are loaded, by the answers of processes that ask them. */
import { afterEach, expect, it, vi } from 'vitest';
import {
  type AskedProcess,
  askDrivers,
  bestDrivers,
  type DriverAnswer,
  type KnownAdapter,
  loadingDrivers,
  whyNone,
} from '../../../../src/engines/gpu/device/drivers.js';

afterEach(() => {
  vi.unstubAllEnvs();
});

/** Answers one question after another, and keeps what was asked. */
function answering(...outcomes: Partial<AskedProcess>[]) {
  const asked: (readonly string[])[] = [];
  const ask = (manifests: readonly string[]): Promise<AskedProcess> => {
    asked.push(manifests);
    return Promise.resolve({ stdout: '', stderr: '', failure: null, ...outcomes[asked.length - 1] });
  };
  return { asked, ask };
}
const adapterOf = (device: string): KnownAdapter =>
  ({ info: { architecture: '', device, description: '', isFallbackAdapter: false }, limits: {} }) as KnownAdapter;
const CARD = adapterOf('card');
const LLVMPIPE = adapterOf('llvmpipe');
/** The answer of a driver with these adapters; null: it was not asked. */
const answer = (
  manifest: string,
  adapters: readonly KnownAdapter[] | null,
  offers: DriverAnswer['offers'] = 'nothing',
): DriverAnswer => ({ manifest, devices: [], reason: null, adapters, offers });

it('asks no process about drivers that write nothing', async () => {
  const { ask, asked } = answering();
  expect(await askDrivers(['/a/nvidia_icd.json', '/b/vk_swiftshader_icd.json'], ask)).toEqual([
    answer('/a/nvidia_icd.json', null, 'hardware'),
    answer('/b/vk_swiftshader_icd.json', null, 'software'),
  ]);
  expect(await askDrivers([], ask)).toBeNull();
  expect(asked).toEqual([]);
});

it('goes on after a driver that ends the process, and after one that gives no answer', async () => {
  const { ask, asked } = answering(
    { stdout: `${JSON.stringify([CARD])}\n`, stderr: 'x\x1ey', failure: 'it crashes (SIGSEGV)' },
    { stdout: '', failure: 'it does not answer' },
    { stdout: '[]\n', stderr: '\x1e' },
  );
  expect(await askDrivers(['a', 'b', 'c', 'd'], ask)).toEqual([
    answer('a', [CARD], 'hardware'),
    { ...answer('b', []), reason: 'it crashes (SIGSEGV)' },
    { ...answer('c', []), reason: 'it does not answer' },
    answer('d', []),
  ]);
  expect(asked).toEqual([['a', 'b', 'c', 'd'], ['c', 'd'], ['d']]);
});

it('knows nothing if the process cannot be started', async () => {
  expect(await askDrivers(['a'], answering({}).ask)).toBeNull();
});

it('reads names of devices and reasons in the messages of several loaders', async () => {
  const stderr = [
    'INFO | DRIVER:    linux_read_sorted_physical_devices:\nINFO | DRIVER:               [0] llvmpipe (LLVM 15)  ',
    'DRIVER:               [1] Card\nINFO: [0] Card',
    'Warning: Vulkan 1.1 required.\n - While initializing adapter (backend=BackendType::Vulkan)\n    at x (y.cpp:1)\n\x1e',
  ].join('\n');
  expect(await askDrivers(['lvp_icd.json'], answering({ stdout: '[]\n', stderr }).ask)).toEqual([
    {
      manifest: 'lvp_icd.json',
      offers: 'nothing',
      adapters: [],
      devices: ['llvmpipe (LLVM 15)', 'Card'],
      reason: 'Vulkan 1.1 required',
    },
  ]);
});

it('takes drivers of hardware, and those of software if there is none', async () => {
  const stdout = [[LLVMPIPE], [], [LLVMPIPE, CARD]].map((list) => `${JSON.stringify(list)}\n`).join('');
  const [lvp, old, card] = (await askDrivers(['lvp', 'old', 'card'], answering({ stdout, stderr: '' }).ask))!;
  expect([lvp!.offers, old!.offers, card!.offers]).toEqual(['software', 'nothing', 'hardware']);
  expect(bestDrivers([lvp!, old!, card!])).toEqual([card]);
  expect(bestDrivers([lvp!, old!])).toEqual([lvp]);
  expect(bestDrivers([old!])).toEqual([]);
});

it('loads only the given drivers, and restores the environment', () => {
  vi.stubEnv('VK_DRIVER_FILES', 'before');
  vi.stubEnv('VK_ICD_FILENAMES', undefined);
  vi.stubEnv('XDG_RUNTIME_DIR', undefined);
  vi.stubEnv('MESA_LOG', 'file');
  const seen = loadingDrivers([answer('a', null), answer('c', null)], () => ({ ...process.env }));
  expect(seen).toMatchObject({
    VK_DRIVER_FILES: 'a:c',
    VK_ICD_FILENAMES: 'a:c',
    XDG_RUNTIME_DIR: '/dev/null',
    MESA_LOG: 'file',
  });
  const { VK_DRIVER_FILES, VK_ICD_FILENAMES, XDG_RUNTIME_DIR } = process.env;
  expect([VK_DRIVER_FILES, VK_ICD_FILENAMES, XDG_RUNTIME_DIR]).toEqual(['before', undefined, undefined]);
  expect(() =>
    loadingDrivers([], () => {
      throw new Error('no');
    }),
  ).toThrow('no');
  expect(process.env.VK_DRIVER_FILES).toBe('before');
});

it('names a driver without a device by its manifest', () => {
  expect(whyNone([answer('/x/radeon_icd.x86_64.json', []), answer('/x/own.json', [])]).why).toBe(
    'the installed Vulkan drivers (radeon, own) find no device',
  );
});
