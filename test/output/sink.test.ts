/** The output file: prepared pages leave no trace, and a stream that starts over continues where it was. */
import * as fs from 'node:fs';
import * as path from 'node:path';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { readyPages } from '../../src/output/ready-pages.js';
import { openSink, type Sink } from '../../src/output/sink.js';
import { BGZF_END, bgzf, unBgzf } from '../support/genomics-bam.js';
import { job, silent } from '../support/jobs.js';

/** A directory in memory, which the tests of prepared pages need. */
const MEMORY = '/dev/shm';
let directory = '';
let inMemory = '';
beforeAll(() => {
  directory = fs.mkdtempSync('/tmp/gpusort-sink-');
  inMemory = fs.mkdtempSync(path.join(fs.existsSync(MEMORY) ? MEMORY : '/tmp', 'gpusort-sink-'));
});
afterAll(() => {
  for (const made of [directory, inMemory]) fs.rmSync(made, { recursive: true });
});

function sinkOf(file: string): Promise<Sink> {
  return openSink(job({ output: Buffer.from(file), temporaryDirectories: [Buffer.from('/tmp')] }), silent);
}

describe.skipIf(!fs.existsSync(MEMORY))('pages of an output file', () => {
  const bytes = 300 << 20;
  async function allocated(programs: string | undefined): Promise<fs.Stats> {
    const file = path.join(inMemory, 'pages');
    const fd = fs.openSync(file, 'w');
    vi.stubEnv('PATH', programs);
    await readyPages(fd, bytes);
    vi.unstubAllEnvs();
    const stats = fs.fstatSync(fd);
    fs.closeSync(fd);
    fs.rmSync(file);
    return stats;
  }

  it('are allocated in advance', async () => {
    const { size, blocks } = await allocated(process.env.PATH);
    expect(size).toBe(0);
    expect(blocks * 512).toBeGreaterThanOrEqual(bytes);
  });

  it('are not allocated without the program for it', async () => {
    expect((await allocated('/nowhere')).blocks).toBe(0);
  });
});

it('prepares no pages of small output files', async () => {
  const file = path.join(inMemory, 'small');
  const fd = fs.openSync(file, 'w');
  await readyPages(fd, 1 << 20);
  expect(fs.fstatSync(fd).blocks).toBe(0);
  fs.closeSync(fd);
});

describe('a file smaller than expected', () => {
  it('writes nothing after the text of an output smaller than expected', async () => {
    const file = path.join(inMemory, 'shorter');
    const sink = await sinkOf(file);
    sink.expect(400 << 20);
    await new Promise((resolve) => {
      setTimeout(resolve, 30);
    });
    await Promise.all([sink.write(Buffer.from('one\n')), sink.write(Buffer.from('two\n'))]);
    await sink.finish();
    expect(fs.readFileSync(file, 'latin1')).toBe('one\ntwo\n');
  });

  it('leaves an output empty if nothing was written', async () => {
    const file = path.join(inMemory, 'empty');
    const sink = await sinkOf(file);
    sink.expect(400 << 20);
    await sink.finish();
    expect(fs.statSync(file).size).toBe(0);
  });

  it('removes an output smaller than expected if the sink is aborted', async () => {
    const sink = await sinkOf(path.join(inMemory, 'given-up'));
    sink.expect(400 << 20);
    await sink.abort();
    expect(fs.readdirSync(inMemory).filter((name) => /given-up|gpusort/.test(name))).toEqual([]);
  });
});

it('skips bytes of an output that were written before a restart', async () => {
  const file = path.join(directory, 'again');
  const sink = await sinkOf(file);
  await Promise.all([sink.write(Buffer.from('abc')), sink.write(Buffer.from('def'))]);
  sink.restart();
  await Promise.all([sink.write(Buffer.from('a')), sink.write(Buffer.from('bcde')), sink.write(Buffer.from('fghi'))]);
  await sink.finish();
  expect(fs.readFileSync(file, 'latin1')).toBe('abcdefghi');
});

describe('blocks of BGZF', () => {
  const compression = { kind: 'bgzf', level: 1 } as const;
  const blockOf = (text: string): Buffer => bgzf(Buffer.from(text)).subarray(0, -BGZF_END.length);
  const open = (name: string, more: Parameters<typeof job>[0] = {}) =>
    openSink(job({ output: Buffer.from(path.join(directory, name)), compression, ...more }), silent);
  const put = (sink: Sink, text: string): Promise<void> => {
    const block = blockOf(text);
    return sink.blocks!.write(block, [{ text: text.length, bytes: block.length }]);
  };

  it('are written between text as they are', async () => {
    const sink = await open('blocks.bam');
    await sink.write(Buffer.from('header\n'));
    await sink.blocks!.compress(Buffer.from('head\n'));
    await Promise.all([put(sink, 'compressed\n'), put(sink, 'elsewhere\n')]);
    await sink.write(Buffer.from('more\n'));
    await put(sink, 'end\n');
    await sink.finish();
    const written = fs.readFileSync(path.join(directory, 'blocks.bam'));
    expect(unBgzf(written).toString()).toBe('header\nhead\ncompressed\nelsewhere\nmore\nend\n');
    for (const text of ['compressed\n', 'elsewhere\n', 'end\n']) expect(written.includes(blockOf(text))).toBe(true);
  });

  it('count as written text, which is skipped after a restart', async () => {
    const sink = await open('again.bam');
    await sink.write(Buffer.from('abc'));
    await put(sink, 'defg');
    await put(sink, 'hi');
    for (const text of ['abcdefgh', 'abcdefghijk']) {
      sink.restart();
      expect(sink.blocks).toBeNull();
      await sink.write(Buffer.from(text));
    }
    await sink.write(Buffer.from('lmn'));
    await sink.finish();
    expect(unBgzf(fs.readFileSync(path.join(directory, 'again.bam'))).toString()).toBe('abcdefghijklmn');
  });

  it('may be written after a restart if nothing was written before', async () => {
    const sink = await open('none.bam');
    sink.restart();
    await put(sink, 'abc');
    await sink.finish();
    expect(unBgzf(fs.readFileSync(path.join(directory, 'none.bam'))).toString()).toBe('abc');
  });

  it('do not let an output restart whose text is converted', async () => {
    const sink = await open('sam.bam', { convertsTo: 'bam' });
    await sink.write(Buffer.from('@SQ\tSN:a\tLN:9\n'));
    expect(sink.canRestart).toBe(true);
    await put(sink, 'converted');
    expect(sink.canRestart).toBe(false);
    await sink.abort();
  });
});

it('takes no blocks for an output that is not BGZF', async () => {
  const sink = await sinkOf(path.join(directory, 'plain'));
  expect(sink.blocks).toBeNull();
  await sink.abort();
});
