/**
 * A sample with its records as engines hold them, and statistics from which the planner chooses a GPU's sort. A
 * separate thread takes the statistics, because the driver blocks the main thread while it starts the GPU. Knows no
 * plan.
 */

import type { Ordering } from '../job/ordering.js';
import { type SampleStatistics, statisticsOf } from '../plan/statistics.js';
import { recordFinder } from '../records/record-finder.js';
import { explainMemory } from '../system/errors.js';
import { inOneStep } from '../system/resumable.js';
import { createCrew } from '../system/threads/crew.js';
import { engineRecords } from './keyed-bytes.js';
import { NEIGHBORS, type SampledFile, type SampleWindows, sampleFiles } from './sample.js';

/** What is sampled: records that were read ahead, as sampleParts lists them, and files that are read by position. */
export interface SampledInput {
  readonly ahead: readonly (readonly Uint8Array[])[];
  readonly files: readonly SampledFile[];
}

/** Records, a list for each sampled place. */
export type SampledRecords = readonly (readonly Uint8Array[])[];

/** Records as they are read. */
export function sampleRecords(
  { ahead, files }: SampledInput,
  { format }: Ordering,
  windows: SampleWindows,
): SampledRecords {
  return [...ahead, ...sampleFiles(files, recordFinder(format), windows)];
}

/** The role `sample` of src/run/worker.ts. Null: there are too few records. */
export function openSampleWorker(ordering: Ordering): (input: SampledInput) => SampleStatistics | null {
  return (input) => statisticsOf(engineRecords(sampleRecords(input, ordering, NEIGHBORS), ordering), ordering);
}

/** Statistics of neighboring records, which show ties and order. `workers`: 1, or 0 if the process has no thread. */
export async function sampleStatistics(
  input: SampledInput,
  ordering: Ordering,
  workers: number,
): Promise<SampleStatistics | null> {
  const crew = createCrew({
    workers,
    role: { name: 'sample', data: ordering },
    helps: false,
    perform: inOneStep(openSampleWorker(ordering)),
    explain: (error) => explainMemory(error),
  });
  try {
    return await crew.perform(input);
  } finally {
    // Ending a thread takes milliseconds, and nothing needs to wait for it.
    void crew.close();
  }
}
