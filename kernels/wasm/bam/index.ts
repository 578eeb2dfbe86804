/**
 * Sorts records of BAM by coordinate in WebAssembly (AssemblyScript), as they are: they become no lines and get no
 * keys. src/engines/cpu/bam/record-sorter.ts lays out the memory.
 *
 *     findFirst -> readRecords -> sortItems -> gather, writeIndex
 */
export { count, findFirst, hasUnplaced, isInOrder, isMalformed, readRecords } from './records';
export { gather, sortItems, writeIndex } from './items';
