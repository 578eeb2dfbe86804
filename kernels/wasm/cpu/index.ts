/**
 * The stages of the CPU engine, compiled to WebAssembly by AssemblyScript (https://www.assemblyscript.org) in
 * `npm run build`. Each instance has its own memory, laid out by src/engines/cpu/; calls pass the addresses of text,
 * items and results.
 *
 *     readRecords -> items -> order (orderSegments) -> items in order -> openOutput, gather -> text in order
 *     readRecords -> items -> notice: text in order as it was read -> checksum
 *     sampleKeys -> keys to choose splitters from
 *     readRecords -> items -> countBuckets -> placeBuckets -> fillBuckets -> text in buckets
 *     countRecords -> items of distinct records -> order -> openOutput, gatherRepeats -> text in order
 *     countRecords -> copies of distinct records -> repeatRecords -> text in the order of the copies
 *     countFourBytes, countByte -> placeValues -> moveByByte, once for each byte -> small records in order
 *     countSmallBuckets -> sums -> fillSmallBuckets -> small records in buckets
 *     addRun, addRun ... -> openMerge -> openOutput, merge -> text in order
 *
 * A call takes up to a few thousand records: V8 runs the first, unoptimized code of a function until the function is
 * called again. Addresses are returned as f64, because JavaScript reads an i32 as signed.
 *
 * All text must be readable, and all output writable, for KERNEL_SLACK bytes (src/system/memory.ts) past its end.
 */
export { setKey, setOrder, setRecords } from './shape';
export { sharedBytes } from '../shared/text';
export { lineEndAt, readRecords, textEnd } from './tokenize';
export { countBuckets, fillBuckets, placeBuckets, sampleKeys, setSplitters } from './distribute';
export { countSmallBuckets, fillSmallBuckets } from './small-buckets';
export { countByte, countFourBytes, differingBytes, moveByByte, placeValues } from './small-radix';
export { dropSmallRepeats, insertSmall, setSmall, smallInOrder } from './small-record';
export { order } from './order';
export {
  copiesEnd, countRecords, countSome, countsTaken, distinctRecords, gatherRepeats, growTable, measureParts,
  moveDistinct, moveToParts, openAdded, openCopies, openRepeats, repeatRecords, setSeed, takeCounts,
} from './repeats';
export { firstSegmentEnd, lastSegmentBegin, orderSegments, sameSegment, setSegments } from './segments';
export { checksum } from './checksum';
export { compareLast, dropItem, keptBytes, notice, reverseItems, sharedByRun } from './natural';
export { appendText, gather, gatherEntries, lastItems, openOutput, outputEnd, outputRecords } from './output';
export { recordsEnd, tightenBound, withinBound } from './limit';
export { addRun, merge, openMerge, foundDisorder } from './merge';
export { decodeRecords, encodeRecords, setEncoding, setShuffles } from '../shared/record-encoding';
export { gatherRecords, readEntries, writeEntries } from './entries';
