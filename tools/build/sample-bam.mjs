/** Writes BAM that is large enough to be sorted as it is (src/plan/bam.ts): the build keeps the code that does it. */
import { writeFileSync } from 'node:fs';

const LEAST_BYTES = 2 << 20;

/** `dist`: the directory of the modules. */
export async function writeSampleBam(dist, path) {
  const { bgzfFile } = await import(`${dist}/codecs/bgzf.js`);
  const { bamHeaderBytes } = await import(`${dist}/records/headers.js`);
  const record = Buffer.alloc(64);
  record.writeInt32LE(60, 0);
  record.writeUInt8(1, 12);
  record.writeInt32LE(-1, 24);
  const records = Array.from({ length: LEAST_BYTES / record.length }, (_, i) => {
    const one = Buffer.from(record);
    one.writeInt32LE((i * 7919) % 65536, 8);
    return one;
  });
  const header = bamHeaderBytes(Buffer.from('@HD\tVN:1.6\n'), [{ name: Buffer.from('a'), length: 65536 }]);
  writeFileSync(path, bgzfFile(Buffer.concat([header, ...records]), 0));
}
