/**
 * Inputs that programs decompress: the text is that of the program, and whatever goes wrong is an error, never the end
 * of the text. Real programs are left out if they are missing; stand-ins show each fault.
 */
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { zstd } from '../../src/codecs/zstd.js';
import { decompressing } from '../../src/input/decompress.js';
import type { ByteSource } from '../../src/system/byte-source.js';
import { hasProgram, piped, randomBytes } from '../support/codecs.js';
import { children, childrenGone, withPrograms } from '../support/programs.js';
import { readAll, readerOf } from '../support/streams.js';

const TEXT = randomBytes(1, 300_000, 4);
const XZ = Buffer.from('fd377a585a00', 'hex');
/** A file that looks like xz, and is larger than all pipes to a program. */
const LARGE = Buffer.concat([XZ, randomBytes(2, 3_000_000, 26)]);

let others: readonly string[] = [];
beforeEach(() => {
  others = children();
});
afterEach(() => childrenGone(others));

const opened = (reader: ByteSource): ByteSource => decompressing(reader, { label: 'in', threads: 2 });
const textOf = (bytes: Uint8Array, most?: number): Promise<Buffer> => readAll(opened(readerOf(bytes, most)));
const refused = (bytes: Uint8Array, message: string | RegExp, code = 'bad-records'): Promise<void> =>
  expect(textOf(bytes)).rejects.toMatchObject({ message: expect.stringMatching(message), code });

const PROGRAMS = ['xz', 'bzip2', 'lz4', ...(zstd() === null ? ['zstd'] : [])];
describe.each(PROGRAMS.filter(hasProgram))('%s', (program) => {
  const file = piped(program, ['-c'], TEXT);

  it('gives the text of one stream and of several, in pieces of any size', async () => {
    for (const most of [7, 1 << 16, 1 << 20]) expect((await textOf(file, most)).equals(TEXT)).toBe(true);
    const small = piped(program, ['-c'], Buffer.from('abc'));
    const empty = piped(program, ['-c'], Buffer.alloc(0));
    for (const most of [1, 1000]) expect(`${await textOf(Buffer.concat([small, empty, small]), most)}`).toBe('abcabc');
    expect(await textOf(empty)).toEqual(Buffer.alloc(0));
  });

  it('refuses a file that is cut off, damaged or followed by other bytes', async () => {
    for (const share of [0.001, 0.5, 0.99]) await refused(file.subarray(0, Math.max(11, share * file.length)), program);
    await refused(file.subarray(0, -1), program);
    const damaged = Buffer.from(file);
    damaged.fill(0x55, file.length >> 1, (file.length >> 1) + 20);
    await refused(damaged, program);
    await refused(Buffer.concat([file, Buffer.from('other bytes\n')]), program);
  });
});

describe('faults', () => {
  it.each([
    [
      'fails',
      'cat > /dev/null; echo "xz: (stdin): Memory usage limit reached" >&2; exit 1',
      'Memory usage limit reached',
    ],
    ['fails after its text', 'cat; exit 1', 'exit status 1'],
    ['ends before it has read all', 'head -c 6', 'did not read all of it'],
    ['closes its input and goes on', 'exec <&-; sleep 0.1; echo text', 'did not read all of it'],
  ])('is an error: the program %s', (_, script, message) =>
    withPrograms({ xz: script }, () => refused(LARGE, `^in: xz:? ${message}$`)),
  );

  it('is an error: a signal ends the program, before its text or within', async () => {
    for (const before of ['true', 'head -c 100000', 'cat'])
      await withPrograms({ xz: `${before}; kill -TERM $$` }, () =>
        refused(LARGE, '^in: xz was ended by SIGTERM$', 'compress-failed'),
      );
  });

  it('is an error: the program is missing', () =>
    withPrograms(null, () =>
      expect(textOf(LARGE)).rejects.toMatchObject({
        code: 'compress-failed',
        message: 'in: cannot run xz: No such file or directory',
        hint: 'Install xz (Debian: xz-utils).',
      }),
    ));

  it.runIf(zstd() === null)('names the versions of Node with zstd if the program is missing', () =>
    withPrograms(null, async () =>
      expect(await textOf(Buffer.from('28b52ffd2400010000', 'hex')).catch(({ hint }) => hint)).toBe(
        'Install zstd (Debian: zstd), or use Node 22.15, 23.8 or later.',
      ),
    ),
  );

  it('is an error: the input cannot be read, and the program ends', async () => {
    const inner = readerOf(LARGE);
    let reads = 0;
    const failing: ByteSource = {
      read: () => (reads++ < 5 ? inner.read() : Promise.reject(new Error('I/O error'))),
      close: () => inner.close(),
    };
    await withPrograms({ xz: 'exec cat' }, () => expect(readAll(opened(failing))).rejects.toThrow('I/O error'));
    expect(inner.closes).toBe(1);
  });

  it('ends a program whose text is no longer wanted', async () => {
    await withPrograms({ xz: 'exec cat' }, async () => {
      const inner = readerOf(LARGE);
      const reader = opened(inner);
      expect((await reader.read())!.length).toBeGreaterThan(0);
      reader.close();
      await childrenGone(others);
      expect(await reader.read()).toBeNull();
      expect(inner.closes).toBe(1);
      const stalled = opened({ ...readerOf(XZ), read: stallingAfter(Buffer.concat([XZ, XZ])) });
      expect((await stalled.read())!.length).toBe(12);
      const read = stalled.read();
      await new Promise((resolve) => setTimeout(resolve, 50));
      stalled.close();
      expect(await read).toBeNull();
    });
  });
});

/** read() of a stream that gives `bytes` and then nothing more, without an end. */
function stallingAfter(bytes: Buffer): ByteSource['read'] {
  let isFirst = true;
  return () => {
    if (!isFirst) return new Promise(() => undefined);
    isFirst = false;
    return Promise.resolve(bytes);
  };
}
