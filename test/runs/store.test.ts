/** What the temporary store says where there is no room for what it is given. */
import { tmpdir } from 'node:os';
import { expect, it, vi } from 'vitest';
import { TemporaryStore } from '../../src/runs/store.js';

vi.mock('../../src/transfer.js', async (original) => ({ ...await original<object>(), writeFully: () => Promise.reject(Object.assign(new Error('full'), { code: 'ENOSPC' })) }));

it('names its file, the system\'s reason and the remedy', async () => {
  const store = new TemporaryStore([Buffer.from(process.env.GPUSORT_TEST_TMP ?? tmpdir())]);
  await expect(store.create(null).write(Buffer.alloc(10))).rejects.toMatchObject({
    code: 'no-temporary-space', exitCode: 2, message: expect.stringMatching(/^write failed: temporary file in \/.*: No space left on device$/),
    hint: 'name a directory with more room with -T: 10 more bytes were needed there',
  });
  store.close();
});
