/**
 * The GPUs of a host, from texts that drivers write in /proc and /sys (NVIDIA's: of a machine with two H200), and the
 * placing of processes on them. Files with a text each stand for the cards' files in /dev: a process that prints all of
 * them must print its own and nothing of the others.
 */
import { spawnSync } from 'node:child_process';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, expect, it, vi } from 'vitest';
import { placeOnDevices } from '../../src/cluster/devices.js';
import { equalCards, listCards } from '../../src/engines/gpu/device/cards.js';
import { fileSystem } from '../../src/system/file-system.js';
import { freshDirectory } from '../battery/runner.js';

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
const RENDERED = {
  ...TWO,
  '/sys/class/drm/card0/device/uevent': uevent('0000:03:00.0', '1002:744C'),
  '/sys/class/drm/renderD128/device/uevent': uevent('0000:03:00.0', '1002:744C'),
  '/sys/class/drm/renderD129/device/uevent': uevent('0000:00:07.0', '10DE:2335'),
  // A card that is not on PCI.
  '/sys/class/drm/renderD130/device/uevent': 'DRIVER=v3d\n',
};

it.each([
  { what: 'of NVIDIA by address', files: TWO, cards: ['0000:00:06.0 /dev/nvidia0', '0000:00:07.0 /dev/nvidia1'] },
  {
    what: 'that this process may open',
    files: TWO,
    refused: ['/dev/nvidia0'],
    cards: ['0000:00:07.0 /dev/nvidia1'],
  },
  {
    what: 'with render nodes, which are joined to cards of the same address',
    files: RENDERED,
    cards: [
      '0000:00:06.0 /dev/nvidia0',
      '0000:00:07.0 /dev/nvidia1 /dev/dri/renderD129',
      '0000:03:00.0 /dev/dri/renderD128',
    ],
  },
  { what: 'on a machine without any', files: {}, cards: [] },
])('lists the cards $what', ({ files, refused, cards }) => {
  withFiles(files, refused);
  const found = listCards();
  expect(found.map(({ address, files: of }) => [address, ...of].join(' '))).toEqual(cards);
  for (const { address, model } of found) expect(model).toBe(address === '0000:03:00.0' ? '1002:744C' : 'NVIDIA H200');
});

it.each([
  ['', []],
  ['ab', ['0']],
  ['abb', ['1', '2']],
  ['abab', ['0', '2']],
])('finds the largest group of equal cards of the models "%s"', (names, group) => {
  const found = [...names].map((model, i) => ({ model, address: String(i), files: [] }));
  expect(equalCards(found).map(({ address }) => address)).toEqual(group);
});

const directory = freshDirectory('devices');

/** Cards of the models; the files of card 2 are `2a` and `2b`. */
const cards = (models: readonly string[]) =>
  models.map((model, i) => {
    const files = ['a', 'b'].map((part) => join(directory, `${i}${part}`));
    files.forEach((file) => writeFileSync(file, file.slice(directory.length + 1)));
    return { model, address: `0000:0${i}:00.0`, files };
  });
const run = ([program, ...rest]: readonly string[]) => spawnSync(program, rest, { encoding: 'latin1', timeout: 20000 });
const HOST = {
  user: process.getuid!(),
  group: process.getgid!(),
  succeeds: () => false,
  hasLayer: () => false,
};

/** Runs a process that prints the texts of all cards' files, its user and its number. */
function printed(models: readonly string[], index: number, succeeds: (command: readonly string[]) => boolean) {
  const found = cards(models);
  const { place, devices } = placeOnDevices({ ...HOST, cards: found, succeeds });
  const all = found.flatMap(({ files }) => files);
  const { command, environment } = place(index, [
    'sh',
    '-c',
    'cat "$@"; printf " %s" "$(id -u)" "$(id -g)" "$1"',
    'x',
    ...all,
  ]);
  const { stdout } = run(command);
  return { stdout, devices, environment, first: all[0] };
}

const asRoot = (command: readonly string[]): boolean => !command.includes('--user') && run(command).status === 0;
const asUser = (command: readonly string[]): boolean => command.includes('--user') && run(command).status === 0;
const mounts = (way: typeof asRoot): boolean =>
  placeOnDevices({ ...HOST, cards: cards(['a', 'a']), succeeds: way }).devices === 2;

for (const [name, way] of [
  ['a mount namespace', asRoot],
  ['a user namespace', asUser],
] as const) {
  it.skipIf(!mounts(way))(`hides all other cards in ${name}`, () => {
    const { user, group } = HOST;
    ['0a0b', '2a2b', '3a3b', '0a0b'].forEach((texts, index) => {
      const { stdout, devices, environment, first } = printed(['a', 'b', 'a', 'a'], index, way);
      expect({ stdout, devices, environment }).toEqual({
        stdout: `${texts} ${user} ${group} ${first}`,
        devices: 3,
        environment: {},
      });
    });
    // Nothing is hidden outside.
    expect(readFileSync(join(directory, '1a'), 'latin1')).toBe('1a');
  });

  it.skipIf(!mounts(way))(`keeps the arguments, the number and the status of a process in ${name}`, () => {
    const { place } = placeOnDevices({ ...HOST, cards: cards(['a', 'a']), succeeds: way });
    const script = 'process.stdout.write(JSON.stringify([process.pid, process.argv.slice(1)])); process.exit(7)';
    const { pid, status, stdout } = run(place(0, [process.execPath, '-e', script, "a 'b'", '$x', '']).command);
    expect({ status, stdout }).toEqual({ status: 7, stdout: JSON.stringify([pid, ["a 'b'", '$x', '']]) });
  });
}

it("selects by Mesa's layer if nothing can be hidden", () => {
  const { devices, note, place } = placeOnDevices({ ...HOST, cards: cards(['a', 'a']), hasLayer: () => true });
  expect({ devices, note }).toEqual({
    devices: 2,
    note: "processes are spread over 2 GPUs of one model (a) by Mesa's device selection layer for Vulkan",
  });
  expect([0, 1, 2].map((index) => place(index, ['x']))).toEqual(
    ['00', '01', '00'].map((bus) => ({
      command: ['x'],
      environment: { DRI_PRIME: `pci-0000_${bus}_00_0`, MESA_VK_DEVICE_SELECT_FORCE_DEFAULT_DEVICE: '1' },
    })),
  );
});

it('warns if all processes use the first card', () => {
  const { devices, note, place } = placeOnDevices({ ...HOST, cards: cards(['a', 'a']) });
  expect(devices).toBe(1);
  expect(note).toMatch(/^all processes use the first of 2 GPUs of one model \(a\): spreading them needs root/);
  expect(place(1, ['x', 'y'])).toEqual({ command: ['x', 'y'], environment: {} });
});

it.each([
  [[], 0],
  [['a'], 1],
  [['a', 'b'], 1],
] as const)('has nothing to choose: %j', (models, devices) => {
  const started: unknown[] = [];
  const placement = placeOnDevices({ ...HOST, cards: cards(models), succeeds: (command) => started.push(command) > 0 });
  expect(placement).toMatchObject({ devices, note: null });
  expect(placement.place(1, ['x'])).toEqual({ command: ['x'], environment: {} });
  expect(started).toEqual([]);
});
