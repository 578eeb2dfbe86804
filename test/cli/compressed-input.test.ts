/**
 * Inputs and outputs that are compressed by name or first bytes, inputs without lines, which are refused, and the
 * warning about compressed inputs that are sorted as they are.
 */
import { copyFileSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { gunzipSync, gzipSync } from 'node:zlib';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { END_BLOCK, writeBlock } from '../../src/codecs/bgzf.js';
import { withPrograms } from '../support/programs.js';
import { sampled } from '../support/tier.js';
import { gpusortHere } from './here.js';
import { BINARY, gnuSort, shell } from './run.js';

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
  'names of formats': Buffer.from('PAR1\tb\nORC a\nPK\n'),
};
const FORMS = Object.keys(INPUTS);

const warning = (label: string, form: string): string =>
  `gpusort: warning: ${label}: sorting compressed bytes (${INPUTS[form].name}), not the text; use --decompress\n`;

/** A program that leaves out the first bytes, which show the compression, stands in for xz. */
const STRIP = { xz: 'test "$1" = -dc && exec tail -c +7; printf "\\3757zXZ\\0"; exec cat' };
const XZ = bytesOf('fd377a585a00', TEXT.toString());

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

/** Texts and commands that compress them, with programs that the machine has. */
const COMPRESSORS = ['gzip -c', 'xz -c', 'bzip2 -c'].filter((command) => shell(`${command} < /dev/null`).status === 0);
const STREAMS = COMPRESSORS.flatMap((command) =>
  ['', '-m', '-u -', '--csv -k 1'].map((options) => ({ command, options })),
);

const DRAWN = sampled(STREAMS, { count: 12, seed: 1, values: ({ command, options }) => [command, options] });
it.each(DRAWN)('decompresses what $command writes, on standard input with "$options"', ({ command, options }) => {
  writeFileSync(join(cwd, 'lines'), options === '-m' ? 'a\nb\n' : TEXT);
  const plain = shell(`$GPUSORT ${options} < lines`, { cwd });
  for (const words of [
    `${command} < lines | $GPUSORT ${options}`,
    `${command} < lines > packed; $GPUSORT ${options} < packed`,
    `(${command} < lines > packed; head -c 2 packed; sleep 0.1; tail -c +3 packed) | $GPUSORT ${options}`,
  ])
    expect(shell(words, { cwd }), words).toEqual(plain);
  const kept = options.replace('--csv -k 1', '');
  for (const how of ['$GPUSORT --decompress=never', './sort'])
    expect(
      shell(`${command} < lines > packed; LC_ALL=C sort ${kept} < packed > gnu; ${how} ${kept} < packed | cmp - gnu`, {
        cwd,
      }).status,
    ).toBe(0);
});

it('decompresses large files by their names, with the bytes of gzip -dc | sort', () => {
  const lines = Array.from({ length: 200_000 }, (_, i) => `${(i * 7919) % 200_003} line\n`).join('');
  writeFileSync(join(cwd, 'large.gz'), gzipSync(lines));
  for (const words of [
    '$GPUSORT large.gz',
    'cat large.gz | $GPUSORT',
    '$GPUSORT < large.gz',
    '$GPUSORT -o large.out large.gz; cat large.out',
  ])
    expect(shell(`(${words}) > ours; gzip -dc large.gz | LC_ALL=C sort | cmp - ours`, { cwd }), words).toMatchObject({
      status: 0,
      stderr: '',
    });
  for (const how of ['$GPUSORT --decompress=never', './sort'])
    expect(shell(`${how} large.gz > ours; LC_ALL=C sort large.gz | cmp - ours`, { cwd }).status, how).toBe(0);
});

