/** The phases of a sort that progress is reported in. */

/** `sorting` begins when all input is read: before, chunks are sorted as they come. */
export type Phase = 'reading' | 'sorting' | 'merging' | 'writing' | 'checking';
