/**
 * The host's part of --verify, compiled to WebAssembly by AssemblyScript: hashes of records, and whether adjacent
 * records are in order. All state is in globals, so an instance may share the memory of other kernels. A call takes a
 * few thousand records (kernels/wasm/cpu/index.ts says why).
 *
 *     setFormat, resetSums -> sumRecords ... -> recordCount, hashSum
 *     setFormat, setOrder, resetSums, setPrevious -> checkRecords ... (or sumRecords, checkKeyed) -> foundDisorder
 *         -> recordCount, hashSum
 *     openParts, addPart ... -> checkParts in place of checkRecords -> foundUnread: keys must be made
 *     openRecord -> addToRecord ... -> closeRecord
 *
 * Text must be readable for KERNEL_SLACK bytes (src/system/memory.ts) past its end.
 */
export { countedSum, hashSum, recordCount, resetSums, setFormat, textBytes } from './records';
export { sumCounted, sumKeyed, sumRecords } from './records';
export { checkKeyed, checkRecords, foundDisorder, setOrder } from './order';
export { previousRecordBegin, previousRecordEnd, setPrevious } from './order';
export { addPart, checkParts, foundUnread, openParts } from './parts';
export { addToRecord, closeRecord, openRecord } from './long-record';
