/**
 * Inputs whose names disagree with their bytes, and other data after the end of compressed data, by every way through
 * the program. Remedies that are commands are executed as the messages show them.
 */
import { copyFileSync, existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { gzipSync } from 'node:zlib';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { sort } from '../../src/index.js';
import { sorted } from '../cluster/both.js';
import { hasProgram, piped } from '../support/codecs.js';
import { bgzf, encodeBam } from '../support/genomics-bam.js';
import { gpusortHere } from './here.js';
import { gnuSort, shell } from './run.js';

const TEXT = Buffer.from('banana\napple\ncherry\n');
const SORTED = 'apple\nbanana\ncherry\n';
const BED = 'c\t5\t6\nc\t1\t2\n';
const GZIP = gzipSync(TEXT);
const SAM = '@SQ\tSN:c\tLN:9\n';
const flipped = (bytes: Buffer, at: number): Buffer => {
  const copy = Buffer.from(bytes);
  copy[at] ^= 1;
  return copy;
};
const FILES: Readonly<Record<string, Buffer>> = {
  text: TEXT,
  'text.gz': TEXT,
  'empty.gz': Buffer.alloc(0),
  'cut.gz': GZIP.subarray(0, 2),
  'flipped.gz': flipped(GZIP, 0),
  // More than one chunk, and more than small sorts take at once.
  'large.gz': Buffer.concat([flipped(gzipSync(TEXT), 1), Buffer.alloc(9 << 20, 'line\n')]),
  'x.bed.gz': Buffer.from(BED),
  'x.bam': Buffer.from(SAM),
  // A name that says nothing.
  gzip: GZIP,
};

let cwd = '';
beforeAll(() => {
  cwd = mkdtempSync(join(process.env.GPUSORT_TEST_TMP ?? tmpdir(), 'gpusort-misnamed-'));
  for (const [name, bytes] of Object.entries(FILES)) writeFileSync(join(cwd, name), bytes);
  writeFileSync(join(cwd, 'kept'), 'kept');
  writeFileSync(join(cwd, 'list'), 'text\0text.gz\0');
  copyFileSync(fileURLToPath(new URL('../../fixtures/alignments.bam', import.meta.url)), join(cwd, 'good.bam'));
});
afterAll(() => rmSync(cwd, { recursive: true }));

const refused = (name: string, what: string): object => ({
  status: 2,
  stdout: '',
  stderr: expect.stringMatching(new RegExp(`^gpusort: ${name}${what}.*\\n.+\\n$`)),
});
const says = (title: string, are: string): string => `: the name says ${title}, but the first bytes are ${are}`;

describe('a name that disagrees with the bytes', () => {
  it.each<[string, string, string]>([
    ['--decompress text.gz', 'text.gz', says('gzip', 'text')],
    ['--decompress text text.gz text', 'text.gz', says('gzip', 'text')],
    ['--decompress -m text.gz', 'text.gz', says('gzip', 'text')],
    ['--decompress -c text.gz', 'text.gz', says('gzip', 'text')],
    ['--decompress --csv text.gz', 'text.gz', says('gzip', 'text')],
    ['--decompress --header 1 text.gz', 'text.gz', says('gzip', 'text')],
    ['--decompress --array u8 text.gz', 'text.gz', says('gzip', 'text')],
    ['--decompress --engine cpu -S 1M text.gz', 'text.gz', says('gzip', 'text')],
    ['--decompress flipped.gz', 'flipped.gz', says('gzip', '1e 8b 08 00')],
    ['--decompress large.gz', 'large.gz', says('gzip', '1f 8a 08 00')],
    ['--decompress empty.gz', 'empty.gz', ' is empty, but the name says gzip'],
    ['--decompress text empty.gz', 'empty.gz', ' is empty, but the name says gzip'],
    ['--decompress cut.gz', 'cut.gz', ' is cut off after byte 2'],
    ['--format bed x.bed.gz', 'x.bed.gz', says('gzip', 'text')],
    ['--by position x.bed.gz', 'x.bed.gz', says('gzip', 'text')],
    // The name does not say the format.
    ['--by position text.gz', 'text.gz', says('gzip', 'text')],
    ['--check=orders x.bed.gz', 'x.bed.gz', says('gzip', 'text')],
    ['--by coordinate x.bam', 'x.bam', says('BAM', 'text')],
    ['--by coordinate --engine cpu good.bam x.bam', 'x.bam', says('BAM', 'text')],
    ['--by coordinate --output-format sam x.bam', 'x.bam', says('BAM', 'text')],
  ])('is an error, and -o is not written: %s', async (words, name, what) => {
    const args = words.split(' ');
    const writes = !args.includes('-c') && !words.includes('--check');
    const given = writes ? [...args, '-o', 'kept'] : args;
    expect(await gpusortHere(given, { cwd })).toMatchObject(refused(name, what));
    expect(readFileSync(join(cwd, 'kept'), 'latin1')).toBe('kept');
  });

  it('is an error in tasks of a cluster, and of the library', async () => {
    const { status, messages } = await sorted(
      ['--decompress', 'text.gz'],
      { 'text.gz': TEXT },
      { shares: 2, ranges: 2 },
    );
    expect({ status, messages }).toEqual({ status: 2, messages: expect.stringContaining(says('gzip', 'text')) });
    await expect(sort(join(cwd, 'text.gz'), join(cwd, 'new'), { decompress: true })).rejects.toMatchObject({
      code: 'bad-records',
      message: expect.stringContaining(says('gzip', 'text')),
    });
    expect(existsSync(join(cwd, 'new'))).toBe(false);
  });

  it('is an error in lists of names, with --explain, and of a FIFO', () => {
    for (const words of [
      '$GPUSORT --decompress --files0-from=list',
      '$GPUSORT --decompress --explain text.gz',
      'mkfifo text.gz.d; mv text.gz.d fifo.gz; cat text > fifo.gz & $GPUSORT --decompress fifo.gz',
    ])
      expect(shell(words, { cwd })).toMatchObject(refused('(text|fifo)\\.gz', says('gzip', 'text')));
  });

  it('does not matter without --decompress', async () => {
    for (const name of ['text.gz', 'flipped.gz', 'empty.gz']) {
      const { stdout, status } = gnuSort([name], { cwd });
      expect(await gpusortHere([name], { cwd })).toEqual({ stdout, status, signal: null, stderr: '' });
    }
  });

  it('is only that of a named file: standard input and other names may hold anything', async () => {
    const expected = { status: 0, stdout: SORTED, stderr: '' };
    expect(await gpusortHere(['--decompress', 'gzip'], { cwd })).toMatchObject(expected);
    expect(shell('$GPUSORT --decompress <(cat text.gz) < /dev/null', { cwd })).toMatchObject(expected);
  });

  it('may be passed by standard input, as the remedy says', async () => {
    const { stderr } = await gpusortHere(['--decompress', 'text.gz'], { cwd });
    const [, file] = /gpusort \.\.\. < (\S+)\n$/.exec(stderr)!;
    expect(shell(`$GPUSORT --decompress < ${file}`, { cwd })).toMatchObject({ status: 0, stdout: SORTED, stderr: '' });
    const bam = await gpusortHere(['--by', 'coordinate', 'x.bam'], { cwd });
    const [, command] = /gpusort (--format sam \.\.\. < \S+)\n$/.exec(bam.stderr)!;
    expect(shell(`$GPUSORT ${command.replace('...', '--by coordinate')}`, { cwd }).status).toBe(0);
  });
});

/** Compressed texts, and the beginning of the message about what follows them. */
const FORMS: Readonly<Record<string, { bytes: Buffer; last: string }>> = {
  gz: { bytes: GZIP, last: 'other data follows the last gzip member' },
  bgz: { bytes: bgzf(TEXT), last: 'other data follows the last BGZF block' },
};
const PROGRAMS: Readonly<Record<string, string>> = { zst: 'zstd', bz2: 'bzip2', lz4: 'lz4' };

describe('other data after compressed data', () => {
  it.each(Object.entries(FORMS))('is an error that says how to sort what comes before: %s', async (suffix, form) => {
    const name = `followed.${suffix}`;
    writeFileSync(join(cwd, name), Buffer.concat([form.bytes, Buffer.from('more\n')]));
    const { length } = form.bytes;
    const { status, stdout, stderr } = await gpusortHere(['--decompress', name], { cwd });
    expect({ status, stdout }).toEqual({ status: 2, stdout: '' });
    expect(stderr.split('\n')[0]).toBe(`gpusort: ${name}: ${form.last}: 5 bytes of text from byte ${length + 1} on`);
    const [, command] = /before: (.+) \| gpusort \.\.\.\n$/.exec(stderr)!;
    const expected = { status: 0, stdout: SORTED, stderr: '' };
    expect(shell(`set -o pipefail; ${command} | $GPUSORT --decompress`, { cwd })).toMatchObject(expected);
    // The length of a pipe is unknown.
    const piped = shell(`cat ${name} | $GPUSORT --decompress`, { cwd });
    expect(piped.stderr.split('\n')[0]).toBe(`gpusort: -: ${form.last}: text from byte ${length + 1} on`);
  });

  it('is sorted with the text before it if both are gzip', async () => {
    writeFileSync(join(cwd, 'both.gz'), Buffer.concat([bgzf(TEXT), gzipSync('date\n')]));
    const { stderr } = await gpusortHere(['--decompress', 'both.gz'], { cwd });
    const [, command] = /Decompress both: (.+) \| gpusort \.\.\.\n$/.exec(stderr)!;
    expect(shell(`set -o pipefail; ${command} | $GPUSORT`, { cwd })).toMatchObject({
      ...{ status: 0, stdout: `${SORTED}date\n`, stderr: '' },
    });
  });

  it.each(Object.entries(PROGRAMS).filter(([, program]) => hasProgram(program)))(
    'is an error of programs, whose remedy works: %s',
    async (suffix, program) => {
      const name = `followed.${suffix}`;
      writeFileSync(join(cwd, name), Buffer.concat([piped(program, ['-c'], TEXT), Buffer.from('more bytes\n')]));
      const { status, stdout, stderr } = await gpusortHere(['--decompress', name], { cwd });
      expect({ status, stdout }).toEqual({ status: 2, stdout: '' });
      expect(stderr).toMatch(new RegExp(`^gpusort: ${name}: .*other data follows`));
      const [, command] = /before: (.+) \| gpusort \.\.\.\n$/.exec(stderr)!;
      expect(shell(`${command} 2>/dev/null | $GPUSORT --decompress`, { cwd })).toMatchObject({
        ...{ status: 0, stdout: SORTED, stderr: '' },
      });
    },
  );

  it('is an error of BAM, too, which is sorted as it is', async () => {
    const bam = bgzf(encodeBam(`${SAM}r\t0\tc\t1\t0\t1M\t*\t0\t0\tA\t*\n`));
    writeFileSync(join(cwd, 'followed.bam'), Buffer.concat([bam, Buffer.from('more')]));
    const args = ['--engine', 'cpu', '--by', 'coordinate', '-o', 'kept', 'followed.bam'];
    expect(await gpusortHere(args, { cwd })).toMatchObject({
      status: 2,
      stderr: expect.stringContaining(`the last BGZF block: 4 bytes of text from byte ${bam.length + 1} on`),
    });
    expect(readFileSync(join(cwd, 'kept'), 'latin1')).toBe('kept');
  });
});
