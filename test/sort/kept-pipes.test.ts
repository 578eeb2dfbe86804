/**
 * Pipes that a GPU inflates. Their bytes are kept, so that the host can start over: after a problem, a failure of the
 * GPU, and once they take too much memory. An engine on the host stands in for the GPU.
 */
import { gunzipSync, gzipSync } from 'node:zlib';
import { beforeEach, expect, it, vi } from 'vitest';
import { decorated } from '../../src/contract/decorated.js';
import { type Chunk, Declined, type Engine, type Sorted } from '../../src/contract/engine.js';
import type { Plan } from '../../src/plan/plan.js';
import { GpusortError } from '../../src/system/errors.js';
import { BGZF_END, bgzf } from '../support/genomics-bam.js';
import { fastq, reads } from '../support/genomics-data.js';
import { smallEngine, sortChunk } from '../support/jobs.js';
import { Codecs, type Pipes } from './device-codecs.js';

const CHUNK = 64 << 10;
const PIECE = 1 << 12;
const STRETCH = 3 * PIECE;
/** What fails: the stretch with this number, or the end of the input with this number. */
const fault = { stretch: 0, end: 0, error: null as Error | null };
/** The plans that were tried, and the inputs that the device began. */
const tried: Plan[] = [];
let begun = 0;

vi.mock(import('../../src/run/open-engine.js'), async () => {
  const { fakeEngines } = await import('../support/fake-engines.js');
  return fakeEngines(async ({ plan, ordering, verify }) => {
    tried.push(plan);
    const engine = await smallEngine(ordering, CHUNK, { verify });
    return plan.engine === 'gpu' && plan.inflates !== null ? inflating(engine, plan.inflates.source) : engine;
  });
});

/** An engine with an inflater, which frames nothing: it has no records of a `source`. */
function inflating(engine: Engine, source: string | null): Engine {
  const memories = new Map<Chunk, Buffer>();
  let stored: Buffer[] = [];
  let [header, stretches, ends] = [0, 0, 0];
  const failAt = (number: number, at: number): void => {
    if (number === at && fault.error !== null) throw fault.error;
  };
  const textOf = (): Buffer => {
    const bytes = Buffer.concat(stored);
    if (!bytes.subarray(-BGZF_END.length).equals(BGZF_END)) throw new Declined('a file is cut off');
    return gunzipSync(bytes).subarray(header);
  };
  return decorated(engine, {
    inflater: {
      stretchBytes: STRETCH,
      pieceBytes: PIECE,
      begin: (headerBytes) => {
        begun++;
        header = headerBytes;
        stored = [];
      },
      openStretch: (bytes) => {
        const memory = Buffer.alloc(bytes);
        const chunk: Chunk = {
          capacity: bytes,
          openPiece: async (offset) => ({ bytes: memory.subarray(offset, offset + PIECE), commit: () => {} }),
          release: () => {},
        };
        memories.set(chunk, memory);
        return { chunk, from: 0 };
      },
      add: async (chunk, bytes) => {
        failAt(++stretches, fault.stretch);
        stored.push(Buffer.from(memories.get(chunk)!.subarray(0, bytes)));
        return { texts: [], bytes: 0 };
      },
      end: async () => {
        failAt(++ends, fault.end);
        if (source !== null) return { texts: [], bytes: 0 };
        const text = textOf();
        const texts: Sorted[] = [];
        for (let at = 0; at < text.length; ) {
          const part = text.subarray(at, at + CHUNK);
          const bytes = at + part.length === text.length ? part.length : part.lastIndexOf(10) + 1;
          const chunk = await engine.openChunk();
          chunk.bytes!.set(part.subarray(0, bytes));
          texts.push(...(await sortChunk(engine, chunk, bytes)));
          at += bytes;
        }
        return { texts, bytes: text.length };
      },
    },
  });
}

const codecs = new Codecs('kept-pipes');

/** The arguments for inputs, which are names of files or the bytes of pipes, and these pipes. */
function inputsOf(words: readonly string[], inputs: readonly (Uint8Array | string)[]): [string[], Pipes] {
  tried.length = begun = 0;
  const names = inputs.map((input, i) => (typeof input === 'string' ? input : `pipe${i}`));
  const pipes = inputs.flatMap((input, i) => (typeof input === 'string' ? [] : [[names[i]!, input] as const]));
  return [['--decompress', ...words, '--', ...names], Object.fromEntries(pipes)];
}

const lines = (from: number, count: number): string =>
  Array.from({ length: count }, (_, i) => `${(from + i * 7919) % 10007} line\n`).join('');
