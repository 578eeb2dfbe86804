/**
 * Lines of GFF3 that consist of a directive without arguments, perhaps with blanks after it: `##FASTA` and `###`. Finds
 * them in texts that may be cut anywhere. Source: the GFF3 specification.
 */
import { asBuffer } from '../system/memory.js';
import type { Framer } from './record-finder.js';

/** The maximum bytes of such a line, with its blanks. */
const MOST_BYTES = 64;
const NEWLINE = 10;

/** Where a text was cut out of its file. */
export interface TextCut {
  /** Whether the text begins a line. */
  readonly isLineStart: boolean;
  /** Whether no bytes follow it. */
  readonly isEnd: boolean;
}

export class Directive {
  private readonly word: string;
  private readonly whole: RegExp;
  private readonly last: RegExp;

  constructor(word: string) {
    this.word = word;
    this.whole = new RegExp(`^${word}[ \\t\\r]*\\n`);
    this.last = new RegExp(`^${word}[ \\t\\r]*$`);
  }

  /** The offset of the first such line from byte `from` on; -1: not found. */
  find(text: Buffer, cut: TextCut, from = 0): number {
    let at = text.indexOf(this.word, from);
    while (at >= 0 && !(beginsLine(text, at, cut.isLineStart) && this.isAt(text, at, cut)))
      at = text.indexOf(this.word, at + 1);
    return at;
  }

  /** Whether the line at `at` is the directive. */
  isAt(text: Buffer, at: number, { isEnd }: Pick<TextCut, 'isEnd'>): boolean {
    const line = text.toString('latin1', at, at + MOST_BYTES);
    return this.whole.test(line) || (isEnd && this.last.test(line));
  }

  /** The bytes of the last line, if more bytes could make it the directive. */
  openBytes(text: Buffer, isLineStart: boolean): number {
    const begin = text.lastIndexOf(NEWLINE) + 1;
    if (!beginsLine(text, begin, isLineStart) || text.length - begin >= MOST_BYTES) return 0;
    const line = text.toString('latin1', begin);
    return this.word.startsWith(line) || this.last.test(line) ? line.length : 0;
  }
}

/** Whether a line begins at `at` of a text, which begins a line if `isLineStart`. */
export function beginsLine(text: Buffer, at: number, isLineStart: boolean): boolean {
  return at === 0 ? isLineStart : text[at - 1] === NEWLINE;
}

/**
 * `###` says that all references to features so far are resolved. That is wrong between records in another order, and
 * says nothing new at the end of a file.
 */
export const RESOLVED = new Directive('###');

/** Removes lines of the directive from a text. */
export function leavingOut(directive: Directive): Framer {
  let held: Buffer = Buffer.alloc(0);
  let isLineStart = true;
  const next = (bytes: Uint8Array, { isEnd }: Pick<TextCut, 'isEnd'>): Buffer => {
    const text = held.length === 0 ? asBuffer(bytes) : Buffer.concat([held, bytes]);
    const end = text.length - (isEnd ? 0 : directive.openBytes(text, isLineStart));
    held = Buffer.from(text.subarray(end));
    const left = without(directive, text.subarray(0, end), { isLineStart, isEnd });
    if (end > 0) isLineStart = text[end - 1] === NEWLINE;
    return left;
  };
  return {
    next: (bytes) => next(bytes, { isEnd: false }),
    end: () => next(Buffer.alloc(0), { isEnd: true }),
  };
}

/** The text without lines of the directive, moved to its beginning. */
function without(directive: Directive, text: Buffer, cut: TextCut): Buffer {
  let [filled, from] = [0, 0];
  for (let at = directive.find(text, cut); at >= 0; at = directive.find(text, cut, from)) {
    if (filled < from) text.copyWithin(filled, from, at);
    filled += at - from;
    from = text.indexOf(NEWLINE, at) + 1 || text.length;
  }
  if (from === 0) return text;
  text.copyWithin(filled, from);
  return text.subarray(0, filled + text.length - from);
}
