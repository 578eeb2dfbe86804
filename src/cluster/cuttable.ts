/** What is cut at splitters: stored runs of shares, and the inputs of -m. */

import type { Position, SampledRecord } from '../engines/contract.js';
import type { Digest } from '../report/digest.js';

/** A record that begins a range: record `byte` of share, or input, `share`. */
export interface Splitter {
  readonly share: number;
  readonly byte: number;
  /** As runs hold it, without delimiter. */
  readonly record: Uint8Array;
}

/** A place between two records, and what is before it. Of the inputs of -m, only the bytes before it are known. */
export interface Cut {
  readonly byte: number;
  readonly before: Digest;
}

export interface Cuttable {
  /** Of the share or the input. */
  readonly number: number;
  readonly begin: Cut;
  readonly end: Cut;
  /** At most about `most` of its records, evenly spread. `rangeBytes`: the wanted size of ranges. */
  samples(most: number, rangeBytes: number): Promise<SampledRecord[]>;
  /** The whole record at a position, as runs hold it. */
  record(at: Position): Promise<Uint8Array>;
  /**
   * Where it is cut by a splitter. `whole`: equal keys are not separated. Otherwise equal records are separated by their
   * place in the input, as in src/runs/partition.ts.
   */
  cut(splitter: Splitter, whole: boolean): Promise<Cut>;
  /** Frees what only cuts need. */
  endCuts(): void;
}
