/**
 * Inflates gzip in codec threads, even if it has a single member. The compressed bytes are cut into sections, and
 * threads guess a block in each and inflate from there (src/codecs/gzip-tasks.ts). Sections are confirmed in order: a
 * guess is used only if the text before it ends at exactly its bit. Otherwise the section is inflated from where that
 * text ends. Checksums and lengths are checked as zlib's reader checks them, and errors are the same.
 */
import { combineCrc } from '../codecs/crc-combine.js';
import { type Guessed, type GzipPlace, type GzipSection, isDamaged, type Resolved } from '../codecs/gzip-tasks.js';
import { HISTORY_BYTES, historyAfter } from '../codecs/inflate.js';
import { CodecThreads } from '../codecs/threads.js';
import type { ByteSource } from '../system/byte-source.js';
import { Ahead, type Begin, ReadAhead } from '../system/in-order.js';
import { quiet } from '../system/promises.js';
import { createSharedMemory } from '../system/threads/buffers.js';
import { CompressedPages } from './compressed-pages.js';
import { type CompressedInput, cutOffInput, damagedInput, notAPart, SHOWN_BYTES } from './damaged.js';
import { gzipText, openInflated } from './inflate-streams.js';

/** Sizes. Tests use smaller ones. */
export interface GzipSizes {
  /** Shorter inputs are inflated by zlib, which finishes before threads have started. */
  readonly least: number;
  /** Bytes of a page, the unit of sections. */
  readonly page: number;
  /** The maximum number of pages of a section. */
  readonly sectionPages: number;
  /** Pages after a section that its last block may need. */
  readonly pagesAfter: number;
  /**
   * The intended bytes of text of a section. With shorter sections, the search for a block, half a block per section,
   * takes a larger part of the time.
   */
  readonly text: number;
  /** The maximum bytes of text of a section; each takes two bytes of memory. */
  readonly room: number;
}

export const GZIP_SIZES: GzipSizes = {
  ...{ least: 16 << 20, page: 64 << 10, sectionPages: 16, pagesAfter: 2 },
  ...{ text: 3 << 19, room: 5 << 19 },
};

/**
 * Compressed bytes that a task gets at once if it begins at a confirmed place. Headers of gzip are shorter
 * (codecs/bgzf.ts).
 */
const MOST_INPUT = 9 << 18;
/** Bytes of a section that are searched for a block: few blocks are longer. In stored text no block can be found. */
const MOST_SEARCHED = 1 << 18;
/** After `most` sections without a right guess, only one section in `searched` is searched. */
const MISSES = { most: 2, searched: 16 } as const;
/** The assumed bytes of text per compressed byte, until some have been inflated. */
const FIRST_RATIO = 4;

/**
 * Compressed bytes for each thread: starting it takes as much processor time as inflating a tenth of them. Inputs of
 * unknown length get all threads.
 */
const THREAD_BYTES = 4 << 20;

/** Fewer threads are slower than zlib, because symbols and the search for blocks take additional time. */
export const LEAST_GZIP_THREADS = 3;

interface GzipOptions extends CompressedInput {
  /** At least LEAST_GZIP_THREADS. */
  readonly threads: number;
}

/**
 * A part of the compressed bytes, which ends at byte `end`, and the section that a thread guesses there; null: it has
 * no guess.
 */
interface Guessing {
  readonly end: number;
  readonly guess: Promise<GuessedSection | null>;
}

/** A guessed section, and its symbols. */
interface GuessedSection {
  readonly section: GzipSection;
  readonly target: SharedArrayBuffer;
}

/** Confirmed text. */
interface Text {
  readonly section: GzipSection;
  readonly target: SharedArrayBuffer;
  readonly sums: readonly number[];
}

class GzipReader implements ByteSource {
  private readonly input: CompressedInput;
  private readonly pages: CompressedPages;
  private readonly sizes: GzipSizes;
  private readonly codecs: CodecThreads;
  private readonly guesses: Ahead<Guessing>;
  private readonly ahead: ReadAhead<Text>;
  private readonly targets: ReturnType<typeof createSharedMemory>;
  private readonly members: MemberCheck;
  private ratio = FIRST_RATIO;
  /** Sections without a block, or with a wrong guess, since the last guess that was right. */
  private misses = 0;
  /** Where confirmed text ends, the last HISTORY_BYTES bytes of its member, and where that begins. */
  private place: GzipPlace = { kind: 'header', byte: 0 };
  private history: Uint8Array = new Uint8Array(0);
  private memberBegin = 0;
  /** Whether the last member has ended, and zeros follow. */
  private isPadding = false;
  /** The memory of the text returned last. */
  private returned: SharedArrayBuffer | null = null;

  constructor(pages: CompressedPages, input: GzipOptions, sizes: GzipSizes) {
    const { label, threads, bytes = Infinity } = input;
    const busy = Math.min(threads, Math.max(LEAST_GZIP_THREADS, Math.ceil(bytes / THREAD_BYTES)));
    this.input = input;
    this.pages = pages;
    this.sizes = sizes;
    this.codecs = new CodecThreads(threads);
    this.codecs.start();
    const waiting = 2 + (busy >> 1);
    this.guesses = new Ahead(busy + 1);
    this.ahead = new ReadAhead(waiting, (begin) => this.confirmAll(begin));
    // A target each: guesses, confirmed texts, the one between them, and the one returned.
    this.targets = createSharedMemory(busy + 1 + waiting + 2);
    this.members = new MemberCheck(label);
  }

