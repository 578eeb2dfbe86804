/**
 * Sizes at which the GPU's sorts go on in another way: what they are tuned with (src/gpu), and what the planner counts their work by (src/plan), which
 * loads none of them. Tile sizes are those of a device with workgroup memory enough.
 */

/** Upload buffers at most, of a piece each; what comes from temporary files lies in as many more bytes of ordinary memory before (src/gpu/engine/upload.ts). */
export const UPLOAD_BUFFERS = 7;

/** Bytes of a key, whatever it is made of, and bits of a digit of it. */
export const KEY_BYTES = 8;
export const DIGIT_BITS = 8;

/** String merge sort: entries sorted in workgroup memory before merges begin: 16 bytes each, so this takes all of the 16 KiB that WebGPU promises. */
export const MERGE_TILE = 1024;
/** Its merge passes up to which ties are settled inside them; bytes that comparisons look at then. */
export const DEEP_PASSES = 6;
export const DEEP_TIE_BYTES: readonly number[] = [256];
/**
 * Bytes in the sort and in each round of refinement, the last from there on, where there are more passes: 0 is no more than the key. They grow so that
 * long common prefixes of growing depth do not take a round for every few bytes.
 */
export const SHALLOW_TIE_BYTES: readonly number[] = [0, 8, 16, 32, 64, 256];

/** Segmented sort and locality sort: keys sorted in workgroup memory before merges begin, at most. */
export const SEGMENT_TILE = 2048;

/** Radix sort: keys from which digits in which they do not differ are looked for and skipped. */
export const RADIX_SKIP_FROM = 1 << 18;

/** Radix-refine: members of a group on average, and of all groups, from which a round is sorted by radix instead of by tiles. */
export const RADIX_GROUP = 8192;
export const RADIX_GROUPED_RECORDS = 1 << 20;

/** MSD radix sort: entries that a split leaves to one workgroup, at most; levels that are submitted at once after the first time. */
export const SPLIT_TILE = 2048;
export const SPLIT_LEVELS = 2;
/** Records from which a round of its refinement splits them instead of merging. */
export const SPLIT_TIES = 1 << 16;
