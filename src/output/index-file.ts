/** --index: the index that is written beside a BGZF file. */
import { bgzfFile } from '../codecs/bgzf.js';
import type { BlockSize } from '../contract/engine.js';
import type { FormatName } from '../job/job.js';
import { bamIndex } from './index/bam.js';
import { tabixIndex } from './index/tabix.js';
import type { Destination } from './writers.js';

export interface IndexFile {
  /** Where the index is written. */
  readonly file: Destination;
  /** The next bytes of the indexed file, before they are compressed. */
  text(block: Uint8Array): void;
  /** The positions of the next records of BAM, in place of their text; null: the text is needed. */
  readonly positions: ((positions: Uint8Array) => void) | null;
  /** The next BGZF block. */
  block(size: BlockSize): void;
  /** Writes the index, once all blocks are known; `file` is complete then. */
  complete(): Promise<void>;
}

/** The level that htslib uses. */
const LEVEL = 6;

/**
 * The index of the file `name`. `open` opens the file of the index: at once, to refuse a file that cannot be written
 * before any input is read, and again if long contigs require the other kind of index.
 */
export async function indexBeside(
  format: FormatName,
  kind: 'auto' | 'csi',
  name: Buffer,
  open: (name: Buffer) => Promise<Destination>,
): Promise<IndexFile> {
  const index = format === 'bam' ? bamIndex(kind) : tabixIndex(format as 'bed' | 'vcf' | 'gff', kind);
  const openKind = (): Promise<Destination> => open(Buffer.concat([name, Buffer.from(`.${index.kind}`)]));
  const usual = index.kind;
  let file = await openKind();
  return {
    get file() {
      return file;
    },
    text: (block) => index.text(block),
    positions: index.positions === undefined ? null : (positions) => index.positions!(positions),
    block: ({ text, bytes }) => index.block(text, bytes),
    complete: async () => {
      const built = index.finish();
      if (index.kind !== usual) {
        await file.abort();
        file = await openKind();
      }
      const bytes = index.kind === 'bai' ? built : bgzfFile(built, LEVEL);
      await file.write(bytes);
      await file.complete(bytes.length);
    },
  };
}
