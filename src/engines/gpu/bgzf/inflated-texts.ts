/**
 * Takes a BGZF file stretch by stretch: finds its blocks, and inflates them into texts. An incomplete block at the end
 * of a stretch begins the next one, and what a text's taker leaves of it begins the next text.
 */
import { Declined } from '../../../contract/engine.js';
import { formatBytes } from '../../../report/units.js';
import type { Gpu } from '../device/device.js';
import { copyWords, readWords, send, submitPass } from '../device/dispatch.js';
import type { Scratch } from '../device/pool.js';
import { copyOnDevice, loadCopyBytes } from '../records/copy-bytes.js';
import { textBufferBytes } from '../records/records.js';
import { blocksOnDevice, type DeviceBlock, loadBlocks } from './blocks.js';
import { inflateOnDevice, loadInflate } from './inflate.js';

/** Bytes before a stretch in its buffer: room for what the previous stretch leaves over, at most a block. */
export const REST_BYTES = 2 ** 16 + 4;

/** Words of a block in `places`, and where in them its text begins and ends (inflate.ts). */
const PLACE_WORDS = 4;
const TEXT_BEGIN = 2;
const TEXT_END = 3;
/** Maximum bytes of the first text. It shows how fast the device is, and a slow device must be recognized soon. */
const FIRST_TEXT = 2 ** 27;

/** The first `bytes` bytes of a buffer. */
interface DeviceBytes {
  readonly text: GPUBuffer;
  readonly bytes: number;
}

/** A text, and the places of the blocks that it was inflated from (inflateOnDevice). */
export interface InflatedText extends DeviceBytes {
  readonly places: Uint32Array<ArrayBuffer>;
  /** Whether the text is the end of a file, and was completed. */
  readonly isLast: boolean;
}

interface TextOptions {
  /** Bytes of the blocks that are inflated together, and the maximum bytes of a text: these and what was left over. */
  readonly groupBytes: number;
  readonly textBytes: number;
  /** Bytes of text that the device must inflate in a second; otherwise the file is declined. 0: it need not be fast. */
  readonly leastRate: number;
  /** Returns how many bytes of a text are whole records. The rest begins the next text. */
  cut(text: InflatedText): Promise<number>;
  /** Takes a text of whole records, and its buffer. */
  take(text: DeviceBytes): Promise<void>;
}

/** Compiles what `InflatedTexts` needs. */
export function loadInflatedTexts(gpu: Gpu): Promise<unknown> {
  return Promise.all([loadBlocks(gpu), loadInflate(gpu), loadCopyBytes(gpu)]);
}

export class InflatedTexts {
  private readonly scratch: Scratch;
  private readonly options: TextOptions;
  /** Bytes at the beginning of the file that are left out. */
  private skipped = 0;
  /** The end of the last stretch, which is an incomplete block. It ends at byte REST_BYTES of the buffer. */
  private restOfFile: DeviceBytes | null = null;
  private restOfText: DeviceBytes | null = null;
  private isTimed = false;
  private endsEmpty = false;

  constructor(scratch: Scratch, options: TextOptions) {
    this.scratch = scratch;
    this.options = options;
  }

  /** Begins a file whose first `skipped` bytes of text are left out. */
  begin(skipped: number): void {
    this.skipped = skipped;
    this.endsEmpty = false;
  }

  /** Takes the file's next `bytes` bytes, which begin at byte REST_BYTES of `compressed`. Throws Declined. */
  async add(compressed: GPUBuffer, bytes: number): Promise<void> {
    const { scratch } = this;
    const begin = REST_BYTES - (this.restOfFile?.bytes ?? 0);
    if (this.restOfFile !== null) {
      copyWords(scratch.gpu, { buffer: this.restOfFile.text, at: 0 }, { buffer: compressed, at: 0 }, REST_BYTES);
      scratch.drop(this.restOfFile.text);
    }
    const end = REST_BYTES + bytes;
    const found = await blocksOnDevice(scratch, compressed, begin, end);
    for (const blocks of this.groupsOf(found.blocks)) await this.addText(compressed, blocks);
    const last = found.blocks.at(-1);
    if (last !== undefined) this.endsEmpty = last.textBytes === 0;
    await this.keepRest(compressed, found.end, end);
  }

