/** Another thread may reset V8's flag before a thread has the function that collects garbage. */
import * as v8 from 'node:v8';
import { expect, it, vi } from 'vitest';
import { collectYoung } from '../../src/system/garbage.js';

let isReset = true;

vi.mock('node:v8', async (original) => {
  const real = await original<typeof v8>();
  return {
    ...real,
    setFlagsFromString: vi.fn((flag: string) => {
      if (!isReset) real.setFlagsFromString(flag);
    }),
  };
});

it('a thread whose flag was reset collects nothing, and tries again', () => {
  collectYoung();
  collectYoung();
  expect(v8.setFlagsFromString).toHaveBeenCalledTimes(4);
  isReset = false;
  collectYoung();
  expect(v8.setFlagsFromString).toHaveBeenCalledTimes(6);
  // From now on it has the function.
  collectYoung();
  expect(v8.setFlagsFromString).toHaveBeenCalledTimes(6);
});
