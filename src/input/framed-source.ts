/** The lines of a text, whose framer gets it all, or only what threads have not framed. */
import type { PartFraming } from '../records/framed-parts.js';
import type { Framer, PartFramer } from '../records/record-finder.js';
import type { ByteSource } from '../system/byte-source.js';

const NOTHING = new Uint8Array(0);

/** The lines of `reader`, which it owns. `piecesOf`: the lines of bytes framed in part; null: these bytes are not. */
export function framed(
  reader: ByteSource,
  framer: Framer,
  piecesOf: (bytes: Uint8Array) => Generator<Uint8Array, void> | null = () => null,
): ByteSource {
  let ended = false;
  let isClosed = false;
  let pieces: Generator<Uint8Array, void> | null = null;
  const next = async (): Promise<Uint8Array> => {
    const piece = pieces?.next().value;
    if (piece !== undefined) return piece;
    const bytes = await reader.read();
    ended = bytes === null;
    if (bytes === null) return isClosed ? NOTHING : framer.end();
    pieces = piecesOf(bytes);
    return pieces === null ? framer.next(bytes) : next();
  };
  return {
    read: async () => {
      while (!ended) {
        const text = await next();
        if (text.length > 0) return text;
      }
      return null;
    },
    close: () => {
      isClosed = true;
      reader.close();
    },
  };
}

/** The same if threads frame pieces of the text, as `framing` says after each read. */
export function framedInParts(reader: ByteSource, framer: PartFramer, framing: PartFraming): ByteSource {
  return framed(reader, framer, (bytes) => (framing.framed === null ? null : framer.pieces(bytes, framing.framed)));
}
