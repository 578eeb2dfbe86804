/** The inputs of a sort into BAM whose records stay as they are, and the header of its output. */
import { Declined } from '../contract/engine.js';
import type { InputFile } from '../input/files.js';
import { type Headers, headerToWrite } from '../input/header.js';
import type { Inputs } from '../input/inputs.js';
import { storedSize } from '../input/stored-size.js';
import type { SortJob } from '../job/job.js';
import { convertHeader, namesIn } from '../records/convert-header.js';
import { GpusortError } from '../system/errors.js';

export interface BamInputs {
  readonly files: readonly InputFile[];
  readonly headers: Headers;
  /** The header as it is written: of BAM, or of SAM if the output is converted. */
  readonly header: Uint8Array;
  /** Bytes of the header in the text of the output. */
  readonly headerBytes: number;
  /** The number of references that each header lists. */
  readonly references: number;
  /**
   * If the inputs are SAM: the names of the references in their order, each followed by a newline. Null: they are BAM.
   */
  readonly contigs: Uint8Array | null;
  /** The bytes of all inputs as they are stored, and whether these are all: no pipe goes on. */
  readonly bytes: number;
  readonly isWhole: boolean;
}

/** Throws Declined if records would have to change to match the header. */
export async function bamInputs(job: SortJob, inputs: Inputs): Promise<BamInputs> {
  const headers = headersAsTheyAre(inputs);
  const header = headerToWrite(job, headers)!();
  // A plan of this kind has read ahead in pipes: no more is needed.
  const { bytes, isWhole } = (await storedSize(inputs.files, 0))!;
  return { files: inputs.files, headers, header, bytes, isWhole, ...(await headerAsBam(headers, header)) };
}

/** The headers that were read. */
function headersAsTheyAre({ files, headers }: Inputs): Headers {
  if (headers === null) throw new Declined('there is no header');
  if (headers.unitesReferences) throw new Declined('the inputs list different references');
  if (files.some((file) => headers.renamingOf(file) !== null))
    throw new Declined('IDs of @RG or @PG lines must change');
  return headers;
}

/** The references of the output, and the bytes of its header as BAM. */
async function headerAsBam(
  headers: Headers,
  header: Uint8Array,
): Promise<Pick<BamInputs, 'references' | 'contigs' | 'headerBytes'>> {
  const { bam, label } = headers;
  if (bam !== null) return { references: bam.references.length, contigs: null, headerBytes: header.length };
  try {
    const { bytes, contigs } = await convertHeader('bam', header, label);
    return { references: namesIn(contigs).length, contigs, headerBytes: bytes.length };
  } catch (error) {
    throw declinedHeader(error);
  }
}

/** The general path may find a problem of an input or of its records first. */
function declinedHeader(error: unknown): unknown {
  return error instanceof GpusortError ? new Declined(`of a header: ${error.message}`) : error;
}