it('decompresses only files whose names and bytes agree', async () => {
  copyFileSync(join(cwd, 'gzip'), join(cwd, 'a.gz'));
  copyFileSync(join(cwd, 'bgzf'), join(cwd, 'b.GZ'));
  writeFileSync(join(cwd, 'text.gz'), TEXT);
  const sorted = { stdout: 'apple\nbanana\ncherry\n', stderr: '', status: 0, signal: null };
  for (const name of ['a.gz', 'b.GZ', 'text.gz']) expect(await gpusortHere([name], { cwd }), name).toEqual(sorted);
  expect(await gpusortHere(['-u', 'a.gz', 'b.GZ', 'text.gz'], { cwd })).toEqual(sorted);
  expect(await gpusortHere(['-c', 'a.gz'], { cwd })).toMatchObject({
    status: 1,
    stderr: 'gpusort: a.gz:2: disorder: apple\n',
  });
  const bytes = gnuSort(['a.gz'], { cwd }).stdout;
  expect(await gpusortHere(['--decompress=never', 'a.gz'], { cwd })).toEqual({ ...sorted, stdout: bytes });
  writeFileSync(join(cwd, 'xz.gz'), XZ);
  expect(await gpusortHere(['xz.gz'], { cwd })).toMatchObject({
    stdout: gnuSort(['xz.gz'], { cwd }).stdout,
    stderr: expect.stringContaining('sorting compressed bytes (xz)'),
  });
  // Binary records: a name may say more than bytes, which may be any.
  const records = await gpusortHere(['--record-size=1', 'a.gz'], { cwd });
  expect(records.stdout).toBe([...TEXT.toString()].sort().join(''));
  expect(shell('$GPUSORT --record-size=1 < gzip', { cwd }).stdout).toBe(
    shell('$GPUSORT --record-size=1 gzip', { cwd }).stdout,
  );
});

it('says that a program is missing before anything is read', () => {
  writeFileSync(join(cwd, 'in.xz'), XZ);
  for (const words of ['- in.xz', '--decompress - in.xz']) {
    const command = `PATH=/nonexistent '${process.execPath}' '${BINARY}' ${words}; echo $? > status`;
    const started = performance.now();
    // The pipe stays open: the error does not wait for its bytes.
    const { stderr } = shell(
      `mkfifo -m 600 open; (sleep 20 > open 2> kept & echo $! > pid); (${command}) < open; kill $(cat pid); rm open`,
      { cwd },
    );
    expect(stderr).toMatch(/^gpusort: in\.xz: cannot run xz: .*\nInstall xz/);
    expect(readFileSync(join(cwd, 'status'), 'latin1')).toBe('2\n');
    expect(performance.now() - started).toBeLessThan(15_000);
  }
});

/** The first bytes of files without lines, and a word of the command that helps. */
const PACKED: Readonly<Record<string, { bytes: Buffer; command: string }>> = {
  'x.parquet': { bytes: Buffer.from('PAR1\x15\x04\n'), command: 'duckdb -csv -c "FROM \'x.parquet\'"' },
  'x.zip': { bytes: Buffer.from('PK\x03\x04\n'), command: 'unzip -p x.zip |' },
  'x.arrow': { bytes: Buffer.from('ARROW1\0\0\n'), command: "read_feather('x.arrow')" },
  'x.cram': { bytes: Buffer.from('CRAM\x03\0\n'), command: 'samtools view -h x.cram' },
  'x.bcf': { bytes: bgzf, command: 'bcftools view x.bcf' },
  'y.bcf': { bytes: Buffer.from('BCF\x02\x02\n'), command: 'bcftools view y.bcf' },
  'x.bam': { bytes: bgzf, command: 'gpusort --by coordinate' },
  'bam.gz': { bytes: gzipSync('BAM\x01\n'), command: 'gpusort --by coordinate' },
  'x.avro': { bytes: Buffer.from('Obj\x01\n'), command: "read_avro('x.avro')" },
  'x.orc': { bytes: Buffer.from('ORC\n\x0b\n\x03\0\n'), command: "read_orc('x.orc')" },
  'x.db': { bytes: Buffer.from('SQLite format 3\0\n'), command: 'sqlite3 -csv -header x.db' },
  'x.tar': { bytes: Buffer.concat([Buffer.alloc(257), Buffer.from('ustar\n')]), command: 'tar -xOf x.tar |' },
};
/** Those that also come from pipes, and are compared with GNU sort. */
const PIPED = sampled(Object.keys(PACKED), { count: 12, seed: 1, values: (name) => [PACKED[name].bytes === bgzf] });
it.each(Object.keys(PACKED))(
  'refuses %s, with the command that helps, but sorts its bytes on request',
  async (name) => {
    const { bytes, command } = PACKED[name];
    writeFileSync(join(cwd, name), bytes);
    writeFileSync(join(cwd, 'kept'), 'kept');
    const refused = { status: 2, stdout: '', stderr: expect.stringContaining(command) };
    expect(await gpusortHere([name], { cwd })).toMatchObject(refused);
    expect(await gpusortHere([name, '-m', '-o', 'kept'], { cwd })).toMatchObject(refused);
    expect(readFileSync(join(cwd, 'kept'), 'latin1')).toBe('kept');
    if (!PIPED.includes(name)) return;
    if (bytes !== bgzf)
      for (const words of [`$GPUSORT < ${name}`, `cat ${name} | $GPUSORT -k1,1`])
        expect(shell(words, { cwd })).toMatchObject({ status: 2, stderr: expect.stringContaining('no lines to sort') });
    const { stdout } = gnuSort([name], { cwd });
    for (const how of ['./gpusort --decompress=never', './sort'])
      expect(shell(`${how} ${name}`, { cwd })).toMatchObject({ status: 0, stdout, stderr: '' });
  },
);

