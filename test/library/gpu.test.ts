/** A sorter on a GPU: successive sorts use one device, which holds no memory between them. */
import { afterAll, expect, it, vi } from 'vitest';
import { createSorter, type SortSettings } from '../../src/index.js';
import { expectSameBytes } from '../battery/runner.js';
import { describeGpu } from '../setup/gpu.js';
import { random } from '../support/random.js';
import { Collected } from './support.js';

/** All buffers that were made. */
let made = 0;
/** Devices that were opened, and the buffers of each that are not destroyed. */
const opened: { readonly buffers: Set<GPUBuffer>; readonly lose: () => void; isClosed: boolean }[] = [];

vi.mock(import('../../src/engines/gpu/device/device.js'), async (original) => {
  const module = await original();
  return {
    ...module,
    openGpu: async (adapter) => {
      const gpu = await module.openGpu(adapter);
      const buffers = new Set<GPUBuffer>();
      const create = gpu.device.createBuffer.bind(gpu.device);
      gpu.device.createBuffer = (descriptor) => {
        const buffer = create(descriptor);
        const destroy = buffer.destroy.bind(buffer);
        buffers.add(buffer);
        made++;
        buffer.destroy = () => {
          buffers.delete(buffer);
          return destroy();
        };
        return buffer;
      };
      let lost: string | undefined;
      const device = { buffers, lose: () => void (lost = 'lost by the test'), isClosed: false };
      opened.push(device);
      return {
        ...gpu,
        lostReason: () => lost ?? gpu.lostReason(),
        close: () => {
          device.isClosed = true;
          gpu.close();
        },
      };
    },
  };
});

const SETTINGS: SortSettings = { engine: 'gpu', array: 'u32', algorithm: 'merge' };

function numbers(seed: number): Buffer {
  const next = random(seed);
  return Buffer.from(Uint32Array.from({ length: 5000 }, () => next() * 2 ** 32).buffer);
}

function inOrder(bytes: Buffer): Buffer {
  const copy = Uint8Array.from(bytes);
  new Uint32Array(copy.buffer).sort();
  return Buffer.from(copy);
}

describeGpu('a sorter on a GPU', () => {
  const sorter = createSorter(SETTINGS);
  const sortOf = async (seed: number, settings?: SortSettings): Promise<void> => {
    const output = new Collected();
    const { warnings } = await sorter.sort([numbers(seed)].values(), output, settings);
    expectSameBytes(output.bytes, inOrder(numbers(seed)));
    expect(warnings).toEqual([]);
  };
  const devices = (): boolean[] => opened.map(({ isClosed }) => !isClosed);
  afterAll(() => sorter.close());

  it('sorts twice on one device, which holds no memory between the sorts', async () => {
    await sortOf(1);
    expect(made).toBeGreaterThan(5);
    expect(opened[0]!.buffers.size).toBe(0);
    await sortOf(2);
    expect(opened[0]!.buffers.size).toBe(0);
    expect(devices()).toEqual([true]);
  });

  it('counts the GPU traffic of each sort separately', async () => {
    const sent: number[] = [];
    for (const seed of [3, 4]) {
      const { statistics } = await sorter.sort([numbers(seed)].values(), new Collected(), { statistics: true });
      sent.push(statistics!.device!.sentBytes);
      // The timer's own buffers.
      expect(opened[0]!.buffers.size).toBe(0);
    }
    expect(sent[1]).toBe(sent[0]);
    expect(devices()).toEqual([true]);
  });

  it('opens a device for each of two concurrent sorts and keeps one', async () => {
    await Promise.all([sortOf(5), sortOf(6)]);
    expect(devices().filter(Boolean)).toEqual([true]);
    expect(opened.length).toBe(2);
  });

  it('replaces a device after a failed sort, and a lost device', async () => {
    const before = opened.length;
    await expect(sorter.sort([Buffer.alloc(3)].values(), new Collected())).rejects.toMatchObject({
      code: 'bad-records',
    });
    await sortOf(7);
    opened.findLast(({ isClosed }) => !isClosed)!.lose();
    await sortOf(8);
    expect(devices().filter(Boolean)).toEqual([true]);
    expect(opened.length).toBeGreaterThan(before);
  });

  it.each(['reading', 'writing'])('frees the device memory of a sort that is aborted while %s', async (moment) => {
    const controller = new AbortController();
    const { signal } = controller;
    const reason = new Error(moment);
    const onProgress: SortSettings['onProgress'] = ({ phase, bytes }) => {
      if (phase === moment && bytes > 0) controller.abort(reason);
    };
    const aborted = sorter.sort([numbers(9)].values(), new Collected(), { signal, onProgress });
    await expect(aborted).rejects.toBe(reason);
    // A device that the sort did not use yet is still there.
    for (const { isClosed, buffers } of opened) expect(isClosed || buffers.size === 0).toBe(true);
    await sortOf(10);
  });

  it('closes the device when the sorter closes', async () => {
    await sorter.close();
    expect(devices().filter(Boolean)).toEqual([]);
  });
});
