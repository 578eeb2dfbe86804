/**
 * The types of gpusort/kernels, for programs that sort on a GPU device of their own. They refer only to types of
 * WebGPU.
 */

/**
 * Types of keys: unsigned and signed integers, and IEEE 754 numbers in the standard's total order: negative NaNs,
 * -Infinity, negative numbers, -0, 0, positive numbers, Infinity, NaNs. Keys of 64 and 128 bits have their low word
 * first, as in a BigUint64Array.
 */
export type KeyType = 'u32' | 'i32' | 'f32' | 'u64' | 'i64' | 'f64' | 'u128';

/** The keys that a sorter sorts. */
export interface SorterOptions {
  /** Default: `u32`. */
  readonly key?: KeyType | undefined;
  /** Whether each key has a value of 32 bits that moves with it. Default: false. */
  readonly values?: boolean | undefined;
  /** Whether larger keys come first. Equal keys still keep their order. Default: false. */
  readonly descending?: boolean | undefined;
}

/** Parameters of a radix sort that affect its speed, not its result. */
export interface RadixTuning {
  /**
   * Passes over the keys for each digit. `one` (one-sweep) is faster on devices that keep running all workgroups that
   * have begun. Default: `auto`, which is `one` on devices known to do so, with subgroups.
   */
  readonly sweep?: 'one' | 'two' | 'auto' | undefined;
  /** Whether kernels use subgroups if the device has the feature. Default: true. */
  readonly subgroups?: boolean | undefined;
  /**
   * From this number of keys on, digits in which no keys differ are found and skipped. To find them, `sort` waits for
   * the device once. Default: 2^18. Infinity: never. A recorded sort never skips digits.
   */
  readonly skipFrom?: number | undefined;
}

/** Parameters of sorts by tiles that affect their speed, not their result. */
export interface TileTuning {
  /** Keys per tile: a power of two from 64 to 2,048. Default: as many as fit into workgroup memory. */
  readonly tile?: number | undefined;
}

/** Parameters of merges that affect their speed, not their result. */
export interface MergeTuning {
  /**
   * How the device finds the keys of two runs that each workgroup merges. `binary`: one thread for each workgroup, by
   * binary search. `wide`: 32 threads, which compare neighboring keys in each step of a binary search. `parts`: 32
   * threads, which divide the rest of the search into 32 parts in each step. None needs subgroups. Default: `binary`.
   * `wide` is faster for two runs of about the same length, from 2^19 keys on.
   */
  readonly search?: 'binary' | 'wide' | 'parts' | undefined;
  /**
   * Whether a workgroup makes eight tiles of output one after another, with windows that move over both runs, so that
   * the device searches an eighth as often. Default: false, that is, one workgroup for each tile, which is faster on
   * the GPUs measured so far.
   */
  readonly windows?: boolean | undefined;
}

/** The keys of a radix sort, and its tuning. */
export interface RadixOptions extends SorterOptions {
  /** Parameters that affect only the speed. */
  readonly tuning?: RadixTuning | undefined;
}

/** The keys of a sort by tiles, and its tuning. */
export interface TileOptions extends SorterOptions {
  /** Parameters that affect only the speed. */
  readonly tuning?: TileTuning | undefined;
}

/** The keys of a merge, and its tuning. */
export interface MergeOptions extends SorterOptions {
  /** Parameters that affect only the speed. */
  readonly tuning?: MergeTuning | undefined;
}

/**
 * A part of a buffer, in the form that bind groups take. Several parts may lie in one buffer if they do not overlap.
 */
export interface BufferPart {
  /** The buffer that holds the part. */
  readonly buffer: GPUBuffer;
  /**
   * The offset of the part in bytes: a multiple of the device's limit `minStorageBufferOffsetAlignment`, which is 256
   * by default. Default: 0.
   */
  readonly offset?: number | undefined;
  /** The size of the part in bytes. Default: up to the end of the buffer. */
  readonly size?: number | undefined;
}

