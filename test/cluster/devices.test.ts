/**
 * Placing processes on devices. Files with a text each stand for the cards' files in /dev: a process that prints all of
 * them must print its own and nothing of the others.
 */
import { spawnSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, expect, it } from 'vitest';
import { placeOnDevices } from '../../src/cluster/devices.js';

const directory = mkdtempSync(join(tmpdir(), 'devices-'));
afterAll(() => {
  rmSync(directory, { recursive: true });
});

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

it('says so if all processes use the first card', () => {
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
