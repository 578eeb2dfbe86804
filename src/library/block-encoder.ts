/** Blocks of the caller as bytes: copies, since some streams change their blocks in place. */
import { types } from 'node:util';
import { GpusortError } from '../system/errors.js';

/** Encodes text as UTF-8. A surrogate pair may be cut between two blocks. */
export class BlockEncoder {
  /** The first half of a pair. */
  private half = '';

  /** Throws `usage` if a block is neither text nor bytes. */
  encode(block: unknown): Buffer {
    if (isBytes(block)) return this.half === '' ? Buffer.from(block) : Buffer.concat([this.end(), block]);
    if (typeof block !== 'string')
      throw new GpusortError('usage', `a block of the input is neither text nor bytes: ${typeof block}`);
    const text = this.half + block;
    const cut = isFirstHalf(text.charCodeAt(text.length - 1)) ? text.length - 1 : text.length;
    this.half = text.slice(cut);
    return Buffer.from(text.slice(0, cut));
  }

  /** The bytes of a half that has no other: those of U+FFFD. */
  end(): Buffer {
    const last = Buffer.from(this.half);
    this.half = '';
    return last;
  }
}

/** Also of another context of V8: tests in a simulated browser have a `Uint8Array` of their own. */
export const isBytes = (value: unknown): value is Uint8Array => types.isUint8Array(value);

const isFirstHalf = (unit: number): boolean => (unit & 0xfc00) === 0xd800;
