/** --index: the index that is written beside a BGZF file. */
import { bgzfFile } from '../codecs/bgzf.js';
import type { FormatName } from '../job.js';
import type { Destination } from './destination.js';
import { bamIndex } from './index/bam.js';
import { tabixIndex } from './index/tabix.js';

export interface IndexFile {
  /** The next bytes of the file, before they are compressed. */
  text(block: Uint8Array): void;
  /** The next BGZF block holds so many bytes of the text, and takes so many of the file. */
  block(textBytes: number, compressedBytes: number): void;
  /** Writes the index to a temporary file, once all blocks are known. */
  write(): Promise<void>;
  /** Puts the index in place. */
  finish(): Promise<void>;
}

/** The level that htslib uses. */
const LEVEL = 6;

/** The index of the file `name`. `open` opens the file of the index; it is called by `write`. */
export function indexBeside(format: FormatName, name: Buffer, open: (name: Buffer) => Promise<Destination>): IndexFile {
  const index = format === 'bam' ? bamIndex('auto') : tabixIndex(format as 'bed' | 'vcf' | 'gff');
  let destination: Destination | null = null;
  let written = 0;
  return {
    text: (block) => index.text(block),
    block: (textBytes, compressedBytes) => index.block(textBytes, compressedBytes),
    write: async () => {
      const bytes = index.finish();
      const file = index.kind === 'bai' ? bytes : bgzfFile(bytes, LEVEL);
      written = file.length;
      destination = await open(Buffer.concat([name, Buffer.from(`.${index.kind}`)]));
      await destination.write(file);
    },
    finish: async () => {
      await destination?.finish(written);
    },
  };
}
