/**
 * Records whose keys cannot be made: the error, which arrives intact from the threads of both engines.
 */
import { describe, expect, it } from 'vitest';
import { parseFieldSpan } from '../../src/cli/parse/key-definition.js';
import { createCpuEngine } from '../../src/engines/cpu/engine.js';
import { HostKeys } from '../../src/engines/gpu/engine/host-keys.js';
import type { KeyPart } from '../../src/job/ordering.js';
import { KeyMaker } from '../../src/keys/key-maker.js';
import { LongKey } from '../../src/keys/long-key.js';
import { GpusortError } from '../../src/system/errors.js';
import { createSharedMemory } from '../../src/system/threads/buffers.js';
import { silent } from '../support/jobs.js';
import { orderingOf, wholeLine } from './orderings.js';

const contigs = Buffer.from('chr1\nchr2\n');
const field = (number: number, changes: Partial<KeyPart>): KeyPart =>
  wholeLine({ span: parseFieldSpan(`${number},${number}`, Buffer.from('\t')), ...changes });
const SECOND = { tag: 'CB', order: 'tag' } as const;

function errorOf(run: () => unknown): GpusortError {
  try {
    run();
  } catch (error) {
    expect(error).toBeInstanceOf(GpusortError);
    return error as GpusortError;
  }
  throw new Error('there was no error');
}

describe('a record whose key cannot be made', () => {
  it.each<[Partial<KeyPart>, string, string]>([
    [{ order: 'contig', contigs }, 'chrX', "contig not listed: 'chrX'"],
    [{ order: 'contig', contigs }, '', "contig not listed: ''"],
    [{ order: 'contig', contigs }, 'chr', "contig not listed: 'chr'"],
    [{ order: 'contig', contigs }, 'chr11', "contig not listed: 'chr11'"],
    [{ order: 'contig', contigs: Buffer.alloc(0) }, 'x', "contig not listed: 'x'"],
    [{ order: 'mate-contig', contigs }, '=', "contig not listed: '='"],
    [{ order: 'integer' }, '', "not a whole number: ''"],
    [{ order: 'integer' }, '-', "not a whole number: '-'"],
    [{ order: 'integer' }, '-1', "not a whole number: '-1'"],
    [{ order: 'integer' }, '+1', "not a whole number: '+1'"],
    [{ order: 'integer' }, '1x', "not a whole number: '1x'"],
    [{ order: 'integer', dropsReturn: true }, '1\r\r', "not a whole number: '1'$'\\r'"],
    [{ order: 'integer' }, '549755813888', "number out of range: '549755813888'"],
    [{ order: 'integer' }, '9'.repeat(100), `number out of range: '${'9'.repeat(60)}'...`],
    [{ order: 'signed' }, '274877906944', "number out of range: '274877906944'"],
    [{ order: 'signed' }, '-274877906944', "number out of range: '-274877906944'"],
    [{ order: 'strand' }, '65536', "number out of range: '65536'"],
    [{ order: 'template' }, '-1', "number out of range: '-1'"],
    [{ order: 'picard-template' }, '0x10', "not a whole number: '0x10'"],
    [SECOND, 'CB:i:', "malformed optional field: 'CB:i:'"],
    [SECOND, 'CB:i:1.5', "malformed optional field: 'CB:i:1.5'"],
    [SECOND, 'CB:f:1e', "malformed optional field: 'CB:f:1e'"],
    [SECOND, 'CB:f:-', "malformed optional field: 'CB:f:-'"],
    [SECOND, 'CB:A:xy', "malformed optional field: 'CB:A:xy'"],
    [SECOND, 'CB:c:50', "malformed optional field: 'CB:c:50'"],
    [SECOND, 'CB:s:5', "malformed optional field: 'CB:s:5'"],
    [SECOND, 'CB:q:xy', "malformed optional field: 'CB:q:xy'"],
    [SECOND, 'CB:Zx:y', "malformed optional field: 'CB:Zx:y'"],
  ])('is reported: %j of %j', (part, text, message) => {
    const maker = new KeyMaker(orderingOf([field(2, part), wholeLine({})]));
    const good = part.order === 'tag' ? 'CB:Z:x' : part.order?.endsWith('contig') ? '*' : '0';
    const bytes = Buffer.from(`good\t${good}\nread 1\t${text}\nlast\t${good}\n`);
    const error = errorOf(() => maker.keyed(bytes));
    expect([error.code, error.message, typeof error.hint]).toEqual([
      'bad-records',
      `record 'read 1': ${message}`,
      'string',
    ]);
    // The maker can be used again.
    expect(maker.keyed(Buffer.from(`good\t${good}\n`)).length).toBe(1);
  });

  it('shows no text if no single one is at fault', () => {
    const libraries = { groups: new Uint8Array(), ranks: new Uint8Array() };
    const maker = new KeyMaker(orderingOf([wholeLine({ order: 'template-coordinate', contigs, libraries })]));
    const error = errorOf(() => maker.keyed(Buffer.from('r\t1\tchr1\t5\t9\t3M\t=\t9\t0\tAAA\tIII\n')));
    expect(error.message).toBe("record 'r': no tag MC, the CIGAR of the mate");
  });

  it('is shown shortened and quoted', () => {
    const maker = new KeyMaker(orderingOf([field(2, { order: 'integer' })]));
    const error = errorOf(() => maker.keyed(Buffer.from(`${'\x1b'.repeat(100)}\t\x07\n`)));
    expect(error.message).toBe(`record ''$'${'\\033'.repeat(60)}'...: not a whole number: ''$'\\a'`);
  });

  it('is reported if it is long', () => {
    const key = new LongKey(orderingOf([field(2, { order: 'integer' }), field(1, {})]));
    const line = Buffer.from(`read 1\tx${'y'.repeat(500)}`);
    key.open(line.length);
    key.add(line);
    expect(errorOf(() => key.read(new Uint8Array(100))).message).toBe(
      `record 'read 1': not a whole number: 'x${'y'.repeat(59)}'...`,
    );
  });
});

describe('its error arrives intact', () => {
  const ordering = orderingOf([field(2, { order: 'contig', contigs })]);
  const text = Buffer.from('a\tchr1\nb\tchrX\n');
  const expected = {
    name: 'GpusortError',
    code: 'bad-records',
    exitCode: 2,
    message: "record 'b': contig not listed: 'chrX'",
    hint: expect.stringContaining('--contigs'),
  };

  it.each([0, 1])('from %i threads of the CPU engine', async (workers) => {
    const engine = await createCpuEngine({
      ordering,
      limit: null,
      chunkBytes: 1000,
      rangeBytes: 1000,
      workers,
      residentBytes: null,
      recorder: silent,
      verify: false,
    });
    try {
      const chunk = await engine.openChunk();
      const piece = await chunk.openPiece(0);
      piece.bytes.set(text);
      piece.commit(text.length);
      await expect(engine.order(chunk, text.length)).rejects.toMatchObject(expected);
    } finally {
      await engine.close();
    }
  });

  it.each([0, 1])('from %i host threads of the GPU engine', async (threads) => {
    const keys = new HostKeys(ordering, threads, createSharedMemory(1), { verify: false, presence: null });
    try {
      const chunk = keys.openChunk(1000, 1000);
      new Uint8Array(chunk.memory).set(text);
      await expect(keys.keyedTexts(chunk, text.length, 1000, { hashes: false })).rejects.toMatchObject(expected);
    } finally {
      await keys.close();
    }
  });
});
