/** Compresses a text as a sort's output is compressed. */
import { type CompressOptions, compressing } from '../../src/output/compress.js';
import { randomBelow } from '../support/random.js';

/** Compresses `text` in blocks of random lengths, whose memory is reused. */
export async function compressed(text: Uint8Array, options: CompressOptions): Promise<Buffer> {
  const parts: Buffer[] = [];
  const below = randomBelow(5);
  const stage = compressing(options, async (block) => {
    await new Promise(setImmediate);
    parts.push(Buffer.from(block));
  });
  const memory = new Uint8Array(1 << 20);
  for (let at = 0; at < text.length; ) {
    const part = text.subarray(at, at + 1 + below(memory.length));
    memory.set(part);
    await stage.write(memory.subarray(0, part.length));
    memory.fill(0);
    at += part.length;
  }
  await stage.finish();
  return Buffer.concat(parts);
}
