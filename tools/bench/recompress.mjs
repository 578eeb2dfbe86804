/**
 * Decompresses files and compresses them as BGZF, with gpusort's codec threads, and does nothing else, to show the cost
 * of compression by itself. Plain input is only compressed. A command:
 *
 *     node tools/bench/recompress.mjs LEVEL THREADS INPUT OUTPUT [INPUT OUTPUT]...
 */
import { open } from 'node:fs/promises';
import { decompressing } from '../../dist/input/decompress.js';
import { readDescriptor } from '../../dist/input/read-descriptor.js';
import { compressing } from '../../dist/output/compress.js';

const [level, threads, ...files] = process.argv.slice(2);
if (files.length === 0 || files.length % 2 > 0) throw new Error('LEVEL THREADS INPUT OUTPUT [INPUT OUTPUT]...');

/** Compresses the text of the file `from` to the file `to`. */
async function recompress(from, to) {
  const [input, output] = [await open(from), await open(to, 'w')];
  const reader = decompressing(readDescriptor(input.fd, from, { owned: false }), {
    label: from,
    threads: Number(threads),
  });
  let position = 0;
  const write = async (block) => {
    const at = position;
    position += block.length;
    for (let done = 0; done < block.length; )
      done += (await output.write(block, done, block.length - done, at + done)).bytesWritten;
  };
  const compressor = compressing({ kind: 'bgzf', level: Number(level), threads: Number(threads) }, write);
  for (let block = await reader.read(); block !== null; block = await reader.read()) await compressor.write(block);
  await compressor.finish();
  await compressor.close();
  reader.close();
  await input.close();
  await output.close();
}

for (let i = 0; i < files.length; i += 2) await recompress(files[i], files[i + 1]);
