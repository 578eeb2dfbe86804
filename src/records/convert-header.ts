/** The header of converted alignments: from SAM to BAM, and back. */
import type { AlignmentFormat } from '../job/job.js';
import { displayName } from '../report/names.js';
import { GpusortError } from '../system/errors.js';
import { bamHeaderBytes, contigsOf, readBamHeader } from './headers.js';

interface ConvertedHeader {
  /** The header in the other format. */
  readonly bytes: Uint8Array;
  /** The names of the contigs in their order, each followed by a newline. */
  readonly contigs: Uint8Array;
}

/** BAM stores the lengths of contigs in 31 bits. */
const MOST_LENGTH = 2 ** 31 - 1;

/** Converts a whole header. `label` names the input in messages. Throws `bad-records`. */
export function convertHeader(to: AlignmentFormat, header: Uint8Array, label: string): Promise<ConvertedHeader> {
  return to === 'bam' ? headerOfBam(header, label) : headerOfSam(header, label);
}

/** The references are those of the @SQ lines. */
async function headerOfBam(header: Uint8Array, label: string): Promise<ConvertedHeader> {
  const contigs = contigsOf('sam', header, null, label);
  const text = Buffer.from(header).toString('latin1').replace(/\r\n/g, '\n');
  const lengths = text
    .split('\n')
    .filter((line) => line.startsWith('@SQ\t'))
    .map((line) => Number(/\tLN:(\d+)(?:\t|$)/.exec(line)?.[1] ?? Number.NaN));
  const references = namesIn(contigs).map((name, i) => {
    const length = lengths[i];
    if (!(length <= MOST_LENGTH))
      throw new GpusortError(
        'bad-records',
        `${label}: contig ${displayName(name)} has no length (LN) that BAM can hold`,
        {
          hint: 'Give its length in the @SQ line, up to 2147483647, or write SAM.',
        },
      );
    return { name, length };
  });
  return { bytes: bamHeaderBytes(Buffer.from(text, 'latin1'), references), contigs };
}

async function headerOfSam(header: Uint8Array, label: string): Promise<ConvertedHeader> {
  let whole: Uint8Array | null = header;
  const read = async (): Promise<Uint8Array | null> => {
    const bytes = whole;
    whole = null;
    return bytes;
  };
  const { text, references } = await readBamHeader(read, label);
  const broken = references.find(({ name }) => /[\t\n\r]/.test(name.toString('latin1')));
  if (broken !== undefined)
    throw new GpusortError(
      'bad-records',
      `${label}: the header has a contig that SAM cannot name: ${displayName(broken.name)}`,
    );
  const contigs = Buffer.concat(references.flatMap(({ name }) => [name, Buffer.from('\n')]));
  return { bytes: text, contigs };
}

/** The names of a list of contigs. */
export function namesIn(contigs: Uint8Array): Buffer[] {
  const names: Buffer[] = [];
  for (let at = 0; at < contigs.length; ) {
    const end = contigs.indexOf(10, at);
    names.push(Buffer.from(contigs.subarray(at, end)));
    at = end + 1;
  }
  return names;
}
