/** The library: `import { sort, sortFile, createSorter } from 'gpusort'`. docs/library.md describes it. */
export { createSorter, sort, sortFile } from './library/sorter.js';
export type {
  PathLike,
  Size,
  Sorter,
  SortInput,
  SortOptions,
  SortOutput,
  SortProgress,
  SortResult,
  SortSettings,
  StreamInput,
  WebReadable,
  WebWritable,
} from './library/types.js';
export type { Phase } from './report/recorder.js';
export type {
  DigestStatistics,
  StageStatistics,
  Statistics,
  TiesStatistics,
  TilesStatistics,
  VerificationStatistics,
} from './report/statistics.js';
export { type ErrorCode, GpusortError } from './system/errors.js';
