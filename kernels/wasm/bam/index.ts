/**
 * Sorts records of BAM in WebAssembly (AssemblyScript). They stay as they are: they do not become keyed lines.
 * src/engines/cpu/bam/record-sorter.ts lays out the memory.
 *
 *     findFirst -> readRecords -> sortItems -> gather, writeIndex   by coordinate
 *                              -> makeEntries of ../keys/ -> sortRows -> gather, writeRowIndex   by any order
 *                              -> takeRows, if the entries were made before
 */
export { count, findFirst, hasUnplaced, isInOrder, isMalformed, readRecords } from './records';
export { gather, sortItems, writeIndex } from './items';
export { rowsInOrder, sortRows, takeRows, writeRowIndex } from './rows';