  /**
   * Ends a file. If the last record lacks the byte that ends it, adds this `delimiter`. Throws Declined if the file is
   * cut off.
   */
  async end(delimiter: number | null): Promise<void> {
    const { restOfText: rest } = this;
    if (this.restOfFile !== null || this.skipped > 0 || !this.endsEmpty) throw new Declined('a file is cut off');
    if (rest === null) return;
    if (delimiter !== null) {
      this.restOfText = null;
      await this.pass({ ...(await this.completed(rest, delimiter)), places: new Uint32Array(), isLast: true });
    }
    if (this.restOfText !== null) throw new Declined('a file is cut off');
  }

  /** The text, which ends with `delimiter`. */
  private async completed({ text, bytes }: DeviceBytes, delimiter: number): Promise<DeviceBytes> {
    const { scratch } = this;
    const at = bytes - 1;
    const [word] = await readWords(scratch.gpu, [{ buffer: text, at: at >>> 2 }]);
    if (((word! >>> (8 * (at % 4))) & 0xff) === delimiter) return { text, bytes };
    this.checkBytes(bytes + 1);
    const longer = await scratch.take(textBufferBytes(bytes + 1), 'last record');
    const last = await scratch.take(16, 'last delimiter');
    send(scratch.gpu, last, 0, Uint32Array.of(delimiter));
    submitPass(scratch.gpu, 'tokenize', 'last record', (pass) => {
      copyOnDevice(scratch.gpu, pass, { text, at: 0 }, { text: longer, at: 0 }, bytes);
      copyOnDevice(scratch.gpu, pass, { text: last, at: 0 }, { text: longer, at: bytes }, 1);
    });
    scratch.drop(text);
    scratch.drop(last);
    return { text: longer, bytes: bytes + 1 };
  }

  /** Divides blocks into groups. */
  private *groupsOf(blocks: readonly DeviceBlock[]): Generator<readonly DeviceBlock[], void> {
    const { groupBytes } = this.options;
    const most = Math.min(FIRST_TEXT, groupBytes);
    let first = 0;
    for (let bytes = 0; !this.isTimed && first < blocks.length; first++) {
      bytes += blocks[first].textBytes;
      if (first > 0 && bytes > most) break;
    }
    if (first > 0) yield blocks.slice(0, first);
    yield* evenGroups(blocks.slice(first), groupBytes);
  }

  /** Keeps the incomplete block at the end of a stretch. */
  private async keepRest(compressed: GPUBuffer, from: number, end: number): Promise<void> {
    const bytes = end - from;
    if (bytes > REST_BYTES - 4) throw new Declined('a block of BGZF is not as htslib writes it');
    this.restOfFile = null;
    if (bytes === 0) return;
    const text = await this.scratch.take(REST_BYTES, 'rest of a stretch');
    // Only the last stretch may end inside a word, and nothing follows it.
    const words = Math.ceil(end / 4) * 4 - (from & ~3);
    copyWords(this.scratch.gpu, { buffer: compressed, at: from & ~3 }, { buffer: text, at: REST_BYTES - words }, words);
    this.restOfFile = { text, bytes };
  }

