/** The output file: prepared pages leave no trace, and a stream that starts over continues where it was. */
import * as fs from 'node:fs';
import * as path from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { openSink, type Sink } from '../../src/output/sink.js';
import { readyPages } from '../../src/output/writers.js';
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

/** Waits until a file is not empty, however long that takes. */
async function untilGrown(stat: () => fs.Stats): Promise<void> {
  while (stat().size === 0)
    await new Promise((resolve) => {
      setTimeout(resolve, 5);
    });
}

function sinkOf(file: string): Promise<Sink> {
  return openSink(job({ output: Buffer.from(file), temporaryDirectories: [Buffer.from('/tmp')] }), silent);
}

it.skipIf(!fs.existsSync(MEMORY))('prepares pages of an output file until it is stopped', async () => {
  const file = Buffer.from(path.join(inMemory, 'pages'));
  const fd = fs.openSync(file, 'w');
  const end = readyPages(fd, file, 300 << 20);
  await untilGrown(() => fs.fstatSync(fd));
  await end();
  const { size, blocks } = fs.fstatSync(fd);
  expect(size).toBeGreaterThan(0);
  expect(size).toBeLessThanOrEqual(300 << 20);
  expect(blocks * 512).toBeGreaterThanOrEqual(size / 2);
  await new Promise((resolve) => {
    setTimeout(resolve, 20);
  });
  expect(fs.fstatSync(fd).size).toBe(size);
  fs.closeSync(fd);
});

it('prepares no pages of small output files', async () => {
  const file = Buffer.from(path.join(inMemory, 'small'));
  const fd = fs.openSync(file, 'w');
  await readyPages(fd, file, 1 << 20)();
  expect(fs.fstatSync(fd).size).toBe(0);
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

  it.skipIf(!fs.existsSync(MEMORY))('stops growing an output once no more bytes are expected', async () => {
    const sink = await sinkOf(path.join(inMemory, 'no-time'));
    sink.expect(4e9);
    const temporary = path.join(inMemory, fs.readdirSync(inMemory).find((name) => name.startsWith('.gpusort-'))!);
    await untilGrown(() => fs.statSync(temporary));
    sink.expect(0);
    // Writes under way still finish, late on a busy machine; after them the file stops growing.
    const sizes = [-1, fs.statSync(temporary).size];
    for (let i = 0; i < 20 && sizes.at(-1) !== sizes.at(-2); i++) {
      await new Promise((resolve) => {
        setTimeout(resolve, 100);
      });
      sizes.push(fs.statSync(temporary).size);
    }
    expect(sizes.at(-1)).toBe(sizes.at(-2));
    expect(sizes.at(-1)).toBeGreaterThan(0);
    expect(sizes.at(-1)).toBeLessThan(4e9);
    await sink.abort();
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
