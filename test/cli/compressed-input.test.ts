/** The warning about compressed inputs that are sorted as they are. Bytes and exit status stay those of GNU sort. */
import { copyFileSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { END_BLOCK, writeBlock } from '../../src/codecs/bgzf.js';
import { withPrograms } from '../support/programs.js';
import { sampled } from '../support/tier.js';
import { gpusortHere } from './here.js';
import { BINARY, gnuSort, gpusort, shell } from './run.js';

const TEXT = Buffer.from('banana\napple\ncherry\n');
const block = Buffer.alloc(1 << 16);
const bgzf = Buffer.concat([block.subarray(0, writeBlock(TEXT, 1, block, 0)), END_BLOCK]);
const bytesOf = (hex: string, text: string): Buffer => Buffer.concat([Buffer.from(hex, 'hex'), Buffer.from(text)]);

/** The first bytes of each form, and a few lines. */
const INPUTS: Readonly<Record<string, { bytes: Buffer; name: string }>> = {
  gzip: { bytes: gzipSync(TEXT), name: 'gzip' },
  bgzf: { bytes: bgzf, name: 'BGZF' },
  zstd: { bytes: bytesOf('28b52ffd', 'b\na\n'), name: 'zstd' },
  xz: { bytes: bytesOf('fd377a585a00', 'b\na\n'), name: 'xz' },
  bzip2: { bytes: Buffer.from('BZh91AY&SYb\na\n'), name: 'bzip2' },
  lz4: { bytes: bytesOf('04224d18', 'b\na\n'), name: 'lz4' },
};
/** Texts that only resemble compressed data. */
const PLAIN: Readonly<Record<string, Buffer>> = {
  empty: Buffer.alloc(0),
  short: bytesOf('1f8b', '\n'),
  'gzip of another method': bytesOf('1f8b07', 'b\na\n'),
  'nine bytes of bzip2': Buffer.from('BZh91AY&S\nb\na\n'),
  'bzip2 of level 0': Buffer.from('BZh01AY&SY\nb\na\n'),
  CRAM: Buffer.from('CRAM\x03\nb\na\n'),
};
const FORMS = Object.keys(INPUTS);

const warning = (label: string, form: string): string =>
  `gpusort: warning: ${label}: sorting compressed bytes (${INPUTS[form].name}), not the text; use --decompress\n`;

let cwd = '';
beforeAll(() => {
  cwd = mkdtempSync(join(process.env.GPUSORT_TEST_TMP ?? tmpdir(), 'gpusort-compressed-'));
  for (const [form, { bytes }] of Object.entries(INPUTS)) writeFileSync(join(cwd, form), bytes);
  for (const [name, bytes] of Object.entries(PLAIN)) writeFileSync(join(cwd, name), bytes);
  // The name that a program is called by decides.
  for (const name of ['sort', 'gpusort']) symlinkSync(BINARY, join(cwd, name));
});
afterAll(() => {
  rmSync(cwd, { recursive: true });
});

describe.each(FORMS)('%s', (form) => {
  it.each([[[form]], [['-m', form]], [[form, form]], [['-m', form, form]]])(
    'causes one warning with %j',
    async (args) => {
      const { stdout, status } = gnuSort(args, { cwd });
      const expected = { stdout, status, signal: null, stderr: warning(form, form) };
      expect(await gpusortHere(args, { cwd })).toEqual(expected);
    },
  );

  it('causes a warning with every option that sorts its bytes as lines', async () => {
    // CSV with NUL is then refused.
    for (const options of ['--csv', '--header 1', '-z', '-k2n', '--locale=sv', '--engine=cpu -S1M', '-c'])
      expect((await gpusortHere([...options.split(' '), form], { cwd })).stderr.split(/(?<=\n)/)[0], options).toBe(
        warning(form, form),
      );
    expect((await gpusortHere(['-c', form], { cwd })).status).toBe(gnuSort(['-c', form], { cwd }).status);
  });

  it('causes no warning if its bytes are binary records', async () => {
    for (const args of [['--record-size=1'], ['--array=u8']])
      expect(await gpusortHere([...args, form], { cwd })).toMatchObject({ status: 0, stderr: '' });
  });
});

const STREAMS = FORMS.flatMap((form) => ['', '-m', '-u -'].map((options) => ({ form, options })));
it.each(sampled(STREAMS, { count: 8, seed: 2, values: ({ form, options }) => [form, options] }))(
  'warns of $form on standard input with "$options"',
  ({ form, options }) => {
    const input = INPUTS[form].bytes.toString('latin1');
    const args = options.split(' ').filter(Boolean);
    const { stdout, status } = gnuSort(args, { input });
    expect(gpusort(args, { input })).toEqual({ stdout, status, signal: null, stderr: warning('-', form) });
  },
);

it.each(sampled(FORMS, { count: 5, seed: 3 }))('recognizes %s on standard input in small pieces', (form) => {
  const pieces = [`head -c 2 ${form}`, `tail -c +3 ${form} | head -c 5`, `tail -c +8 ${form}`];
  const { stderr, status } = shell(`(${pieces.join('; sleep 0.1; ')}) | $GPUSORT`, { cwd });
  expect({ stderr, status }).toEqual({ stderr: warning('-', form), status: 0 });
});

it.each(sampled(FORMS, { count: 5, seed: 4 }))('does not warn of %s under the name sort', (form) => {
  for (const options of ['', '-m', '-u']) {
    const under = (name: string) => shell(`./${name} ${options} ${form}`, { cwd });
    expect(under('sort')).toEqual({ ...under('gpusort'), stderr: '' });
  }
});

it.each(Object.keys(PLAIN))('does not take plain text for compressed data: %s', async (name) => {
  for (const args of [[name], ['-m', name]])
    expect(await gpusortHere(args, { cwd })).toMatchObject({ status: 0, stderr: '' });
});

it('does not warn with --decompress', async () => {
  const sorted = { stdout: 'apple\nbanana\ncherry\n', stderr: '', status: 0, signal: null };
  for (const form of ['gzip', 'bgzf']) expect(await gpusortHere(['--decompress', form], { cwd })).toEqual(sorted);
});

/** A program that leaves out the first bytes, which show the compression, stands in for xz. */
const STRIP = { xz: 'test "$1" = -dc && exec tail -c +7; printf "\\3757zXZ\\0"; exec cat' };
const XZ = bytesOf('fd377a585a00', TEXT.toString());

it.each([
  ['in.xz', ['--decompress', 'in.xz']],
  ['several', ['-m', '--decompress', 'in.xz', 'in.xz', 'in.xz']],
  ['checked', ['-c', '--decompress', 'sorted.xz']],
])('sorts, merges and checks what a program decompresses: %s', async (_, args) => {
  writeFileSync(join(cwd, 'in.xz'), XZ);
  writeFileSync(join(cwd, 'sorted.xz'), bytesOf('fd377a585a00', 'a\nb\n'));
  writeFileSync(join(cwd, 'text'), TEXT);
  writeFileSync(join(cwd, 'sorted'), 'a\nb\n');
  const plain = args
    .filter((word) => word !== '--decompress')
    .map((word) => ({ 'in.xz': 'text', 'sorted.xz': 'sorted' })[word] ?? word);
  const { stdout, status } = gnuSort(plain, { cwd });
  await withPrograms(STRIP, async () =>
    expect(await gpusortHere(args, { cwd })).toEqual({ stdout, status, signal: null, stderr: '' }),
  );
});

it('compresses by a program: --output-format, or the suffix of genomics data', async () => {
  writeFileSync(join(cwd, 'text'), TEXT);
  writeFileSync(join(cwd, 'in.bed'), 'b\t1\t2\na\t1\t2\n');
  await withPrograms(STRIP, async () => {
    const xz = await gpusortHere(['--output-format', 'xz', 'text'], { cwd });
    expect(xz).toMatchObject({
      status: 0,
      stdout: bytesOf('fd377a585a00', 'apple\nbanana\ncherry\n').toString('latin1'),
    });
    expect(await gpusortHere(['--format', 'bed', 'in.bed', '-o', 'o.bed.xz'], { cwd })).toMatchObject({ status: 0 });
    const bed = await gpusortHere(['--by', 'position', '--reverse', 'o.bed.xz'], { cwd });
    expect(bed).toMatchObject({ status: 0, stdout: 'b\t1\t2\na\t1\t2\n' });
  });
});

it.each([
  ['input', 'cat; exit 3', ['--decompress', 'in.xz']],
  [
    'output',
    'test "$1" = -dc || test -e "$0.tried" && exit 9; touch "$0.tried"; cat',
    ['text', '--output-format', 'xz'],
  ],
  ['full disk', 'exec cat', ['text', '--output-format', 'xz']],
])('leaves FILE of -o alone if a program or its output fails: %s', async (what, script, args) => {
  writeFileSync(join(cwd, 'in.xz'), XZ);
  writeFileSync(join(cwd, 'text'), TEXT);
  writeFileSync(join(cwd, 'kept'), 'kept');
  await withPrograms({ xz: script }, async () => {
    const output = what === 'full disk' ? '/dev/full' : 'kept';
    expect(await gpusortHere([...args, '-o', output], { cwd })).toMatchObject({
      status: 2,
      stderr: expect.stringContaining(what === 'full disk' ? 'No space left on device' : `xz`),
    });
  });
  expect(readFileSync(join(cwd, 'kept'), 'latin1')).toBe('kept');
});

it('warns of the first compressed input, even if it is the output', async () => {
  copyFileSync(join(cwd, 'gzip'), join(cwd, 'second.gz'));
  expect((await gpusortHere(['short', 'xz', 'second.gz'], { cwd })).stderr).toBe(warning('xz', 'xz'));
  expect((await gpusortHere(['-o', 'second.gz', 'second.gz'], { cwd })).stderr).toBe(warning('second.gz', 'gzip'));
});

it.each(['gzip', 'bgzf'])('treats NULs after %s as padding, in files and pipes', async (form) => {
  const padded = join(cwd, `padded.${form}`);
  writeFileSync(padded, Buffer.concat([INPUTS[form].bytes, Buffer.alloc(700)]));
  const expected = { status: 0, stdout: 'apple\nbanana\ncherry\n', stderr: '' };
  expect(await gpusortHere(['--decompress', padded])).toMatchObject(expected);
  expect(shell(`cat '${padded}' | $GPUSORT --decompress`)).toMatchObject(expected);
  writeFileSync(padded, Buffer.concat([INPUTS[form].bytes, Buffer.from('\0junk')]));
  const { status, stdout, stderr } = await gpusortHere(['--decompress', padded]);
  const byte = INPUTS[form].bytes.length + 2;
  expect({ status, stdout }).toEqual({ status: 2, stdout: '' });
  expect(stderr).toContain(`: 4 bytes of text from byte ${byte} on\n`);
});
