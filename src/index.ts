/** The library: `import { sort, sorted, createSort } from 'gpusort'`. docs/library.md describes it. */
export { createSort, createSorter, sort, sorted, sortedLines, sortFile } from './library/sorter.js';
export type {
  AlgorithmName,
  BinaryKey,
  FieldKey,
  GenomicsOrder,
  JsonKey,
  KeyLetters,
  KeyObject,
  LineEncoding,
  LineSettings,
  NumberTypeName,
  PathLike,
  Size,
  SortDuplex,
  SortedLine,
  SortedReadable,
  Sorter,
  SortInput,
  SortOptions,
  SortOutput,
  SortProgress,
  SortResult,
  SortSettings,
  SortStream,
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
