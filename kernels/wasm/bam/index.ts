/**
 * Sorts records of BAM by coordinate in WebAssembly (AssemblyScript), as they are: without lines and without keys before
 * them. src/engines/cpu/bam/record-sorter.ts lays out the memory.
 *
 *     findFirst -> readRecords -> sortItems -> gather, writeIndex
 */
export { count, findFirst, isInOrder, isMalformed, readRecords } from './records';
export { gather, sortItems, writeIndex } from './items';
