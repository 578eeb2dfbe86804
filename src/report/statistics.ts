/** The object that --stats=json prints, with all its types; docs/json.md describes each field. */

export interface Statistics {
  readonly schemaVersion: number;
  readonly gpusortVersion: string;
  readonly exitStatus: number;
  readonly wallMs: number;
  readonly peakMemoryBytes: number;
  readonly stages: readonly StageStatistics[];
  readonly device?: { readonly sentBytes: number; readonly readBackBytes: number; readonly kernels: readonly string[] };
  readonly ties?: TiesStatistics;
  readonly tiles?: TilesStatistics;
  readonly verification?: VerificationStatistics;
  readonly notes: readonly string[];
}

export interface StageStatistics {
  readonly stage: string;
  readonly spans: number;
  readonly firstStartMs: number;
  readonly lastEndMs: number;
  readonly busyMs: number;
  readonly waitingMs: number;
  readonly bytes: number;
  readonly bytesPerSecond: number | null;
  readonly busyFromToMs: readonly (readonly number[])[];
}

export interface TiesStatistics {
  readonly records: number;
  readonly keyBytes: number;
  readonly tied: number;
  readonly refinementRounds: number;
  readonly blockSortTextReads: number | null;
  readonly mergeTextReads: readonly number[];
  readonly runsByLog2Length: readonly number[];
  readonly longestRun: number;
  readonly sharedBytes: readonly number[];
}

export interface TilesStatistics {
  readonly sorted: number;
  readonly mergedByLevel: readonly number[];
  readonly settledInPlaceByLevel: readonly number[];
  readonly copied: number;
}

export interface VerificationStatistics {
  readonly input: DigestStatistics;
  readonly output: DigestStatistics;
  readonly sameRecords: boolean;
  readonly stages: readonly {
    readonly stage: string;
    readonly recordsIn: number;
    readonly recordsOut: number;
    readonly recordsDropped: number;
  }[];
}

export interface DigestStatistics {
  readonly records: number;
  readonly bytes: number;
  readonly hash: string;
}

/**
 * The version of the JSON that --stats=json and --explain=json print (docs/json.md). Raise it when a field disappears
 * or changes its name, type, unit or meaning; a new field does not raise it.
 */
export const SCHEMA_VERSION = 1;
