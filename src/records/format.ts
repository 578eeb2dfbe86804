/** Finds the ends of records on the host; each format has its own file. (Engines find them in their tokenize stage.) */
import type { RecordFormat } from '../job/job.js';
import { fixedFinder } from './fixed.js';
import { linesFinder } from './lines.js';
import type { RecordFinder } from './record-finder.js';

export function recordFinder(format: RecordFormat): RecordFinder {
  return format.kind === 'lines' ? linesFinder(format.delimiter) : fixedFinder(format.size);
}
