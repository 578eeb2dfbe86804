/** How a call ended. src/codecs/inflate.ts has the same numbers, and a sentence for each problem. */
export const enum Status {
  /** A block begins, at or after the bit where the call was to stop. */
  Block,
  /** The last block has ended. */
  Final,
  /** The input ends within a block. */
  NeedsInput,
  /** The output may have no room for the next match. */
  NeedsRoom,
  /** The rest are zlib's problems (inflate.c). */
  BadBlockType,
  BadStoredLength,
  TooManySymbols,
  BadLengthCodes,
  BadRepeat,
  NoEndOfBlock,
  BadLiterals,
  BadDistances,
  BadLiteral,
  BadDistance,
  TooFarBack,
}
