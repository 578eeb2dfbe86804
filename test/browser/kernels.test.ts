/** gpusort/kernels sorts right in a browser, on a device with WebGPU's default limits and no feature. */
import { fileURLToPath } from 'node:url';
import { beforeAll, expect, it } from 'vitest';
import { describeBrowser, openSite, TEST_MS, type TestPage } from './harness.js';

const IN_PAGE = fileURLToPath(new URL('in-page.js', import.meta.url));
/** Below, at and above the tiles of the sorts. */
const COUNTS = [1, 2, 255, 1024, 5000, 20_011];

const KEYS = [
  { type: 'u32', kind: 'uniform', values: true },
  { type: 'f32', kind: 'zipf', descending: true },
  { type: 'u64', kind: 'few', values: true },
];
const SORTS = [
  { name: 'radixSort' },
  { name: 'mergeSort' },
  { name: 'segmentedSort', segments: 37 },
  { name: 'mergePath', runs: 5 },
];

describeBrowser('gpusort/kernels in a browser', () => {
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

  it.each(SORTS.flatMap((sort) => KEYS.map((keys) => ({ ...sort, ...keys }))))(
    '$name of $kind $type',
    async (request) => {
      for (const count of COUNTS) expect([count, await call('check', { ...request, count })]).toEqual([count, '']);
      expect(test.problems).toEqual([]);
    },
    TEST_MS,
  );

  it(
    'notices a wrong order',
    async () => {
      const wrong = { name: 'mergePath', type: 'u32', kind: 'uniform', count: 1000, segments: 3, runs: 2 };
      expect(await call('check', wrong)).toMatch(/^key \d+ is \d+, not \d+$/);
    },
    TEST_MS,
  );
});
