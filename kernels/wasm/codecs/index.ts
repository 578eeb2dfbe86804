/**
 * Inflates in WebAssembly (AssemblyScript): any part of DEFLATE data, from a bit where a block begins. So several
 * threads can inflate one member of gzip. All state is in globals. src/codecs/inflate.ts lays out the memory.
 *
 *     prepare
 *     setInput, setOutput -> seekBlock (or openBlock, resumeBlock) -> inflateBytes -> nextBit, outputEnd ...
 *     setInput -> findBlock -> setOutput, seekBlock -> inflateSymbols -> reached ... -> resolve
 */
import { preparePatterns } from './copy';
import { prepareSums } from './find-block';

export { blockBit, forgetText, inflateBytes, inflateSymbols, nextBit, openBlock, outputEnd, reached } from './blocks';
export { resumeBlock, seekBlock, setInput, setOutput, storedLeft } from './blocks';
export { findBlock } from './find-block';
export { resolve } from './resolve';

/** Fills the constant tables. */
export function prepare(): void {
  preparePatterns();
  prepareSums();
}
