/** COBS by the book, a byte at a time, with newline in place of zero: the reference for the kernels. */

const NEWLINE = 10;

/** The line of a record, with its newline: COBS (Cheshire, Baker 1997) of the bytes XOR 10, XOR 10. */
export function encodeCobs(record: Uint8Array): Buffer {
  const coded: number[] = [];
  let block: number[] = [];
  const close = (): void => {
    coded.push(block.length + 1, ...block);
    block = [];
  };
  for (const byte of record.map((byte) => byte ^ NEWLINE)) {
    if (byte === 0) close();
    else if (block.push(byte) === 254) close();
  }
  close();
  return Buffer.from([...coded.map((byte) => byte ^ NEWLINE), NEWLINE]);
}

/** The record of a line, which must end in a newline. */
export function decodeCobs(line: Uint8Array): Buffer {
  const coded = line.subarray(0, -1).map((byte) => byte ^ NEWLINE);
  const bytes: number[] = [];
  for (let at = 0; at < coded.length; ) {
    const code = coded[at];
    bytes.push(...coded.subarray(at + 1, at + code));
    at += code;
    if (code < 255 && at < coded.length) bytes.push(0);
  }
  return Buffer.from(bytes.map((byte) => byte ^ NEWLINE));
}

/** The lines of a text, each with its newline. */
export function splitLines(text: Uint8Array): Buffer[] {
  const lines: Buffer[] = [];
  for (let at = 0; at < text.length; ) {
    const end = text.indexOf(NEWLINE, at) + 1;
    lines.push(Buffer.from(text.subarray(at, end)));
    at = end;
  }
  return lines;
}