  async read(): Promise<Uint8Array | null> {
    if (this.returned !== null) this.targets.give(this.returned);
    this.returned = null;
    for (;;) {
      const next = await this.ahead.next();
      if (next === null) return null;
      const { section, target, sums } = next;
      this.members.check(section, sums);
      if (section.text > 0) {
        this.returned = target;
        return new Uint8Array(target, 0, section.text);
      }
      this.targets.give(target);
    }
  }

  close(): void {
    this.guesses.close();
    this.ahead.close();
    this.pages.close();
    void this.codecs.close();
  }

  /** Begins guesses until the input ends. */
  private async guessAll(): Promise<void> {
    const { guesses, pages, sizes } = this;
    try {
      for (let at = 0, section = 0; await guesses.room(); section++) {
        const count = Math.round(sizes.text / this.ratio / sizes.page);
        const bytes = sizes.page * Math.max(1, Math.min(count, sizes.sectionPages));
        const after = sizes.page * sizes.pagesAfter;
        await pages.readTo(at + bytes + after);
        if (at >= pages.end) break;
        const end = Math.min(at + bytes, pages.end);
        const isSearched = at > 0 && (this.misses < MISSES.most || section % MISSES.searched === 0);
        guesses.put({ end, guess: isSearched ? this.guess(at, end, end + after) : Promise.resolve(null) });
        at = end;
      }
    } catch (error) {
      const guess = Promise.reject(error);
      // Handled in confirmAll().
      quiet(guess);
      guesses.put({ end: pages.end, guess });
    }
    guesses.end();
  }

  private guess(base: number, end: number, to: number): Promise<GuessedSection | null> {
    const target = this.targets.take(2 * this.sizes.room);
    const input = this.pages.ranges(base, Math.min(to, this.pages.end));
    const guess = this.codecs
      .perform({ kind: 'guess', input, base, stop: 8 * end, searched: Math.min(end - base, MOST_SEARCHED), target })
      .then((outcome) => {
        const { section } = outcome as Guessed;
        if (section !== null) return { section, target };
        this.misses++;
        this.targets.give(target);
        return null;
      });
    // Handled in confirmAll().
    quiet(guess);
    return guess;
  }

  /** Begins the text of all sections, in order. */
  private async confirmAll(begin: Begin<Text>): Promise<void> {
    const { guesses, pages } = this;
    void this.guessAll();
    for (;;) {
      const next = await guesses.first();
      if (next === null) break;
      const guess = await next.guess;
      let isUsed = false;
      if (guess !== null) {
        if (!(await this.inflateTo(guess.section.start, begin))) return;
        isUsed = this.confirms(guess);
        this.misses = isUsed ? 0 : this.misses + 1;
        if (!isUsed) this.targets.give(guess.target);
        else if (!(await this.use(guess, begin))) return;
      }
      if (!isUsed && !(await this.inflateTo(8 * next.end, begin))) return;
      guesses.remove();
      pages.drop(Math.min(this.firstByte(), next.end));
    }
    if (pages.isWhole && (await this.inflateTo(Infinity, begin))) this.checkEnd();
  }

  /** Whether a section begins where the text before it ends, and copies only text of its member. */
  private confirms({ section }: GuessedSection): boolean {
    const { place, history } = this;
    if (place.kind !== 'block' || place.open !== null) return false;
    return place.bit === section.start && section.reached <= history.length;
  }

  /** Begins to turn the symbols of a section into text. */
  private async use({ section, target }: GuessedSection, begin: Begin<Text>): Promise<boolean> {
    const { history } = this;
    this.pass(section, historyAfter(target, section.text, history));
    const ends = section.ends.map(({ text }) => text);
    return begin(async () => {
      const task = { kind: 'resolve', target, count: section.text, history, ends } as const;
      const { sums } = (await this.codecs.perform(task)) as Resolved;
      return { section, target, sums };
    });
  }

  /**
   * Inflates from the place where confirmed text ends to the first block that begins at or after bit `stop`, or to the
   * last byte that was read. Resolves to false if no more text is needed.
   */
  private async inflateTo(stop: number, begin: Begin<Text>): Promise<boolean> {
    for (;;) {
      const { pages, place, history } = this;
      if (this.isPadding) return this.passPadding();
      if (place.kind === 'block' && place.open === null && place.bit >= stop) return true;
      const base = this.firstByte();
      const to = Math.min(pages.end, base + MOST_INPUT);
      if (base >= to) return true;
      const target = this.targets.take(2 * this.sizes.room);
      const input = pages.ranges(base, to);
      const task = { kind: 'gunzip', input, base, from: place, stop, history, target } as const;
      const section = (await this.codecs.perform(task)) as GzipSection;
      this.pass(section, historyAfterBytes(target, section.text, history));
      if (!(await begin(() => Promise.resolve({ section, target, sums: section.sums })))) return false;
      if (isDamaged(section)) throw this.damaged(section.why);
      if (section.why === 'not gzip') await this.beginPadding();
      else if (section.why === 'needs input' && to === pages.end) return true;
    }
  }

