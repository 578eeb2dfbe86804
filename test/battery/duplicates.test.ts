/**
 * --dupes-output: -m, formats, headers, compression, files and pipes that fail, and refused combinations. features.ts
 * sorts in chunks and spilled runs.
 */
import { mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { gunzipSync } from 'node:zlib';
import { beforeEach, describe, expect, it } from 'vitest';
import { randomBelow } from '../support/random.js';
import { sampled } from '../support/tier.js';
import { commandLine, expectRefusal } from './here.js';
import { linesOf } from './models.js';
import { freshDirectory, script } from './runner.js';

const below = randomBelow(12);
const drawn = (count: number): string =>
  Array.from({ length: count }, (_, i) => `${below(30)} ${'ab'[below(2)]}${i % 9}\n`).join('');
const [A, B] = [drawn(900), drawn(700)];
let cwd = '';
beforeEach(() => {
  cwd = freshDirectory('duplicates');
  mkdirSync(join(cwd, 't'));
  for (const [name, text] of Object.entries({ a: A, b: B, empty: '' })) writeFileSync(join(cwd, name), text);
});

const contents = (name: string): string => readFileSync(join(cwd, name), 'latin1');
const left = (): string[] =>
  readdirSync(cwd, { recursive: true })
    .map(String)
    .filter((name) => name.includes('gpusort'));

/** Runs a job that writes its duplicates to `d`; expects no messages and returns both outputs. */
async function outputsOf(words: string): Promise<string[]> {
  const { status, stderr, stdout } = await commandLine(`gpusort --dupes-output d ${words}`, cwd);
  expect({ words, status, stderr, left: left() }).toEqual({ words, status: 0, stderr: '', left: [] });
  return [stdout.toString('latin1'), contents('d')];
}

/** What remains of sorted lines without the first one of each key. */
const others = (sorted: string, kept: string): string => {
  const first = linesOf([Buffer.from(kept)]);
  return linesOf([Buffer.from(sorted)])
    .filter((line) => (line === first[0] ? first.shift() === undefined : true))
    .map((line) => `${line}\n`)
    .join('');
};

// Unsorted inputs too: then a key may be written twice.
const MERGES = ['', '-k1,1n', '-r', '-k1,1nr', '--batch-size 2 -k1,1n', '--chunk-size 2K'].flatMap((options) =>
  ['sa sb sa', 'sa b empty sb'].map((files) => [options, files] as const),
);
it.each(sampled(MERGES, { count: MERGES.length, seed: 5, values: ([, files]) => [files] }))(
  'merges with -m like sort -m -u: %s %s',
  async (options, files) => {
    const plain = options.replace(/--(?!batch).*/, '');
    const sorting = `sort -s ${plain} a > sa; sort -s ${plain} b > sb; `;
    const merging = `sort -m -u ${plain} ${files}; echo; sort -m -s ${plain} ${files}`;
    const reference = await script(sorting + merging, { cwd });
    const [kept, sorted] = reference.stdout.toString('latin1').split('\n\n');
    const found = await outputsOf(`-m ${options} ${files}`);
    expect(found[0] === `${kept}\n`).toBe(true);
    expect(found[1] === others(sorted, kept)).toBe(true);
  },
);

it('writes the header of lines and of CSV to both files, and restores newlines in quotes', async () => {
  writeFileSync(join(cwd, 'c.csv'), 'id,text\r\n2,"x\ny"\r\n1,z\r\n2,"x\n"\r\n"1",q\r\n3,w\r\n');
  expect(await outputsOf('--csv -k id:n --verify c.csv')).toEqual([
    'id,text\r\n1,z\r\n2,"x\ny"\r\n3,w\r\n',
    'id,text\r\n"1",q\r\n2,"x\n"\r\n',
  ]);
  expect((await outputsOf('--csv --header 0 -k1,1 c.csv'))[1]).toBe('"1",q\r\n2,"x\n"\r\n');
  expect((await outputsOf('--csv c.csv'))[1]).toBe('id,text\r\n');
  writeFileSync(join(cwd, 'h'), '# z\nb\na\nb\n');
  expect(await outputsOf('--header 1 h')).toEqual(['# z\na\nb\n', '# z\nb\n']);
  expect(await outputsOf('--header-prefix=# empty h h')).toEqual(['# z\na\nb\n', '# z\na\nb\nb\nb\n']);
});

it('splits JSON lines, lines of a language and arrays of numbers', async () => {
  writeFileSync(join(cwd, 'j'), '{"n":2,"i":1}\n{"n":1}\n{"n": 2.0}\n{"n":1,"i":2}\n');
  expect(await outputsOf('--json n:n j')).toEqual(['{"n":1}\n{"n":2,"i":1}\n', '{"n":1,"i":2}\n{"n": 2.0}\n']);
  writeFileSync(join(cwd, 'names'), '\u00c4\nz\na\u0308\nZ\n\u00e4\n');
  const byLanguage = await outputsOf('--locale=de -f --verify names');
  expect(byLanguage.map((text) => Buffer.from(text, 'latin1').toString())).toEqual([
    '\u00c4\nz\n',
    'a\u0308\n\u00e4\nZ\n',
  ]);
  writeFileSync(join(cwd, 'array'), Buffer.from([3, 1, 1, 9, 3, 2, 1, 8]));
  expect(await outputsOf('--array u8+u8 --verify array')).toEqual(['\x01\x09\x03\x01', '\x01\x08\x03\x02']);
});

it('splits reads and intervals with their headers, compressed as the suffix says', async () => {
  const read = (name: string, seq: string): string => `@${name}\n${seq}\n+\n${'I'.repeat(seq.length)}\n`;
  writeFileSync(join(cwd, 'r.fq'), read('a', 'GG') + read('b', 'AC') + read('c', 'GG') + read('d', 'AC'));
  const reads = await commandLine('gpusort --by seq r.fq -o k.fq --dupes-output d.fq.gz --level 6', cwd);
  expect(reads).toMatchObject({ status: 0, stderr: '' });
  expect(contents('k.fq')).toBe(read('b', 'AC') + read('a', 'GG'));
  expect(gunzipSync(readFileSync(join(cwd, 'd.fq.gz'))).toString()).toBe(read('d', 'AC') + read('c', 'GG'));
  const record = (place: number, id: string): string => `chr1\t${place}\t${id}\tA\tC\t.\t.\t.\n`;
  const head = '##fileformat=VCFv4.2\n##contig=<ID=chr1>\n#CHROM\tPOS\tID\tREF\tALT\tQUAL\tFILTER\tINFO\n';
  writeFileSync(join(cwd, 'v.vcf'), head + record(9, 'x') + record(5, 'y') + record(9, 'z'));
  const kept = 'gpusort --format vcf v.vcf -o k.vcf.gz --index --dupes-output d.vcf';
  expect(await commandLine(kept, cwd)).toMatchObject({ status: 0, stderr: '' });
  expect(gunzipSync(readFileSync(join(cwd, 'k.vcf.gz'))).toString()).toBe(head + record(5, 'y') + record(9, 'x'));
  expect(contents('d.vcf')).toBe(head + record(9, 'z'));
  expect(readdirSync(cwd)).toContain('k.vcf.gz.tbi');
});

it('writes the same GFF as -u', async () => {
  const gff = (place: number, rest: string): string => `c\t.\tgene\t${place}\t${place + 9}\t.\t+\t.\t${rest}\n`;
  const text = `##gff-version 3\n${gff(7, 'Parent=g')}${gff(7, 'ID=g')}${gff(3, 'ID=h')}##FASTA\n>c\nACGT\n`;
  writeFileSync(join(cwd, 'g.gff'), text);
  const [kept, dupes] = await outputsOf('--format gff g.gff');
  expect(kept).toBe((await commandLine('gpusort --format gff -u g.gff', cwd)).stdout.toString());
  expect(dupes).toBe(`##gff-version 3\n${gff(7, 'ID=g')}`);
});

describe('files', () => {
  it('has the mode of a new file or that of the old one, and may be an input', async () => {
    const words = 'umask 027; cp a in; touch old; chmod 604 old; gpusort --dupes-output new a -o kept; ';
    const state = 'gpusort -k1,1n --dupes-output old a > k; gpusort --dupes-output in in b -o in2; stat -c %a new old';
    const { stdout, stderr } = await script(words + state, { cwd });
    expect([stdout.toString(), stderr, left()]).toEqual(['640\n604\n', '', []]);
    const [kept, dupes] = await outputsOf('a b');
    expect([contents('in2'), contents('in')]).toEqual([kept, dupes]);
  });

  it('may be a pipe, or named -', async () => {
    const { stdout } = await script(
      'mkfifo p; cat p > copy & gpusort --dupes-output p a > k; wait; gpusort --dupes-output - a | cmp - k; cmp ./- copy; ' +
        'gpusort --dupes-output /dev/null a | cmp - k',
      { cwd },
    );
    expect(stdout.toString()).toBe('');
    expect(contents('copy')).toBe(
      others(
        linesOf([Buffer.from(A)])
          .sort()
          .join('\n'),
        contents('k'),
      ),
    );
  });

  it.each([
    ['-o x --dupes-output x', 'x and x are the same output'],
    ['-o x --dupes-output ./x', 'x and ./x are the same output'],
    ['--dupes-output none/x', 'open failed: none/x: No such file or directory'],
    ['--dupes-output t', 'open failed: t: Is a directory'],
    ["--dupes-output x --stats='x.svg' -o x.svg", 'x.svg and x.svg are the same output'],
    ["--dupes-output x.svg --stats='x.svg'", 'x.svg and x.svg are the same output'],
  ])('refuses %s', async (options, message) => {
    const { stdout } = await expectRefusal(`gpusort ${options} a`, message, cwd);
    expect(stdout.length).toBe(0);
    expect(readdirSync(cwd).sort()).toEqual(['a', 'b', 'empty', 't']);
  });

  it('refuses standard output as the second output', async () => {
    const { stderr } = await script('gpusort --dupes-output /dev/stdout a | cat', { cwd });
    expect(stderr).toContain("'standard output' and /dev/stdout are the same output");
  });

  const FAULTS = [
    ['a full disk', '--dupes-output /dev/full -o k', 2, 'write failed: /dev/full: No space left on device'],
    ['a full disk for the first lines', '--dupes-output d -o /dev/full', 2, 'write failed: /dev/full'],
    ['standard output closes', '--dupes-output d | head -n 1 >&2; echo ${PIPESTATUS[0]} >&2', 0, '141\n'],
    ['the reader of a pipe ends', '--dupes-output >(head -n 1 > h) > /dev/null; echo $? >&2', 0, '141\n'],
    ['a damaged input', '--csv --dupes-output d -o k', 2, 'is not closed'],
  ] as const;
  it.each(sampled(FAULTS, { count: FAULTS.length, seed: 2, values: ([, , status]) => [status] }))(
    'puts no file in place if one cannot be written: %s',
    async (_, options, status, message) => {
      writeFileSync(join(cwd, 'many'), Array.from({ length: 120_000 }, (_, i) => `${i >> 1}\n`).join(''));
      if (options.includes('--csv')) writeFileSync(join(cwd, 'many'), 'a\n"b\n');
      for (const name of ['d', 'k']) writeFileSync(join(cwd, name), 'old');
      const outcome = await script(`gpusort < many ${options}`, { cwd });
      expect(outcome.status).toBe(status);
      expect(outcome.stderr).toContain(message);
      expect([contents('d'), contents('k'), left()]).toEqual(['old', 'old', []]);
    },
  );

  it('keeps both files if the name of one is taken during the sort', async () => {
    const { stderr, status } = await script(
      'mkfifo p; gpusort p -o k --dupes-output d & exec 3> p; echo x >&3; echo x >&3; ' +
        'until ls -A | grep -q "^.gpusort"; do sleep 0.05; done; sleep 0.2; echo other > d; exec 3>&-; wait $!',
      { cwd },
    );
    expect(status).toBe(2);
    expect(stderr).toMatch(/^gpusort: write failed: d: another file has taken this name/);
    const kept = [...stderr.matchAll(/gpusort-sorted-\w{8}/g)].map(([name]) => contents(name));
    expect(kept).toEqual(['x\n', 'x\n']);
    expect([contents('d'), readdirSync(cwd).includes('k')]).toEqual(['other\n', false]);
  });
});

it.each([
  ['-c', "options '--dupes-output' and '-c' are incompatible"],
  ['--debug', "options '--dupes-output' and '--debug' are incompatible"],
  ['--count', "options '--dupes-output' and '--count' are incompatible"],
  ['--top 3', "options '--dupes-output' and '--top' are incompatible"],
  ['--bottom 3', "options '--dupes-output' and '--bottom' are incompatible"],
  ['--segments blank', "options '--dupes-output' and '--segments' are incompatible"],
  ['--segment-by 1,1', "options '--dupes-output' and '--segment-by' are incompatible"],
  ['--cluster local:2 -o x', "options '--cluster' and '--dupes-output' are incompatible"],
  ['--format fastq --mate b --mate-out c', "options '--dupes-output' and '--mate' are incompatible"],
  ['--dupes-output e', 'multiple files of duplicates specified'],
  ['--format sam', '--dupes-output is not for sam'],
  ['--format bed --level 3', '--level needs compressed output'],
  ['--format bed --output-format zstd --level 30', "invalid --level argument '30'"],
])('rejects %s', async (options, message) => {
  await expectRefusal(`gpusort --dupes-output d ${options} a`, message, cwd);
});
