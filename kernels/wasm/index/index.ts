/**
 * Finds the records of sorted text for an index of positions, in WebAssembly (AssemblyScript). The index itself is the
 * host's (src/output/index/), which lays out the memory.
 *
 *     openEntries -> takeBam or takeLines -> entries of the records that change the index, counts of all others
 */
export { entriesEnd, openEntries, passedEnd, passedMapped, passedPosition, passedUnmapped } from './entries';
export { takeBam } from './bam';
export { takePositions, textTaken } from './positions';
export { hasRecords, isOver, takeLines } from './lines';
export { problem } from './problem';