/** Keys in device memory, and their values. */
export interface KeyBuffers {
  /** The keys. Like all buffers here, the buffer needs the usages STORAGE, COPY_SRC and COPY_DST. */
  readonly keys: GPUBuffer | BufferPart;
  /** The values. Required if the sorter has values. */
  readonly values?: GPUBuffer | BufferPart | undefined;
}

/** The destination of the work. */
interface Recorded {
  /**
   * If given, the work is recorded into this encoder, in which no pass may be open, and nothing is submitted. The
   * promise then resolves when everything is recorded. Submit the encoder before the sorter is destroyed. Default: the
   * work is submitted.
   */
  readonly encoder?: GPUCommandEncoder | undefined;
}

/** The keys of one sort, and the buffers for the result. Quicksort cannot be recorded. */
export interface SortRequest extends KeyBuffers, Recorded {
  /**
   * The number of keys to sort. All other bytes of the buffers stay unchanged. Default: as many as `keys` has room for.
   */
  readonly count?: number | undefined;
  /**
   * The buffers that receive the result; `keys` and `values` then keep their contents. Default: the sort is in place.
   */
  readonly output?: KeyBuffers | undefined;
}

/**
 * Where segments begin. Key 0 always begins one. Buffers need the usage STORAGE. `flags`: bit i % 32 of word i / 32 is
 * set if key i begins a segment. `begins`: the index of the first key of each segment, in any order; duplicates and
 * indices from `count` on are ignored. `segments`: how many entries of `begins` are used; default: all.
 */
export type Segments =
  | { readonly flags: GPUBuffer | BufferPart }
  | { readonly begins: GPUBuffer | BufferPart | Uint32Array; readonly segments?: number | undefined };

/** The keys of one sort, and where their segments begin. */
export type SegmentedSortRequest = SortRequest & Segments;

/** The sorted runs of one merge, one after another. */
export interface MergeRequest extends KeyBuffers, Recorded {
  /** Run i is keys [bounds[i], bounds[i + 1]), in order. bounds[0] is 0. Runs may be empty. */
  readonly bounds: readonly number[];
  /** The buffers that receive the result, as in SortRequest. */
  readonly output?: KeyBuffers | undefined;
}

/** The times of a compute pass, measured by the device, in milliseconds on the clock of performance.now(). */
export interface PassTime {
  /** The name of the pass. */
  readonly label: string;
  /** When the pass began. */
  readonly start: number;
  /** When the pass ended. */
  readonly end: number;
}

/** Compiled kernels and scratch memory, for any number of requests. */
interface Compiled<Request> {
  /** The maximum number of keys of one request: as many as fit into a binding of the device. */
  readonly maxCount: number;
  /**
   * Like `sort` or `merge`, but also waits for the device. Resolves to the compute passes in order; to an empty array
   * if the device lacks the feature `timestamp-query`.
   */
  time(request: Request): Promise<PassTime[]>;
  /** Frees the scratch memory. Requests that have begun still finish. The caller's buffers and device stay usable. */
  destroy(): void;
}

/** A compiled sort. */
export interface Sorter<Request = SortRequest> extends Compiled<Request> {
  /**
   * Sorts stably. Resolves when all work is submitted: work that the caller submits after that finds the result. Until
   * then, the buffers belong to the sort. Rejects with a GpusortError.
   */
  sort(request: Request): Promise<void>;
}

/** A compiled sort of segments. */
export type SegmentedSorter = Sorter<SegmentedSortRequest>;

/** A compiled merge. */
export interface Merger extends Compiled<MergeRequest> {
  /** Merges sorted runs into one, stably: among equal keys, those of earlier runs come first. Otherwise like `sort`. */
  merge(request: MergeRequest): Promise<void>;
}

/** The arrays that `sortArray` sorts. */
export type SortableArray = Uint32Array | Int32Array | Float32Array | BigUint64Array | BigInt64Array | Float64Array;

/** The options of `sortArray`. */
export interface SortArrayOptions {
  /** One value for each key, which moves with it. */
  readonly values?: Uint32Array | Int32Array | Float32Array | undefined;
  /** Whether larger keys come first. Default: false. */
  readonly descending?: boolean | undefined;
}
