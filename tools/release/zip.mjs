/**
 * Writes reproducible zip archives: entries in the given order, one time for all. Source: PKWARE APPNOTE.TXT 6.3.10.
 * Without the 64-bit records: entries and archives are smaller than 4 GiB.
 */
import { crc32, deflateRawSync } from 'node:zlib';

const LOCAL = 0x04034b50;
const CENTRAL = 0x02014b50;
const END = 0x06054b50;
/** Version 2.0: deflate. */
const NEEDS = 20;
/** Made by Unix: then modes count. */
const MADE_BY = (3 << 8) | NEEDS;
/** Names are UTF-8. */
const FLAGS = 1 << 11;
const DEFLATE = 8;
const REGULAR_FILE = 0o100000;

/**
 * The archive, in parts.
 * @param {Iterable<{ path: string, mode: number, content: Buffer }>} entries
 * @param {number} time seconds since 1970
 * @param {number} level of deflate, 1 to 9
 * @returns {Generator<Buffer>}
 */
export function* zipParts(entries, time, level) {
  const central = [];
  let at = 0;
  let count = 0;
  for (const { path, mode, content } of entries) {
    const name = Buffer.from(path);
    const packed = deflateRawSync(content, { level });
    const facts = [NEEDS, FLAGS, DEFLATE, ...dosTime(time)];
    const sizes = [crc32(content), packed.length, content.length];
    const local = [u32(LOCAL), ...facts.map(u16), ...sizes.map(u32), u16(name.length), u16(0), name];
    central.push(
      ...[u32(CENTRAL), u16(MADE_BY), ...facts.map(u16), ...sizes.map(u32), u16(name.length)],
      ...[u16(0), u16(0), u16(0), u16(0), u32((REGULAR_FILE | mode) * 0x10000), u32(at), name],
    );
    const part = Buffer.concat([...local, packed]);
    yield part;
    at += part.length;
    count++;
  }
  const directory = Buffer.concat(central);
  yield directory;
  yield Buffer.concat([u32(END), u16(0), u16(0), u16(count), u16(count), u32(directory.length), u32(at), u16(0)]);
}

/** Time and date of MS-DOS, in UTC: steps of two seconds since 1980. */
function dosTime(seconds) {
  const date = new Date(seconds * 1000);
  const time = (date.getUTCHours() << 11) | (date.getUTCMinutes() << 5) | (date.getUTCSeconds() >> 1);
  const day = ((date.getUTCFullYear() - 1980) << 9) | ((date.getUTCMonth() + 1) << 5) | date.getUTCDate();
  return [time, day];
}

function u16(value) {
  const bytes = Buffer.alloc(2);
  bytes.writeUInt16LE(value);
  return bytes;
}

function u32(value) {
  const bytes = Buffer.alloc(4);
  bytes.writeUInt32LE(value);
  return bytes;
}
