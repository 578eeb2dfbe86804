/**
 * --check=orders: reads an input once and lists which orders of its format it is in and, for the others, the first
 * record that is out of order. The kernels of --verify compare neighbours, as for -c.
 */
import { recordAt, windowComparison } from './check.js';
import type { InputFile } from './input/files.js';
import { type Headers, refuseEmpty, withHeader } from './input/header.js';
import { textBytes } from './input/keyed-bytes.js';
import { RecordWindows } from './input/record-windows.js';
import type { Genomics, Ordering, SortJob, ToolName } from './job/job.js';
import { partsOf } from './keys/orders.js';
import { openSink } from './output/sink.js';
import { FORMATS } from './records/formats.js';
import { recordName } from './records/shown.js';
import type { Recorder } from './report/recorder.js';
import { rest } from './system/promises.js';

/** An order to try, and the name that it is listed by. */
interface Candidate {
  readonly name: string;
  readonly genomics: Genomics;
}

/** Writes the list to the output of the job. */
export async function nameOrders(
  job: SortJob,
  input: InputFile,
  headers: Headers | null,
  recorder: Recorder,
): Promise<void> {
  const windows = new RecordWindows(await textBytes(input, headers), job.ordering.format, input.extent !== null);
  const broken = new Map<string, string>();
  try {
    const checks = candidatesOf(job.input.genomics!).map(({ name, genomics }) => ({
      name,
      compare: windowComparison(withHeader(orderingOf(job, genomics), headers, job.input)),
    }));
    for (let window = await windows.next(), first = 1; window !== null; window = await windows.next()) {
      await rest();
      let records = 0;
      for (const { name, compare } of checks) {
        if (broken.has(name)) continue;
        const found = await compare(window);
        records = found.records;
        if (found.disorder === null) continue;
        const { record, byte } = found.disorder;
        const shown = recordName(job.input.genomics!.format, recordAt(job.ordering, window, byte));
        broken.set(name, `record ${first + record} sorts before record ${first + record - 1}: ${shown}`);
      }
      if (broken.size === checks.length) break;
      first += records - 1;
      recorder.advance('checking', windows.added, input.extent === null ? undefined : input.extent.end);
    }
    refuseEmpty(job.input, headers);
    const lines = checks.map(({ name }) => {
      const why = broken.get(name);
      return why === undefined ? `${name}: in order\n` : `${name}: not in order: ${why}\n`;
    });
    const sink = await openSink({ ...job, output: { ...job.output, compression: null, mates: [] } }, recorder);
    await sink.write(Buffer.from(lines.join(''), 'latin1'));
    await sink.finish();
  } finally {
    await windows.close();
  }
}

/** Orders of alignments: how they are listed, `--by` and `--as`. */
const ALIGNMENT_ORDERS: readonly (readonly [name: string, by: string, as: ToolName | null])[] = [
  ['coordinate', 'coordinate', null],
  ['queryname (natural)', 'queryname', null],
  ['queryname-ascii', 'queryname-ascii', null],
  ['coordinate (picard)', 'coordinate', 'picard'],
  ['queryname (picard)', 'queryname', 'picard'],
];

function candidatesOf(genomics: Genomics): Candidate[] {
  const { format } = genomics;
  return format === 'sam' || format === 'bam'
    ? ALIGNMENT_ORDERS.map(([name, by, as]) => ({ name, genomics: { ...genomics, by, as } }))
    : FORMATS[format].orders.map((by) => ({ name: by, genomics: { ...genomics, by, as: null } }));
}

/**
 * The job's ordering by another order of its format, without -r. Intervals have one order; the job's own parts have the
 * list of --contigs.
 */
function orderingOf({ ordering, input: { contigs } }: SortJob, genomics: Genomics): Ordering {
  const { key } = ordering;
  const parts =
    contigs !== null && 'parts' in key
      ? key.parts.map((part) => ({ ...part, reverse: false }))
      : partsOf(genomics, null);
  return { ...ordering, key: { kind: 'normalised', parts, seed: null } };
}
