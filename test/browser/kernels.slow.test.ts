/**
 * gpusort/kernels in a browser, on a device with WebGPU's default limits and no feature: the sorts of
 * test/engines/gpu/keys/sorts.ts against the plain model.
 */
import { fileURLToPath } from 'node:url';
import { beforeAll, expect, it } from 'vitest';
import { makeKeys } from '../engines/gpu/distributions.js';
import { SHAPES, SORTS, type SortRow } from '../engines/gpu/keys/sorts.js';
import { nameOf, solved, specOf, wordsOf } from '../support/fixed-keys.js';
import { sampled } from '../support/tier.js';
import { describeBrowser, openSite, TEST_MS, type TestPage } from './harness.js';

const IN_PAGE = fileURLToPath(new URL('in-page.js', import.meta.url));
/** Below, at and above the tiles of the sorts. */
const COUNTS = [1, 2, 255, 1024, 5000, 20_011];

const SPECS = [specOf('u32', true), specOf('f32', false, true), specOf('u64', true)];
const CASES = Object.values<SortRow>(SORTS)
  .filter(({ segmentsAs }) => segmentsAs !== 'flags')
  .flatMap((row) => SPECS.map((spec) => ({ row, spec, keys: nameOf(spec) })));

describeBrowser('gpusort/kernels in a browser', { timeout: TEST_MS }, () => {
  let test: TestPage;

  /** Calls a function of in-page.js. As text: vitest rewrites `import()` in functions. */
  const call = <T>(name: string, argument: object = {}): Promise<T> =>
    test.page.evaluate(`import('/in-page.js').then((module) => module.${name}(${JSON.stringify(argument)}))`);

  beforeAll(async () => {
    test = await (await openSite()).open();
    await test.page.route('**/in-page.js', (route) => route.fulfill({ path: IN_PAGE }));
    // Any file of the site gives the page its origin.
    await test.page.goto(`${test.address}style.css`);
    expect(await call('openDefaultDevice')).toEqual({
      limits: {
        maxStorageBuffersPerShaderStage: 8,
        maxComputeWorkgroupStorageSize: 16384,
        maxStorageBufferBindingSize: 2 ** 27,
      },
      features: ['core-features-and-limits'],
    });
  }, TEST_MS);

  it.each(sampled(CASES, { count: 12, seed: 2, always: ({ spec }) => spec.type === 'f32' }))(
    'sorts $keys: $row.name',
    async ({ row: { sorter, parts }, spec }) => {
      for (const count of COUNTS) {
        const bounds = SHAPES['up to three tiles'](count, 100);
        const keys = makeKeys('extremes', count, wordsOf(spec), count);
        const { input, order, sorted } = solved({ spec, keys, parts, bounds });
        const { type, ...options } = spec;
        const found = await call<{ keys: number[]; values?: number[] }>('sort', {
          name: sorter.name,
          options: { key: type, ...options, ...(sorter.tuning && { tuning: sorter.tuning }) },
          keys: [...input],
          ...(spec.values && { values: [...order.keys()] }),
          ...(parts === 'merged' ? { bounds } : { count }),
          ...(parts === 'sorted' && { begins: bounds.slice(0, -1) }),
        });
        expect({ count, ...found }).toEqual({ count, keys: [...sorted], ...(spec.values && { values: [...order] }) });
      }
      expect(test.problems).toEqual([]);
    },
  );
});