const some = bgzf(Buffer.from(lines(1, 9000)), 0, 9000);
const other = bgzf(Buffer.from(lines(5, 700)), 6, 900);
const file = codecs.write('file.gz', other);
const plain = Buffer.from(lines(3, 5000));
const KEEPS = /pipes stay in memory as they arrive, up to .*, until the output is written/;
/** The engines that the GPU's sort tried, and whether they inflated. The CPU's sort tried the last one. */
const roads = (): string[] =>
  tried.slice(0, -1).map((plan) => (plan.engine === 'gpu' && plan.inflates ? 'inflated' : plan.engine));

beforeEach(() => {
  Object.assign(fault, { stretch: 0, end: 0, error: null });
});

it.each([
  ['a pipe', [], [some], 1],
  ['pipes and files', ['-u'], [file, some, file, other], 4],
  ['pipes after empty ones, and before other kinds', [], [Buffer.alloc(0), some, plain, gzipSync(plain), other], 2],
  ['headers', ['--header', '1'], [some, bgzf(Buffer.from('1 line\n')), other.subarray(0, 0)], 2],
  ['--verify', ['--verify', '-k1,1n'], [some, plain], 1],
] as const)('a GPU inflates BGZF: %s', async (_, words, pipes, inflated) => {
  const { status, notes } = await codecs.expectEqual(...inputsOf(words, pipes));
  expect(status).toBe(0);
  expect(roads()).toEqual(['inflated']);
  expect(begun).toBe(inflated);
  expect(notes.join()).toMatch(KEEPS);
});

it.each([
  ['text', [plain, some]],
  ['gzip', [gzipSync(plain), file]],
  ['nothing', [Buffer.alloc(0)]],
])('the host reads all inputs if the first is a pipe of %s', async (_, pipes) => {
  const { notes } = await codecs.expectEqual(...inputsOf([], pipes));
  expect(roads()).toEqual(['gpu']);
  expect(notes.join()).not.toMatch(/inflates|stay in memory/);
});

it.each([
  ['at its first stretch', { stretch: 1 }],
  ['after other pipes', { end: 2 }],
])('the host inflates a pipe that is declined %s', async (_, place) => {
  Object.assign(fault, place, { error: new Declined('for the test') });
  const { text } = await codecs.expectEqual(...inputsOf([], [some, plain, other]));
  expect(text).not.toBe(null);
  expect(roads()).toEqual(['inflated', 'gpu']);
});

it('goes on without the GPU if that is lost once pipes were read', async () => {
  Object.assign(fault, { end: 2, error: new GpusortError('device-lost', 'the GPU was lost: for the test') });
  const [args, pipes] = inputsOf([], [some, plain, other]);
  const gpu = await codecs.sort('gpu', args, pipes);
  const cpu = await codecs.sort('cpu', args, pipes);
  expect(gpu.messages).toContain('the GPU failed (the GPU was lost: for the test); sorting on the CPU instead');
  expect(gpu.text!.equals(cpu.text!)).toBe(true);
  expect(roads()).toEqual(['inflated', 'cpu']);
});

it('starts over with the bytes of FASTQ, which the host frames in place', async () => {
  const compressed = bgzf(Buffer.from(fastq(reads(1, 20))));
  const pipes = [compressed, Buffer.from(fastq(reads(2, 900))), compressed];
  const words = ['--format', 'fastq', '--by', 'id'];
  Object.assign(fault, { end: 2, error: new Declined('for the test') });
  const { text } = await codecs.expectEqual(...inputsOf(words, pipes));
  expect(text).not.toBe(null);
  expect(roads()).toEqual(['inflated', 'gpu']);
});

it.each([
  ['ends inside a block', some.subarray(0, -9000)],
  ['has other bytes after it', Buffer.concat([some, Buffer.from('other')])],
])('treats a pipe that %s as processors do', async (_, bytes) => {
  // The host does not read ahead in the second pipe.
  const { notes } = await codecs.expectEqual(...inputsOf([], [other, bytes]));
  expect(notes).toContain('the GPU cannot inflate the input: a file is cut off');
});

it('lets the host start over once pipes take too much memory, and then keeps nothing', async () => {
  const { text, notes } = await codecs.expectEqual(
    ...inputsOf(['-S', '256K', '--chunk-size', '64K'], [some, some, some]),
  );
  expect(text).not.toBe(null);
  expect(roads()).toEqual(['inflated', 'gpu']);
  expect(notes.join()).toMatch(/the GPU cannot inflate the input: what is kept of pipes, .*, does not fit into memory/);
});
