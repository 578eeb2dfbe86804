/**
 * Sorts records of BAM by coordinate or name in WebAssembly (AssemblyScript). They stay as they are: they do not become
 * keyed lines. src/engines/cpu/bam/record-sorter.ts lays out the memory.
 *
 *     findFirst -> readRecords -> sortItems -> gather, writeIndex                 by coordinate
 *                              -> makeRows -> sortRows -> gather, writeRowIndex   by name; later takeRows for makeRows
 */
export { count, findFirst, hasUnplaced, isInOrder, isMalformed, readRecords } from './records';
export { gather, sortItems, writeIndex } from './items';
export { makeRows, sortRows, takeRows, writeRowIndex } from './rows';