  /** Goes to the end of a confirmed section. `history`: the text before its end. */
  private pass(section: GzipSection, history: Uint8Array): void {
    const { start, place, text, ends } = section;
    const last = ends.at(-1);
    if (last !== undefined) this.memberBegin = last.byte;
    const own = last === undefined ? HISTORY_BYTES : text - last.text;
    this.history = history.subarray(Math.max(0, history.length - own));
    this.place = place;
    const bytes = (bitOf(place) - start) / 8;
    if (bytes > 0 && text > 0) this.ratio += (text / bytes - this.ratio) / 4;
  }

  /** The first byte that has not been inflated. */
  private firstByte(): number {
    return Math.floor(bitOf(this.place) / 8);
  }

  /** Called when bytes follow that begin no member. */
  private async beginPadding(): Promise<void> {
    const at = this.firstByte();
    const [range] = this.pages.ranges(at, at + 1);
    if (at === 0 || new Uint8Array(range.memory)[range.from] !== 0) throw await this.notGzip(at);
    this.isPadding = true;
  }

  /** Passes the zeros that were read. */
  private async passPadding(): Promise<boolean> {
    for (const { memory, from, to } of this.pages.ranges(this.firstByte(), this.pages.end)) {
      const other = new Uint8Array(memory, from, to - from).findIndex((byte) => byte !== 0);
      if (other >= 0) throw await this.notGzip(this.firstByte() + other);
      this.place = { kind: 'header', byte: this.firstByte() + to - from };
    }
    return true;
  }

  /** Throws unless the input ends after a member. */
  private checkEnd(): void {
    const { place, pages } = this;
    if (place.kind === 'header' && place.byte === pages.end) return;
    throw cutOffInput(this.input.label, pages.end, 'gzip member', this.memberBegin + 1);
  }

  private damaged(why: string): Error {
    return damagedInput(this.input.label, `: the gzip member at byte ${this.memberBegin + 1} is damaged: ${why}`);
  }

  /** The error for byte `byte`, where no member begins. */
  private async notGzip(byte: number): Promise<Error> {
    const { pages } = this;
    await pages.readTo(byte + SHOWN_BYTES);
    const ranges = pages.ranges(byte, Math.min(pages.end, byte + SHOWN_BYTES));
    const head = Buffer.concat(ranges.map(({ memory, from, to }) => new Uint8Array(memory, from, to - from)));
    return notAPart(this.input, 'gzip member', byte, head);
  }
}

/** The first bit after a place. */
function bitOf(place: GzipPlace): number {
  return place.kind === 'block' ? place.bit : 8 * place.byte;
}

/** Like historyAfter, for text that is known. */
function historyAfterBytes(target: SharedArrayBuffer, bytes: number, history: Uint8Array): Uint8Array {
  const own = Math.min(bytes, HISTORY_BYTES);
  const kept = history.subarray(Math.max(0, history.length + own - HISTORY_BYTES));
  const next = new Uint8Array(kept.length + own);
  next.set(kept);
  next.set(new Uint8Array(target, bytes - own, own), kept.length);
  return next;
}

/** Checks the text of members against their trailers. */
class MemberCheck {
  private readonly label: string;
  private begin = 0;
  private sum = 0;
  private length = 0;

  constructor(label: string) {
    this.label = label;
  }

  /** `sums`: the checksums of the text before each end of a member, and after the last one. */
  check({ text, ends }: GzipSection, sums: readonly number[]): void {
    let from = 0;
    for (const [i, { text: to, crc, length, byte }] of ends.entries()) {
      this.add(sums[i], to - from);
      if (this.sum !== crc || this.length % 2 ** 32 !== length)
        throw damagedInput(
          this.label,
          `: the gzip member at byte ${this.begin + 1} is damaged: its checksum or length is wrong`,
        );
      [this.begin, this.sum, this.length] = [byte, 0, 0];
      from = to;
    }
    this.add(sums[ends.length], text - from);
  }

  private add(sum: number, bytes: number): void {
    this.sum = combineCrc(this.sum, sum, bytes);
    this.length += bytes;
  }
}

/** The text of `reader`, which begins with gzip, and which it owns. Throws the errors of decompression. */
export function inflateGzip(reader: ByteSource, options: GzipOptions, sizes = GZIP_SIZES): ByteSource {
  const pages = new CompressedPages(reader, sizes.page);
  let inner: ByteSource | null = null;
  let closed = false;
  return {
    read: async () => {
      if (inner === null) {
        await pages.readTo(sizes.least);
        if (closed) return null;
        inner = pages.isWhole ? openInflated(pages.reread(), options, gzipText) : new GzipReader(pages, options, sizes);
      }
      return inner.read();
    },
    close: () => {
      closed = true;
      (inner ?? pages).close();
    },
  };
}
