/**
 * Sizes at which the GPU's sorts switch methods. src/engines/gpu is tuned with them, and the estimates of src/plan use
 * them (test/structure/imports.test.ts lists what the planner imports of src/engines/gpu). Tile sizes are for a device
 * with enough workgroup memory.
 */

/**
 * The maximum number of upload buffers, of one piece each. Text from temporary files is first read into ordinary memory
 * of the same size (src/engines/gpu/engine/upload.ts).
 */
export const UPLOAD_BUFFERS = 7;

/** Bytes of a key, and bits of one of its digits. */
export const KEY_BYTES = 8;
export const DIGIT_BITS = 8;

/**
 * String merge sort: entries sorted in workgroup memory before merges. At 16 bytes each they take all of the 16 KiB
 * that WebGPU guarantees.
 */
export const MERGE_TILE = 1024;
/**
 * Up to this many merge passes (2^21 entries), the passes settle ties; comparisons then look at DEEP_TIE_BYTES bytes.
 * 2^20 strings then take 1.44 ms instead of 1.90 (random), 2.12 instead of 3.95 (words), 5.33 instead of 8.27 (URLs),
 * 2.08 instead of 5.77 (DNA). 2^22 take 2.15 and 1.95, 5.06 and 4.77, 15.4 and 24.3, 5.43 and 7.54 (H100, 25 November
 * 2026).
 */
export const DEEP_PASSES = 11;
export const DEEP_TIE_BYTES: readonly number[] = [256];
/**
 * With more passes: bytes compared in the sort and in each round of refinement; the last entry repeats. 0: only the
 * key. They grow so that long common prefixes of increasing length do not take a round for every few bytes.
 */
export const SHALLOW_TIE_BYTES: readonly number[] = [0, 8, 16, 32, 64, 256];

/** Segmented sort and locality sort: the maximum number of keys sorted in workgroup memory before merges. */
export const SEGMENT_TILE = 2048;

/** Radix sort: from this many keys on, digits in which no keys differ are found and skipped. */
export const RADIX_SKIP_FROM = 1 << 18;

/**
 * Radix-refine: mean members of a group, and members of all groups, from which a round uses radix
 * sort instead of tiles.
 */
export const RADIX_GROUP = 8192;
export const RADIX_GROUPED_RECORDS = 1 << 20;

/**
 * MSD radix sort: the maximum number of entries that a split leaves to one workgroup, and the levels in each
 * submission after the first.
 */
export const SPLIT_TILE = 2048;
export const SPLIT_LEVELS = 2;
