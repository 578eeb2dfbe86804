/**
 * The warning about compressed inputs that are sorted as they are. Bytes and exit status stay those of GNU sort. By day
 * each form in some ways, and each way with some form.
 */
import { copyFileSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { END_BLOCK, writeBlock } from '../../src/codecs/bgzf.js';
import { sampled } from '../support/tier.js';
import { BINARY, gnuSort, gpusort, shell, withDirectory } from './run.js';

const TEXT = Buffer.from('banana\napple\ncherry\n');
const bgzf = Buffer.alloc(1 << 16);
/** The first bytes of each form, and a few lines. */
const INPUTS: Readonly<Record<string, { bytes: Buffer; name: string; remedy: string }>> = {
  gzip: { bytes: gzipSync(TEXT), name: 'gzip', remedy: '--decompress' },
  bgzf: {
    bytes: Buffer.concat([bgzf.subarray(0, writeBlock(TEXT, 1, bgzf, 0)), END_BLOCK]),
    name: 'BGZF',
    remedy: '--decompress',
  },
  zstd: { bytes: bytesOf('28b52ffd', 'b\na\n'), name: 'zstd', remedy: '--decompress' },
  xz: { bytes: bytesOf('fd377a585a00', 'b\na\n'), name: 'xz', remedy: 'xz -dc FILE | gpusort' },
  bzip2: {
    bytes: bytesOf(Buffer.from('BZh9').toString('hex'), '1AY&SYb\na\n'),
    name: 'bzip2',
    remedy: 'bzip2 -dc FILE | gpusort',
  },
};
/** They only resemble compressed data. */
const PLAIN: Readonly<Record<string, Buffer>> = {
  empty: Buffer.alloc(0),
  short: bytesOf('1f8b', '\n'),
  'gzip of another method': bytesOf('1f8b07', 'b\na\n'),
  'nine bytes of bzip2': Buffer.from('BZh91AY&S\nb\na\n'),
  'bzip2 of level 0': Buffer.from('BZh01AY&SY\nb\na\n'),
  CRAM: Buffer.from('CRAM\x03\nb\na\n'),
};

function bytesOf(hex: string, text: string): Buffer {
  return Buffer.concat([Buffer.from(hex, 'hex'), Buffer.from(text, 'latin1')]);
}

const warning = (label: string, form: keyof typeof INPUTS): string =>
  `gpusort: warning: ${label}: sorting compressed bytes (${INPUTS[form].name}), not the text; use ${INPUTS[form].remedy}\n`;

let directory = '';
let release: () => void;
beforeAll(async () => {
  await new Promise<void>((ready) => {
    void withDirectory((made) => {
      directory = made;
      for (const [form, { bytes }] of Object.entries(INPUTS)) writeFileSync(join(made, form), bytes);
      for (const [name, bytes] of Object.entries(PLAIN)) writeFileSync(join(made, name), bytes);
      // The name that a program is called by decides.
      symlinkSync(BINARY, join(made, 'sort'));
      symlinkSync(BINARY, join(made, 'gpusort'));
      ready();
      return new Promise<void>((done) => {
        release = done;
      });
    });
  });
});
afterAll(() => release());

const FORMS = Object.keys(INPUTS);
/** What is run of each form: by the names of ways. */
function today<T>(ways: readonly T[], seed: number): (form: string) => readonly T[] {
  const all = FORMS.flatMap((form) => ways.map((way, i) => ({ form, way, i })));
  const drawn = sampled(all, { count: 0, seed, values: ({ form, i }) => [form, i] });
  return (form) => drawn.filter((one) => one.form === form).map(({ way }) => way);
}
const FILES = today(
  [
    { name: 'a file', args: (form: string) => [form] },
    { name: 'a file of -m', args: (form: string) => ['-m', form] },
    { name: 'two files', args: (form: string) => [form, form] },
    { name: 'two files of -m', args: (form: string) => ['-m', form, form] },
  ],
  1,
);
const STREAMS = today([[], ['-m'], ['-u', '-']], 2);
const OPTIONS = today([['--csv'], ['--header', '1'], ['-z'], ['-k2n'], ['--locale=sv'], ['--engine=cpu', '-S1M']], 3);

describe.each(FORMS)('%s', (form) => {
  const latin1 = (): string => INPUTS[form].bytes.toString('latin1');

  it.each(FILES(form))('$name', ({ args }) => {
    const { stdout, status } = gnuSort(args(form), { cwd: directory });
    const expected = { stdout, status, signal: null, stderr: warning(form, form) };
    expect(gpusort(args(form), { cwd: directory })).toEqual(expected);
  });

  it.each(STREAMS(form).map((args) => [args]))('standard input with %j', (args) => {
    const { stdout, status } = gnuSort(args, { input: latin1() });
    expect(gpusort(args, { input: latin1() })).toEqual({ stdout, status, signal: null, stderr: warning('-', form) });
  });

  it('standard input that comes in small pieces', () => {
    const line = `(head -c 2 ${form}; sleep 0.1; tail -c +3 ${form} | head -c 5; sleep 0.1; tail -c +8 ${form}) | $GPUSORT`;
    const { stderr, status } = shell(line, { cwd: directory });
    expect({ stderr, status }).toEqual({ stderr: warning('-', form), status: 0 });
  });

  it('-c', () => {
    const gnu = gnuSort(['-c', form], { cwd: directory });
    const { status, stderr } = gpusort(['-c', form], { cwd: directory });
    expect(status).toBe(gnu.status);
    expect(stderr.startsWith(warning(form, form))).toBe(true);
  });

  it.each(OPTIONS(form).map((args) => [args]))('with %j', (args) => {
    // CSV with NUL is then refused.
    expect(gpusort([...args, form], { cwd: directory }).stderr.startsWith(warning(form, form))).toBe(true);
    expect(gpusort(args, { input: latin1() }).stderr.startsWith(warning('-', form))).toBe(true);
  });

  it('is no news for binary records, nor under the name sort', () => {
    for (const args of [['--record-size=1'], ['--array=u8']])
      expect(gpusort([...args, form], { cwd: directory })).toMatchObject({ status: 0, stderr: '' });
    for (const args of [[], ['-m'], ['-u']]) {
      const under = (name: string) => shell(`./${name} ${args.join(' ')} ${form}`, { cwd: directory });
      expect(under('sort')).toEqual({ ...under('gpusort'), stderr: '' });
      expect(under('gpusort').stderr).toBe(warning(form, form));
    }
  });
});

it.each(Object.keys(PLAIN))('%s is plain', (name) => {
  for (const args of [[name], ['-m', name]])
    expect(gpusort(args, { cwd: directory })).toMatchObject({ status: 0, stderr: '' });
});

it('--decompress needs no warning', () => {
  const sorted = { stdout: 'apple\nbanana\ncherry\n', stderr: '', status: 0, signal: null };
  for (const form of ['gzip', 'bgzf']) expect(gpusort(['--decompress', form], { cwd: directory })).toEqual(sorted);
});

it('only the first compressed input is named', () => {
  copyFileSync(join(directory, 'gzip'), join(directory, 'second.gz'));
  const { stderr } = gpusort(['short', 'xz', 'second.gz'], { cwd: directory });
  expect(stderr).toBe(warning('xz', 'xz'));
});

it('the output may be the input', () => {
  copyFileSync(join(directory, 'gzip'), join(directory, 'both'));
  const { stderr } = gpusort(['-o', 'both', 'both'], { cwd: directory });
  expect(stderr).toBe(warning('both', 'gzip'));
});
