/** DEFLATE data inflated by the kernels, compared with zlib. */
import { inflateRawSync } from 'node:zlib';
import { expect } from 'vitest';
import { INFLATED, Inflater, inflateProblem } from '../../src/codecs/inflate.js';

const ROOM = 1 << 20;
export const inflater = new Inflater();

/** Shared memory with these bytes. */
export function shared(bytes: Uint8Array): { memory: SharedArrayBuffer; from: number; to: number } {
  const memory = new SharedArrayBuffer(Math.max(1, bytes.length));
  new Uint8Array(memory).set(bytes);
  return { memory, from: 0, to: bytes.length };
}

/** The text, or the problem. */
function byKernel(bytes: Uint8Array): Buffer | string {
  inflater.setInput([shared(bytes)]);
  inflater.putBytesAfter(new Uint8Array(0), ROOM);
  const status = inflater.inflate(0, null, Infinity);
  if (status === INFLATED.final) return Buffer.from(inflater.output);
  if (status === INFLATED.needsInput) return 'unexpected end of file';
  return status === INFLATED.needsRoom ? 'too long' : inflateProblem(status);
}

function byZlib(bytes: Uint8Array): Buffer | string {
  try {
    return inflateRawSync(bytes, { maxOutputLength: ROOM, chunkSize: 64 << 10 });
  } catch (error) {
    const { code, message } = error as NodeJS.ErrnoException;
    return code === 'ERR_BUFFER_TOO_LARGE' ? 'too long' : message;
  }
}

/** Expects zlib's text, or zlib's problem. */
export function isInflatedAsByZlib(bytes: Uint8Array): void {
  const [ours, expected] = [byKernel(bytes), byZlib(bytes)];
  if (typeof ours === 'string' || typeof expected === 'string') expect(ours).toBe(expected);
  else expect(Buffer.compare(ours, expected)).toBe(0);
}