  /** Inflates blocks into a new text, after the rest of the previous text, and passes it on. */
  private async addText(compressed: GPUBuffer, blocks: readonly DeviceBlock[]): Promise<void> {
    const { restOfText: rest, scratch } = this;
    const { gpu } = scratch;
    const places = new Uint32Array(PLACE_WORDS * blocks.length);
    let end = rest?.bytes ?? 0;
    blocks.forEach(({ from, to, textBytes }, i) => {
      places.set([from, to, end, end + textBytes], PLACE_WORDS * i);
      end += textBytes;
    });
    this.checkBytes(end);
    const text = await scratch.take(textBufferBytes(end), 'text of BGZF');
    if (rest !== null) {
      submitPass(gpu, 'tokenize', 'rest of a text', (pass) => {
        copyOnDevice(gpu, pass, { text: rest.text, at: 0 }, { text, at: 0 }, rest.bytes);
      });
      scratch.drop(rest.text);
      this.restOfText = null;
    }
    gpu.timer?.handles(end, 'inflate', 'tokenize');
    const start = performance.now();
    const { status, crcs } = await inflateOnDevice(scratch, compressed, places, text);
    if (!this.isTimed) this.checkRate((1000 * end) / (performance.now() - start));
    if (blocks.some(({ crc }, i) => status[i] !== 0 || crcs[i] !== crc)) throw new Declined('a block is damaged');
    await this.pass(await this.withoutHeader({ text, bytes: end, places, isLast: false }));
  }

  /** The text without what is left out of it. */
  private async withoutHeader(whole: InflatedText): Promise<InflatedText> {
    const skipped = Math.min(this.skipped, whole.bytes);
    if (skipped === 0) return whole;
    this.skipped -= skipped;
    const { text, bytes } = await this.copyOf(whole, skipped);
    this.scratch.drop(whole.text);
    const places = whole.places.map((place, i) =>
      i % PLACE_WORDS === TEXT_BEGIN || i % PLACE_WORDS === TEXT_END ? Math.max(0, place - skipped) : place,
    );
    return { ...whole, text, bytes, places };
  }

  /** Passes on the whole records of a text, and keeps the rest. */
  private async pass(text: InflatedText): Promise<void> {
    const { scratch, options } = this;
    const used = text.bytes === 0 ? 0 : await options.cut(text);
    this.restOfText = used === text.bytes ? null : await this.copyOf(text, used);
    if (used === 0) scratch.drop(text.text);
    else await options.take({ text: scratch.keep(text.text), bytes: used });
  }

  /** A copy of a text from byte `from` on. */
  private async copyOf(whole: DeviceBytes, from: number): Promise<DeviceBytes> {
    const { scratch } = this;
    const bytes = whole.bytes - from;
    const text = await scratch.take(textBufferBytes(bytes), 'rest of a text');
    submitPass(scratch.gpu, 'tokenize', 'rest of a text', (pass) => {
      copyOnDevice(scratch.gpu, pass, { text: whole.text, at: from }, { text, at: 0 }, bytes);
    });
    return { text, bytes };
  }

  /** Throws Declined if a text has too many bytes. */
  private checkBytes(bytes: number): void {
    if (bytes > this.options.textBytes) throw new Declined('a record is too long');
  }

  /** Throws Declined if the device inflates too slowly. `rate`: bytes of text in a second. */
  private checkRate(rate: number): void {
    this.isTimed = true;
    if (rate >= this.options.leastRate) return;
    throw new Declined(
      `it inflates ${formatBytes(rate)}/s; at least ${formatBytes(this.options.leastRate)}/s is needed`,
    );
  }
}

/** Divides blocks into groups of about as many bytes, at most `mostBytes`: as few as possible, if blocks are short. */
function* evenGroups(blocks: readonly DeviceBlock[], mostBytes: number): Generator<readonly DeviceBlock[], void> {
  const all = blocks.reduce((sum, { textBytes }) => sum + textBytes, 0);
  const groups = Math.ceil(all / mostBytes);
  let group: DeviceBlock[] = [];
  let [bytes, before, done] = [0, 0, 1];
  for (const block of blocks) {
    const end = before + bytes + block.textBytes;
    // The end of all blocks is exactly that of the last group.
    if (group.length > 0 && (end > (all * done) / groups || end - before > mostBytes)) {
      yield group;
      group = [];
      before += bytes;
      bytes = 0;
      done++;
    }
    group.push(block);
    bytes += block.textBytes;
  }
  if (group.length > 0) yield group;
}
