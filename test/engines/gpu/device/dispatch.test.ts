/**
 * A kernel gets its bindings and immediates by name: any order works, and any other name is an error. Large grids are
 * folded. Devices without immediates take any number of dispatches in one submission.
 */
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { requestAdapter } from '../../../../src/engines/gpu/device/adapters.js';
import { type Gpu, openGpu } from '../../../../src/engines/gpu/device/device.js';
import type { Bindings, Immediates } from '../../../../src/engines/gpu/device/dispatch.js';
import { Kernel, submitPass } from '../../../../src/engines/gpu/device/dispatch.js';
import { GpusortError } from '../../../../src/system/errors.js';
import { describeGpu } from '../../../setup/gpu.js';
import { readWords, upload, useGpu } from '../helpers.js';
import { limitedAdapter } from './default-device.js';

const COPY = 'records/copy-bytes';

describeGpu('dispatch', () => {
  const useTestGpu = useGpu();
  let gpu: Gpu;
  let [source, target]: GPUBuffer[] = [];
  beforeAll(async () => {
    gpu = useTestGpu();
    await new Kernel(gpu, COPY).load();
    source = upload(gpu, Uint32Array.of(1, 2, 3, 4));
    target = upload(gpu, Uint32Array.of(0, 0, 0, 0));
  });
  afterAll(() => {
    source.destroy();
    target.destroy();
  });

  const copy = (bindings: Bindings, immediates: Immediates): void => {
    submitPass(gpu, 'combine', 'test', (pass) => {
      new Kernel(gpu, COPY).dispatch(pass, bindings, immediates, 1);
    });
  };

  it('accepts names in any order', async () => {
    copy({ target_text: target, text: source }, { bytes: 8, target_byte: 4, source: 8 });
    expect([...(await readWords(gpu, target))]).toEqual([0, 3, 4, 0]);
    copy({ text: source, target_text: target }, { source: 0, target_byte: 0, bytes: 4 });
    expect([...(await readWords(gpu, target))]).toEqual([1, 3, 4, 0]);
  });

  it('notes the kernels that ran', () => {
    const noting: Gpu = { ...gpu, dispatched: new Set() };
    submitPass(noting, 'combine', 'test', (pass) => {
      const bindings = { text: source, target_text: target };
      const immediates = { source: 0, target_byte: 0, bytes: 4 };
      for (const groups of [0, 1, 1]) new Kernel(noting, COPY).dispatch(pass, bindings, immediates, groups);
    });
    expect([...noting.dispatched]).toEqual([COPY]);
  });

  it('accepts parts of a buffer', async () => {
    const words = upload(
      gpu,
      Uint32Array.from({ length: 128 }, (_, i) => i),
    );
    for (const offset of [0, 256]) {
      copy({ text: { buffer: words, offset, size: 16 }, target_text: target }, { source: 4, target_byte: 0, bytes: 8 });
      expect([...(await readWords(gpu, target, 2))]).toEqual([offset / 4 + 1, offset / 4 + 2]);
    }
    words.destroy();
  });

  it('folds a grid into two dimensions without losing a workgroup', () => {
    const grids: [number, number][] = [];
    const pass = {
      setPipeline: () => {},
      setBindGroup: () => {},
      setImmediates: () => {},
      dispatchWorkgroups: (columns: number, rows: number) => grids.push([columns, rows]),
    } as unknown as GPUComputePassEncoder;
    const sizes = [0, 1, 65_535, 65_536, 65_537, 1_000_001];
    for (const size of sizes) new Kernel(gpu, COPY).dispatch(pass, bindings(), immediates, size);
    for (const [i, [columns, rows]] of grids.entries()) {
      expect(columns).toBeLessThan(65_536);
      expect(columns * rows).toBeGreaterThanOrEqual(sizes[i + 1]);
      expect((columns - 1) * rows).toBeLessThan(sizes[i + 1]);
    }
    expect(grids.length).toBe(sizes.length - 1);
  });

  it('sends the immediates of many dispatches to a device without immediates', async () => {
    const own = await openGpu(limitedAdapter(await requestAdapter(), null, false).adapter);
    await new Kernel(own, COPY).load();
    const count = 600;
    const text = upload(
      own,
      Uint32Array.from({ length: count }, (_, i) => i + 1),
    );
    const copied = upload(own, new Uint32Array(count));
    submitPass(own, 'combine', 'test', (pass) => {
      for (let i = 0; i < count; i++) {
        const words = { source: 4 * i, target_byte: 4 * (count - 1 - i), bytes: 4 };
        new Kernel(own, COPY).dispatch(pass, { text, target_text: copied }, words, 1);
      }
    });
    expect([...(await readWords(own, copied))]).toEqual(Array.from({ length: count }, (_, i) => count - i));
    own.close();
  });

  const bindings = (): Record<string, GPUBuffer> => ({ text: source, target_text: target });
  const immediates = { source: 0, target_byte: 0, bytes: 4 };

  describe('names the kernel when it reports', () => {
    it.each<[string, () => Bindings, Immediates, string]>([
      ['a missing binding', () => ({ text: source }), immediates, 'binding target_text is missing'],
      ['an unknown binding', () => ({ ...bindings(), order: source }), immediates, 'has no binding order'],
      ['a misspelt binding', () => ({ text: source, targetText: target }), immediates, 'has no binding targetText'],
      ['a missing immediate', bindings, { source: 0, bytes: 4 }, 'immediate target_byte is missing'],
      ['an unknown immediate', bindings, { ...immediates, count: 1 }, 'has no immediate count'],
      ['no immediates', bindings, {}, 'immediate source is missing'],
    ])('%s', (_, given, words, message) => {
      const encoder = gpu.device.createCommandEncoder();
      const pass = encoder.beginComputePass();
      let error: unknown;
      try {
        new Kernel(gpu, COPY).dispatch(pass, given(), words, 1);
      } catch (thrown) {
        error = thrown;
      }
      pass.end();
      encoder.finish();
      expect(error).toBeInstanceOf(GpusortError);
      expect(error).toMatchObject({ code: 'internal' });
      expect((error as Error).message).toContain(`kernel ${COPY}`);
      expect((error as Error).message).toContain(message);
    });

    it('a kernel that was not loaded', () => {
      expect(() => gpu.pipelines.get('records/scan/spine', { consts: { NEVER: 1 } })).toThrow(
        'internal error: kernel records/scan/spine was not loaded',
      );
    });
  });
});
