/**
 * Writes reproducible tar archives (POSIX ustar): entries in the given order, one time for all, owner 0. GNU tar and
 * bsdtar have no options in common for this. Source: IEEE Std 1003.1-2017, pax, "ustar Interchange Format".
 */
const BLOCK = 512;
/** A tar archive ends with zeros, and its size is a multiple of this. */
const RECORD = 20 * BLOCK;

/**
 * The archive, in parts.
 * @param {Iterable<{ path: string, mode: number, content: Buffer }>} entries
 * @param {number} time seconds since 1970
 * @returns {Generator<Buffer>}
 */
export function* tarParts(entries, time) {
  let size = 0;
  const folders = new Set();
  const count = (part) => {
    size += part.length;
    return part;
  };
  for (const { path, mode, content } of entries) {
    for (const folder of foldersOf(path)) {
      if (folders.has(folder)) continue;
      folders.add(folder);
      yield count(header(folder, 0o755, 0, '5', time));
    }
    yield count(header(path, mode, content.length, '0', time));
    yield count(content);
    yield count(Buffer.alloc(-content.length & (BLOCK - 1)));
  }
  const end = size + 2 * BLOCK;
  yield Buffer.alloc(Math.ceil(end / RECORD) * RECORD - size);
}

/** `a/` and `a/b/` of `a/b/c`. */
function foldersOf(path) {
  const names = path.split('/').slice(0, -1);
  return names.map((_, i) => `${names.slice(0, i + 1).join('/')}/`);
}

function header(path, mode, size, type, time) {
  const block = Buffer.alloc(BLOCK);
  const [prefix, name] = splitName(path);
  const octal = (value, at, length) => block.write(`${value.toString(8).padStart(length - 1, '0')}\0`, at, 'latin1');
  block.write(name, 0);
  octal(mode, 100, 8);
  octal(0, 108, 8);
  octal(0, 116, 8);
  octal(size, 124, 12);
  octal(time, 136, 12);
  block.fill(' ', 148, 156);
  block.write(type, 156);
  block.write('ustar\x0000', 257, 'latin1');
  block.write('root', 265);
  block.write('root', 297);
  block.write(prefix, 345);
  const sum = block.reduce((total, byte) => total + byte, 0);
  block.write(`${sum.toString(8).padStart(6, '0')}\0 `, 148, 'latin1');
  return block;
}

/** A name has 100 bytes at most; the rest goes into a prefix of at most 155, cut at a slash. */
function splitName(path) {
  if (Buffer.byteLength(path) <= 100) return ['', path];
  for (let at = path.indexOf('/'); at >= 0; at = path.indexOf('/', at + 1)) {
    const [prefix, name] = [path.slice(0, at), path.slice(at + 1)];
    if (name !== '' && Buffer.byteLength(name) <= 100 && Buffer.byteLength(prefix) <= 155) return [prefix, name];
  }
  throw new Error(`the path is too long for tar: ${path}`);
}