it.each([
  ['[\n  {"a": 1}\n]\n', `jq -c '.[]'`],
  ['[{"a": 1},\n{"a": 2}]\n', `jq -c '.[]'`],
  ['{\n  "a": 1\n}\n', 'jq -c .'],
])('refuses indented JSON with --json: %j', async (text, filter) => {
  writeFileSync(join(cwd, 'in.json'), text);
  writeFileSync(join(cwd, 'in.json.gz'), gzipSync(text));
  const says = (command: string) => ({ status: 2, stderr: expect.stringContaining(`: ${command} | gpusort --json`) });
  expect(await gpusortHere(['--json', 'a', 'in.json'], { cwd })).toMatchObject(says(`${filter} in.json`));
  expect(await gpusortHere(['--json', 'a', 'in.json.gz'], { cwd })).toMatchObject(
    says(`gzip -dc in.json.gz | ${filter}`),
  );
  expect(await gpusortHere(['--json', 'a', '--decompress=never', 'in.json'], { cwd })).toMatchObject({ status: 0 });
  expect(await gpusortHere(['in.json'], { cwd })).toMatchObject({ status: 0 });
});

it('takes lines of JSON arrays, and damaged lines, for lines', async () => {
  writeFileSync(join(cwd, 'lines.json'), '[2]\n[1]\n{"a\n');
  expect(await gpusortHere(['--json', '0', 'lines.json'], { cwd })).toMatchObject({ status: 0 });
});

describe('the suffix of -o', () => {
  beforeAll(() => writeFileSync(join(cwd, 'text'), TEXT));

  it.each(['o.gz', 'o.bgz', 'o.BGZF'])('compresses as %s', async (name) => {
    for (const args of [
      ['text'],
      ['--csv', '--header=0', 'text'],
      ['-u', '--dupes-output', `d.${name}`, 'text', 'text'],
    ]) {
      expect(await gpusortHere([...args, '-o', name], { cwd })).toMatchObject({ status: 0, stderr: '' });
      expect(gunzipSync(readFileSync(join(cwd, name))).toString()).toBe('apple\nbanana\ncherry\n');
    }
    expect(gunzipSync(readFileSync(join(cwd, `d.${name}`))).toString()).toBe('apple\nbanana\ncherry\n');
  });

  it('does nothing with --output-format plain, or under the name sort', () => {
    for (const command of ['./gpusort --output-format plain -o plain.gz text', './sort -o plain.gz text']) {
      expect(shell(command, { cwd })).toMatchObject({ status: 0, stderr: '' });
      expect(readFileSync(join(cwd, 'plain.gz'), 'latin1')).toBe('apple\nbanana\ncherry\n');
    }
  });

  it('compresses again what was decompressed', async () => {
    writeFileSync(join(cwd, 'again.gz'), gzipSync(TEXT));
    expect(await gpusortHere(['-o', 'again.gz', 'again.gz'], { cwd })).toMatchObject({ status: 0, stderr: '' });
    expect(gunzipSync(readFileSync(join(cwd, 'again.gz'))).toString()).toBe('apple\nbanana\ncherry\n');
  });

  it('causes a warning about an abbreviated --compress-program', () => {
    const warns = (command: string) => shell(`${command} text`, { cwd }).stderr;
    expect(warns('./gpusort --compress gzip -o w.gz')).toBe(
      "gpusort: warning: --compress is --compress-program, which compresses temporary files; the suffix of 'w.gz' " +
        'compresses it\n',
    );
    for (const command of [
      './gpusort --compress-program gzip -o w.gz',
      './gpusort --compress gzip -o w',
      './sort --compress gzip -o w.gz',
    ])
      expect(warns(command), command).toBe('');
  });
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
  copyFileSync(join(cwd, 'gzip'), join(cwd, 'second'));
  expect((await gpusortHere(['short', 'xz', 'second'], { cwd })).stderr).toBe(warning('xz', 'xz'));
  expect((await gpusortHere(['-o', 'second', 'second'], { cwd })).stderr).toBe(warning('second', 'gzip'));
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
