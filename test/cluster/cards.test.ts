/** Cards, from texts that drivers write in /proc and /sys. Those of NVIDIA were read on a machine with two H200. */
import { afterEach, expect, it, vi } from 'vitest';
import { fileSystem } from '../../src/file-system.js';
import { equalCards, listCards } from '../../src/gpu/device/cards.js';

const information = (address: string, minor: number, model = 'NVIDIA H200'): string =>
  `Model: \t\t ${model}\nIRQ:   \t\t 41\nGPU UUID: \t GPU-a19f076c\nBus Type: \t PCIe\n` +
  `Bus Location: \t ${address}\nDevice Minor: \t ${minor}\nGPU Excluded:\t No\n`;
const uevent = (address: string, id: string): string =>
  `DRIVER=x\nPCI_CLASS=30000\nPCI_ID=${id}\nPCI_SLOT_NAME=${address}\n`;

/** Simulates a machine with these files, and devices that this process may not open. */
function withFiles(files: Readonly<Record<string, string>>, refused: readonly string[] = []): void {
  const missing = (name: unknown): never => {
    throw new Error(`${String(name)}: No such file or directory`);
  };
  vi.spyOn(fileSystem, 'readFileSync').mockImplementation((name) => Buffer.from(files[String(name)] ?? missing(name)));
  vi.spyOn(fileSystem, 'readdirSync').mockImplementation((name) => {
    const below = Object.keys(files).filter((file) => file.startsWith(`${String(name)}/`));
    if (below.length === 0) missing(name);
    return [...new Set(below.map((file) => file.slice(String(name).length + 1).split('/')[0]))].map((entry) =>
      Buffer.from(entry),
    );
  });
  vi.spyOn(fileSystem, 'accessSync').mockImplementation((name) => {
    if (refused.includes(String(name))) throw new Error(`${String(name)}: Operation not permitted`);
  });
  const { statSync } = fileSystem;
  vi.spyOn(fileSystem, 'statSync').mockImplementation((name) => statSync(name === '/dev/null' ? name : '/dev/zero'));
}

afterEach(() => {
  vi.restoreAllMocks();
});

const TWO = {
  '/proc/driver/nvidia/gpus/0000:00:07.0/information': information('0000:00:07.0', 1),
  '/proc/driver/nvidia/gpus/0000:00:06.0/information': information('0000:00:06.0', 0),
};

it('lists cards of NVIDIA by address, with their files', () => {
  withFiles(TWO);
  expect(listCards()).toEqual([
    { model: 'NVIDIA H200', address: '0000:00:06.0', files: ['/dev/nvidia0'] },
    { model: 'NVIDIA H200', address: '0000:00:07.0', files: ['/dev/nvidia1'] },
  ]);
});

it('lists only cards that this process may open', () => {
  withFiles(TWO, ['/dev/nvidia0']);
  expect(listCards().map(({ files }) => files)).toEqual([['/dev/nvidia1']]);
});

it('lists render nodes, and joins those of a card that it knows', () => {
  withFiles({
    ...TWO,
    '/sys/class/drm/card0/device/uevent': uevent('0000:03:00.0', '1002:744C'),
    '/sys/class/drm/renderD128/device/uevent': uevent('0000:03:00.0', '1002:744C'),
    '/sys/class/drm/renderD129/device/uevent': uevent('0000:00:07.0', '10DE:2335'),
    // A card that is not on PCI.
    '/sys/class/drm/renderD130/device/uevent': 'DRIVER=v3d\n',
  });
  expect(listCards().map(({ model, files }) => [model, ...files])).toEqual([
    ['NVIDIA H200', '/dev/nvidia0'],
    ['NVIDIA H200', '/dev/nvidia1', '/dev/dri/renderD129'],
    ['1002:744C', '/dev/dri/renderD128'],
  ]);
});

it('lists nothing on a machine without cards', () => {
  withFiles({});
  expect(listCards()).toEqual([]);
});

it('finds the largest group of equal cards', () => {
  const card = (model: string, address: string) => ({ model, address, files: [] });
  const models = (names: string): string =>
    equalCards([...names].map((name, i) => card(name, String(i))))
      .map(({ address }) => address)
      .join();
  expect(models('')).toBe('');
  expect(models('ab')).toBe('0');
  expect(models('abb')).toBe('1,2');
  expect(models('abab')).toBe('0,2');
});
