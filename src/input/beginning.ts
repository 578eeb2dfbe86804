/**
 * Opens inputs that are read sequentially, and the first one before there is a plan: its header may complete the job,
 * and its first records are the planner's sample.
 */

import type { RecordFinder } from '../records/record-finder.js';
import type { Recorder } from '../report/recorder.js';
import { type InputFile, positional } from './files.js';
import { openText } from './framed.js';
import type { Headers } from './header.js';
import { SequentialRecords } from './sequential-records.js';

/** An open input that is read sequentially. */
export interface BegunInput {
  readonly input: InputFile;
  readonly records: SequentialRecords;
}

export interface Beginning {
  /** The first input with content, if it is read sequentially; null: it is read by position, or there is none. */
  readonly first: BegunInput | null;
  /** The inputs that are not open yet, without empty ones before the first. */
  readonly rest: readonly InputFile[];
}

/** Opens the first input with content if it is read sequentially. `headers`: as for openSequential. */
export async function openBeginning(
  inputs: readonly InputFile[],
  finder: RecordFinder,
  headers: Headers | null,
  recorder: Recorder,
): Promise<Beginning> {
  for (const [i, input] of inputs.entries()) {
    if (positional(input) !== null) return { first: null, rest: inputs.slice(i) };
    const records = await openSequential(input, finder, headers, recorder);
    const rest = inputs.slice(i + 1);
    try {
      if (rest.length === 0 || (await records.peek(0)) !== 'end') return { first: { input, records }, rest };
    } catch (error) {
      records.close();
      throw error;
    }
    records.close();
  }
  return { first: null, rest: [] };
}

/** The records of an input from beginning to end. `headers` takes its header, which is not passed on. */
export async function openSequential(
  input: InputFile,
  finder: RecordFinder,
  headers: Headers | null,
  recorder: Recorder,
): Promise<SequentialRecords> {
  return new SequentialRecords(await openText(input, headers, { isOnly: true }), input.label, finder, recorder);
}
