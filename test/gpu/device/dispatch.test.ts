/** A kernel gets its bindings and immediates by name: any order is right, and any other name is an error. */
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Bindings, Immediates } from '../../../src/gpu/device/binding.js';
import type { Gpu } from '../../../src/gpu/device/device.js';
import { dispatch, submitPass } from '../../../src/gpu/device/dispatch.js';
import { GpusortError } from '../../../src/report/errors.js';
import { describeGpu } from '../../setup/gpu.js';
import { readWords, upload, useGpu } from '../helpers.js';

const COPY = 'engine/copy-bytes';

describeGpu('dispatch', () => {
  const useTestGpu = useGpu();
  let gpu: Gpu;
  let [source, target]: GPUBuffer[] = [];
  beforeAll(async () => {
    gpu = useTestGpu();
    await gpu.pipelines.load(COPY);
    source = upload(gpu, Uint32Array.of(1, 2, 3, 4));
    target = upload(gpu, Uint32Array.of(0, 0, 0, 0));
  });
  afterAll(() => {
    source.destroy();
    target.destroy();
  });

  const copy = (bindings: Bindings, immediates: Immediates): void => {
    submitPass(gpu, 'combine', 'test', (pass) => {
      dispatch(gpu, pass, COPY, {}, bindings, immediates, 1);
    });
  };

  it('takes names in any order', async () => {
    copy({ target_text: target, text: source }, { bytes: 8, target_byte: 4, source: 8 });
    expect([...(await readWords(gpu, target))]).toEqual([0, 3, 4, 0]);
    copy({ text: source, target_text: target }, { source: 0, target_byte: 0, bytes: 4 });
    expect([...(await readWords(gpu, target))]).toEqual([1, 3, 4, 0]);
  });

  const bindings = (): Record<string, GPUBuffer> => ({ text: source, target_text: target });
  const immediates = { source: 0, target_byte: 0, bytes: 4 };

  describe('reports, with the kernel', () => {
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
        dispatch(gpu, pass, COPY, {}, given(), words, 1);
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
