/** Faults in the GPU engine, its sorts of strings and their kernels, and in the path of a job. */
const NO_GPU = '--gpu none';
/** Faults of one file. Each row: name, from, to, and the tests if they are not those of the file. */
const faultsOf = (file, tests, rows) =>
  rows.map(([name, from, to, own = tests]) => ({ file, name, from, to, tests: own }));

const DEVICE = 'test/engines/gpu/device';
const ENGINE = 'test/engines/gpu/engine/engine.test.ts';
const DRIVERS = 'test/engines/gpu/device/drivers.test.ts';
const RECORDS = 'test/engines/gpu/records';
const RETURNS = 'test/engines/gpu/records/keyed-lines/returns.test.ts';
const KEYED = 'test/engines/gpu/records/keyed-lines/keyed-lines.slow.test.ts';
const GENOMICS = 'test/engines/gpu/records/keyed-lines/genomics-keys.slow.test.ts';
const SEGMENTS = 'test/engines/gpu/segments';
const VERIFY = 'test/engines/gpu/records/input-hash.test.ts';
const REFINE = 'test/engines/gpu/strings/radix-refine';
const MERGE = 'test/engines/gpu/strings/string-merge';
const MSD = 'test/engines/gpu/strings/msd-radix/msd-radix';
const PACKED = 'test/engines/gpu/strings/msd-radix/packed-prefixes.slow.test.ts';
const SPLITS = 'test/engines/gpu/strings/msd-radix/splits';
const HOST_THREADS = `${NO_GPU} test/engines/gpu/strings/msd-radix/host-threads.test.ts`;
const FIXED = 'test/engines/gpu/engine/fixed-keys';
const FALLBACK = `${NO_GPU} test/sort/fallback.test.ts`;
const PHASES = `${NO_GPU} test/sort/phases.test.ts`;
const PIPES = `${NO_GPU} test/sort/pipes`;

const ON_DEVICE = 'test/genomics/on-device.slow.test.ts';
const GPU_BAM = 'test/engines/gpu/bam/sort-bam.slow.test.ts';
const BGZF = 'test/engines/gpu/bgzf';

const CPU_BAM = 'test/engines/cpu/bam';

export const GPU = [
  ...faultsOf('src/plan/make-plan.ts', `${NO_GPU} test/sort/bam-fallback.test.ts`, [
    [
      'a sort whose output fails is tried again',
      "'device-lost'].includes(error.code)",
      "'device-lost', 'write-failed'].includes(error.code)",
    ],
  ]),
  ...faultsOf('src/input/files.ts', ON_DEVICE, [
    [
      'a pipe of BAM is taken for a file',
      '(sum !== null && compressed && extent?.begin === 0 ? sum + extent.end : null)',
      '(sum ?? 0) + (extent?.end ?? 0)',
    ],
  ]),
  ...faultsOf('src/engines/cpu/bam/sort-bam.ts', `${CPU_BAM}/sort-bam.test.ts`, [
    [
      'wrong guesses of where groups begin are believed',
      'if (begin === null || begin === done.head.length)',
      'if (true)',
    ],
    ['a file without an end block is sorted', ' || !cutter.mayEnd)', ')'],
    ['the end of a stretch is lost', 'this.rest = text.slice(at, end);', ''],
    ['memory is exceeded', 'if (expected > room)', 'if (expected < 0)'],
  ]),
  ...faultsOf('src/engines/cpu/bam/sort-bam.ts', `${CPU_BAM}/sam.test.ts`, [
    [
      'a last line without a newline is lost',
      'if (this.rest.length > 0 && cutter.lastBytes !== null) {',
      'if (false) {',
    ],
  ]),
  ...faultsOf('src/engines/cpu/bam/groups.ts', `${CPU_BAM}/sam.test.ts`, [
    ['a group ends inside a line', 'const to = isWhole ? newline + 1 : end;', 'const to = isWhole ? newline : end;'],
    ['lines may have any length', 'if (to - at > this.mostRest) throw', 'if (to < at) throw'],
  ]),
  ...faultsOf('src/engines/cpu/bam/tasks.ts', `${CPU_BAM}/sam.test.ts`, [
    ['records that need more room than lines are cut', 'size.bytes <= place.bytes && ', ''],
    [
      'a record without a position is first in its reference',
      "if (hasUnplaced && sorter.order === 'coordinate')",
      'if (count < 0)',
    ],
  ]),
  ...faultsOf('src/engines/cpu/bam/tasks.ts', `${CPU_BAM}/names.test.ts`, [
    ['an index that needs more room is cut', ' && size.indexBytes <= place.indexBytes;', ';'],
    ['entries of slices overlap', 'entries += entriesTo - entriesFrom;', ''],
  ]),
  ...faultsOf('kernels/wasm/bam/rows.ts', `${CPU_BAM}/names.test.ts`, [
    ['what follows a row counts', 'return (bytes >> beyond) << beyond;', 'return bytes;'],
    [
      'rows are compared up to 8 bytes only',
      'if (equal > 1 && at < load<u32>(entryOf(first), BYTES_AT))',
      'if (equal > count)',
    ],
    ['few equal rows change places', 'entry, at) > 0; item', 'entry, at) >= 0; item'],
    ['equal rows change places in merges', 'entryOf(other), at) > 0;', 'entryOf(other), at) >= 0;'],
    ['names that begin differently are taken for equal', 'end = min(end, same +', 'end = max(end, same +'],
    ['flags do not count', 'putTemplate(load<u16>(record, FLAG_AT));', 'putTemplate(0);'],
  ]),
  ...faultsOf('src/engines/cpu/bam/runs.ts', `${CPU_BAM}/sort-bam.test.ts`, [
    ['the end of a group is lost', 'this.rest = joined(this.rest, tail);', ''],
  ]),
  ...faultsOf('src/engines/cpu/bam/ranges.ts', `${CPU_BAM}/ranges.test.ts`, [
    [
      'ranges do not fill their last block',
      'for (let more = 1; filled.bytes < end; more *= 2) filled',
      'for (let more = 1; more < 0; more *= 2) filled',
    ],
    [
      'equal keys of later groups come first',
      '(order === 0 && run < splitter.run)',
      '(order === 0 && run > splitter.run)',
    ],
    ['all groups are sampled at the same places', 'let next = bytes * ((run * GOLDEN) % 1);', 'let next = bytes;'],
  ]),
  ...faultsOf('src/engines/cpu/bam/write-ranges.ts', `${CPU_BAM}/sort-bam.test.ts`, [
    ['the first records are not written', 'await blocks.begin(head);', 'await blocks.begin(head.subarray(0, 0));'],
  ]),
  ...faultsOf('kernels/wasm/bam/records.ts', `${CPU_BAM}/sort-bam.test.ts`, [
    [
      'records are sorted without regard to strands',
      'const place: u32 = (position << 1) | strand;',
      'const place: u32 = position << 1;',
    ],
    ['records without a reference come first', 'min(load<u32>(at, 4), references)', 'load<u32>(at, 4) + 1'],
  ]),
  ...faultsOf('src/engines/gpu/bam/frame.ts', GPU_BAM, [
    ['wrong guesses of where records begin are believed', 'if (frame[0] !== at) {', 'if (false) {'],
    ['malformed records are sorted', "if (isMalformed !== 0) throw new Declined('a record is malformed');", ''],
  ]),
  ...faultsOf('src/engines/gpu/bam/texts.ts', GPU_BAM, [
    ['the text of a damaged block is used', 'status[i] !== 0 || crcs[i] !== crc', 'status[i] !== 0 && crcs[i] !== crc'],
    ['a file without an end block is sorted', ' || !this.endsEmpty)', ')'],
    ['a record over two texts loses its beginning', 'let end = rest?.bytes ?? 0;', 'let end = 0;'],
  ]),
  ...faultsOf('src/engines/gpu/bam/ranges.ts', GPU_BAM, [
    ['the end of a range is lost', 'whole < bytes ? await this.restOf(out, whole, bytes - whole) : null', 'null'],
  ]),
  ...faultsOf('src/engines/gpu/bgzf/blocks.ts', GPU_BAM, [
    [
      'blocks are found by their headers alone',
      'for (let row = rows.get(at); row !== undefined && words[row + 3] <= MOST_BLOCK_BYTES; row = rows.get(at)) {',
      'for (const row of rows.values()) {',
    ],
  ]),
  ...faultsOf('kernels/wgsl/bgzf/join-edges.wgsl', `${BGZF}/inflate-cases.slow.test.ts`, [
    ['the first bytes of a block that begins inside a word are lost', '& 3u) != 0u', '& 3u) == 9u'],
  ]),
  ...faultsOf('kernels/wgsl/bgzf/deflate.wgsl', `${BGZF}/deflate.slow.test.ts`, [
    ['matches reach back too far', 'const WINDOW = 32768u;', 'const WINDOW = 65536u;'],
  ]),
  ...faultsOf('src/engines/gpu/engine/engine.ts', 'test/engines/gpu/engine/tunings.slow.test.ts', [
    [
      'the tunings of a job do not reach its sort',
      'sortStage(algorithm, options.ordering, options.tunings)',
      'sortStage(algorithm, options.ordering)',
    ],
  ]),
  ...faultsOf('src/plan/engine.ts', `${NO_GPU} test/plan/requested-engine.test.ts`, [
    ['an algorithm with a tuning runs on the CPU', "(one === 'gpu' || tunings.length === 0)", 'true'],
    ['a tuning without effect is accepted', 'refuseIdleTunings(request, kind);', ''],
  ]),
  ...faultsOf('src/engines/gpu/device/compose.ts', `${NO_GPU} ${DEVICE}/kernel-files.test.ts`, [
    [
      'two bindings with one number are accepted',
      'if (bindings.has(name) || [...bindings.values()].includes(number))',
      'if (bindings.has(name))',
    ],
  ]),
  ...faultsOf('src/engines/gpu/device/compose.ts', `${NO_GPU} ${DEVICE}/kernel-files.test.ts`, [
    ['lines of kernels are reported one too low', 'origins[line - head.length - 1]', 'origins[line - head.length]'],
  ]),
  ...faultsOf('src/engines/gpu/device/dispatch.ts', `${DEVICE}/dispatch.test.ts`, [
    [
      'the last workgroups of a folded grid are lost',
      'Math.ceil(workgroups / rows), rows',
      'Math.floor(workgroups / rows), rows',
    ],
    [
      'a cached group of bindings is used for another part of the same buffer',
      `\`\${numberOf(given.buffer)}+\${given.offset}+\${given.size},\``,
      `\`\${numberOf(given.buffer)},\``,
    ],
  ]),
  ...faultsOf('src/engines/gpu/device/timer.ts', `${DEVICE}/timer.test.ts`, [
    ['each pass of a stage counts its bytes again', 'this.handled.delete(stage);', ''],
  ]),
  ...faultsOf('src/engines/gpu/device/pool.ts', ENGINE, [
    [
      'a buffer that was passed on is given back as well',
      'if (this.held.delete(buffer)) this.pool.give(buffer);',
      'this.pool.give(buffer);',
    ],
  ]),
  ...faultsOf('src/engines/gpu/device/uniform-immediates.ts', `${DEVICE}/dispatch.test.ts`, [
    [
      'pages after the first are not sent',
      'const { buffer, words } = this.pages[i];',
      'const { buffer, words } = this.pages[0];',
    ],
  ]),

  ...faultsOf('src/engines/gpu/engine/sort-records.ts', ENGINE, [
    [
      'too few of the last records are kept',
      'const first = Math.floor(Math.max(0, count - most) / BINDING_RECORDS)',
      'const first = Math.ceil(Math.max(0, count - most) / BINDING_RECORDS)',
    ],
  ]),
  ...faultsOf('src/engines/gpu/engine/merge-slices.ts', ENGINE, [
    [
      'a merge in parts keeps equal records of all slices under unique',
      'stages.ordering.unique ? equals.slice(0, 1) : equals',
      'equals',
    ],
  ]),
  ...faultsOf('src/engines/gpu/engine/residency.ts', ENGINE, [
    ['the memory of released runs stays counted', 'this.used -= sizeOf(buffers);', ''],
  ]),
  ...faultsOf('src/engines/gpu/engine/emit.ts', ENGINE, [
    [
      'text that begins inside a word is written from the word on',
      'new Uint8Array(buffer.getMappedRange(0, size), at - from, to - at)',
      'new Uint8Array(buffer.getMappedRange(0, size), 0, to - at)',
    ],
    ['a failed write is not noticed', 'await Promise.all(writes);', '', 'test/engines/gpu/engine/failures.test.ts'],
  ]),
  ...faultsOf('src/engines/gpu/engine/device-run.ts', 'test/engines/gpu/engine/device-run.test.ts', [
    ['long records are cut off where the first read ends', 'if (end <= from + guess)', 'if (end >= 0)'],
  ]),
  ...faultsOf('src/engines/gpu/engine/merge-slices.ts', ENGINE, [
    [
      'resident slices move the place of stored ones',
      'if (resident === undefined) uploadedAt += bytes;',
      'uploadedAt += bytes;',
    ],
  ]),
  ...faultsOf('src/engines/gpu/engine/upload.ts', ENGINE, [
    [
      'a text that grows loses what it holds',
      'copyWords(this.gpu, { buffer: old, at: 0 }, { buffer: larger, at: 0 }, bytes);',
      '',
    ],
  ]),
  ...faultsOf('src/engines/gpu/engine/chunks.ts', ENGINE, [
    [
      'each batch of a chunk counts all bytes for --verify',
      'await hash.add(records, first === 0 ? tokenized.textBytes : 0);',
      'await hash.add(records, tokenized.textBytes);',
    ],
  ]),
  ...faultsOf('kernels/wgsl/engine/cut-bounds.wgsl', 'test/engines/gpu/engine/device-run.test.ts', [
    [
      'long records that differ only in length are equal',
      'if (result != EQUAL) { return result; }\n  }\n  return compare_lengths(length, query.y);',
      'if (result != EQUAL) { return result; }\n  }\n  return EQUAL;',
    ],
  ]),
  ...faultsOf('kernels/wgsl/engine/sample-records.wgsl', 'test/engines/gpu/engine/device-run.test.ts', [
    [
      'the head of a sample is not cut at the end of the key',
      'samples[out + 3u] = min(ordered_length(low), SAMPLE_WORDS * 4u);',
      'samples[out + 3u] = SAMPLE_WORDS * 4u;',
    ],
  ]),
  ...faultsOf('kernels/wgsl/engine/copy-bytes.wgsl', `${RECORDS}/gather.test.ts`, [
    ['a copy overwrites the bytes before it in a word', 'if (skipped > 0u) {', 'if (false) {'],
  ]),

  ...faultsOf('src/engines/gpu/records/recode.ts', `${RECORDS}/recode.test.ts`, [
    [
      'the first byte of a little-endian key is decoded like its last one',
      'firstAt: backwards ? bytes - 1 : 0',
      'firstAt: 0',
    ],
    [
      'a sign that another key complemented is read as it is',
      'complemented: (index === 0 ? holder.first : holder.rest) > 0x7f',
      'complemented: false',
    ],
  ]),
  ...faultsOf('src/engines/gpu/records/tokenize.ts', `${RECORDS}/tokenize.test.ts`, [
    ['boundaries of fixed records are bytes', 'boundaries.map((b) => b / format.size)', 'boundaries'],
  ]),
  ...faultsOf('src/engines/gpu/records/gather.ts', '-t "keyed lines" test/battery/battery.gpu.test.ts', [
    ['a slice without its keys begins at the first record of its run', 'first: from ?? 0 }', 'first: 0 }'],
  ]),
  ...faultsOf('src/engines/gpu/records/host-text.ts', `${NO_GPU} ${RECORDS}`, [
    ['a long record leaves no room for the next one', 'at += end - begin;', 'at += end - begin - 1;'],
  ]),
  ...faultsOf('kernels/wgsl/records/gather/text.wgsl', `${RECORDS}/gather.test.ts`, [
    [
      'records of a tile that are not cached come from the first tile',
      'return sources[base + i];',
      'return sources[i];',
    ],
  ]),
  ...faultsOf('kernels/wgsl/records/gather/fixed.wgsl', ENGINE, [
    ['the second record of a word begins where the first one does', 'at = 0u;\n', '\n'],
  ]),
  ...faultsOf('kernels/wgsl/records/scan/spine.wgsl', `${RECORDS}/scan.test.ts`, [
    ['a round of the spine forgets those before the last', 'sum += scan_words', 'sum = scan_words'],
  ]),
  ...faultsOf('kernels/wgsl/records/tokenize/starts.wgsl', `${RECORDS}/tokenize.test.ts`, [
    [
      'a window of records lacks the end of its last one',
      'record - im.first <= im.records',
      'record - im.first < im.records',
    ],
  ]),
  ...faultsOf('kernels/wgsl/records/recode.wgsl', `${RECORDS}/recode.test.ts`, [
    ['a sign is complemented with its number', 'if (sign < count) {', 'if (false) {'],
  ]),

  ...faultsOf('src/engines/gpu/records/keyed-lines/part-table.ts', KEYED, [
    ['the direction of all parts is ignored', 'part.reverse !== all ?', 'part.reverse ?'],
    [
      'filters of one kind are used for all parts',
      'this.place(JSON.stringify([dictionary, printing, fold]),',
      "this.place('filter',",
    ],
  ]),
  ...faultsOf('src/engines/gpu/records/keyed-lines/part-table.ts', GENOMICS, [
    ['of equal names the last counts', 'if (table[slot] !== 0) continue;', ''],
  ]),
  ...faultsOf('src/engines/gpu/records/keyed-lines/keyed-lines.ts', KEYED, [
    ['keyed lines of just the maximum are refused', 'bytes > most ||', 'bytes >= most ||'],
  ]),
  ...faultsOf('src/engines/gpu/records/keyed-lines/key-support.ts', GENOMICS, [
    ['the host makes keys of contigs', "  contig: 'none',\n", ''],
    ['the device makes natural keys of filtered fields', "natural: 'none'", "natural: 'any'", `${KEYED}`],
  ]),
  ...faultsOf('kernels/wgsl/records/keyed-lines/key-numbers.wgsl', KEYED, [
    ['the largest exponent of one digit takes six', 'exponent <= MOST_EXPONENT', 'exponent < MOST_EXPONENT'],
  ]),
  ...faultsOf('kernels/wgsl/records/keyed-lines/key-integers.wgsl', GENOMICS, [
    ['2^39 is accepted', 'number.low < LEAST_LOW', 'number.low <= LEAST_LOW'],
  ]),
  ...faultsOf('kernels/wgsl/records/keyed-lines/key-natural.wgsl', GENOMICS, [
    ['261 decimals have no longer count', 'if (count >= MANY + LONG)', 'if (count > MANY + LONG)'],
  ]),
  ...faultsOf('kernels/wgsl/records/keyed-lines/key-rows.wgsl', KEYED, [
    ['a key that stops at the limit counts as complete', 'stop < limit);', 'stop <= limit);'],
  ]),
  ...faultsOf('kernels/wgsl/records/keyed-lines/key-rows.wgsl', RETURNS, [
    ['a carriage return in the middle of a line is dropped', ' && ends_line', ''],
    [
      'a carriage return before a newline inside a record counts',
      'last == end || byte_at(last) == NEWLINE',
      'last == end',
    ],
    [
      'a key that stops at a limit after a carriage return counts as complete',
      'var stop = last;',
      'var stop = last - 1u;',
    ],
  ]),

  ...faultsOf('src/engines/gpu/segments/heads.ts', SEGMENTS, [
    [
      'long records of one segment are divided',
      '(before, await markOf(i)) ? 0 : 1',
      '(before, await markOf(i)) ? 1 : 0',
    ],
  ]),
  ...faultsOf('src/engines/gpu/segments/segment-sort.ts', SEGMENTS, [
    ['unique drops records without a group', 'keep_heads: ordering.unique ? 1 : 0', 'keep_heads: 0'],
  ]),
  ...faultsOf('kernels/wgsl/segments/mark-blank.wgsl', SEGMENTS, [
    ['a carriage return makes a line not blank', ' && byte != 13u', ''],
  ]),
  ...faultsOf('kernels/wgsl/segments/heads.wgsl', SEGMENTS, [
    [
      'the first record of a workgroup does not know the one before',
      'if (thread == 0u && i > 0u) { marks[0] = segment_mark(i - 1u); }',
      '',
    ],
  ]),
  ...faultsOf('kernels/wgsl/segments/ends.wgsl', SEGMENTS, [
    ['the first segment ends before its first record', 'if (i > 0u && i < im.n', 'if (i < im.n'],
  ]),
  ...faultsOf('kernels/wgsl/segments/mark-bytes.wgsl', SEGMENTS, [
    ['a segment is told by the first bytes of its records', 'record_start(i) + BEGIN_BYTE', 'record_start(i)'],
  ]),

  ...faultsOf('src/engines/gpu/records/input-hash.ts', VERIFY, [
    ['long records of an earlier call are hashed again', 'encoder.clearBuffer(longRecords, 0, slots * 4);', ''],
  ]),
  ...faultsOf('kernels/wgsl/records/hash/records.wgsl', VERIFY, [
    ['the carry of the low word is lost', 'sum.y + select(0u, 1u, before + sum.x < before)', 'sum.y'],
  ]),
  ...faultsOf('kernels/wgsl/records/hash/long-parts.wgsl', VERIFY, [
    ['a long record that begins with a tile is hashed twice', 'i != open && ', ''],
    [
      'a long record of whole steps lacks the last one',
      'bytes / HASH_STEP + 1u)',
      '(bytes + HASH_STEP - 1u) / HASH_STEP)',
    ],
  ]),

  ...faultsOf('src/engines/gpu/strings/radix-refine/survey.ts', REFINE, [
    ['half of the records are not surveyed', 'const PREFIX_RECORDS = 4096;', 'const PREFIX_RECORDS = 8192;'],
  ]),
  ...faultsOf('src/engines/gpu/strings/radix-refine/rounds.ts', REFINE, [
    [
      'group numbers lack their highest bit',
      'Math.max(1, Math.ceil(Math.log2(groups)))',
      'Math.max(1, Math.floor(Math.log2(groups)))',
    ],
  ]),
  ...faultsOf('src/engines/gpu/strings/radix-refine/radix-refine.ts', REFINE, [
    ['a locality sort is not finished', 'near.finish();', ''],
    [
      'statistics of merges are read before the sort is finished',
      'merges?.(await near.statistics());',
      '',
      'test/engines/gpu/engine/algorithms',
    ],
  ]),
  ...faultsOf('kernels/wgsl/strings/radix-refine/item-keys.wgsl', REFINE, [
    [
      'symbols begin in the number of a group',
      '(item.z << shift) | (key.x >> im.group_bits)',
      '(item.z << shift) | key.x',
    ],
    ['keys begin a byte later than they do', 'items[i].w = depth;', 'items[i].w = depth + 1u;'],
  ]),
  ...faultsOf('kernels/wgsl/strings/radix-refine/common-prefix.wgsl', REFINE, [
    ['the shared prefix may exceed a record', 'let end = min(least.x, length);', 'let end = least.x;'],
  ]),
  ...faultsOf('kernels/wgsl/strings/radix-refine/symbol-table.wgsl', REFINE, [
    ['the end of a record has no symbol', 'select(1u, 0u, one_length)', '0u'],
    ['the last byte is missing from the alphabet', 'max(2u, before + (symbols_of(7u) >> 31u))', 'max(2u, before)'],
    ['no key of a first sort contains an end', 'mask = last_symbol_mask(0u);', 'mask = 0u;', MSD],
  ]),
  ...faultsOf('kernels/wgsl/strings/radix-refine/packing.wgsl', REFINE, [
    [
      'records of one length end a symbol early',
      'packing[LENGTH] <= depth + key_symbols(group_bits)',
      'packing[LENGTH] <= depth + key_symbols(group_bits) + 1u',
    ],
  ]),
  ...faultsOf('kernels/wgsl/strings/radix-refine/first-digit-counted.wgsl', MSD, [
    ['the first digit is not that of the key', '[key.x >>', '[key.y >>'],
  ]),

  ...faultsOf('src/engines/gpu/strings/ties/entry-ties.ts', MERGE, [
    ['there is no room for the first members of groups', 'Math.min(count, 2 * joined)', 'Math.min(count, joined)'],
    ['keys hold too many bytes beside the number of a group', '2 ** (64 - 8 * bytes)', '2 ** (72 - 8 * bytes)'],
  ]),
  ...faultsOf('kernels/wgsl/strings/ties/keys.wgsl', MERGE, [
    [
      'bytes after the first four of a key are lost',
      '(prefix.x << shift) | (prefix.y >> (32u - shift))',
      'prefix.x << shift',
    ],
  ]),
  ...faultsOf('kernels/wgsl/strings/ties/mark.wgsl', MERGE, [
    [
      'a record and the same with a zero after it are equal',
      'if (tag >> NUMBER_BITS != before >> NUMBER_BITS) { return NEW; }',
      '',
    ],
  ]),
  ...faultsOf('kernels/wgsl/strings/ties/prefix.wgsl', REFINE, [
    [
      'a unit of a pair ends after its shorter record',
      'let stop = min(end, begin + UNIT);',
      'let stop = begin + UNIT;',
      'test/engines/gpu/strings/string-merge',
    ],
  ]),
  ...faultsOf('kernels/wgsl/strings/next-bytes.wgsl', MSD, [
    ['the last byte of a second vector is not read', 'if (skip + count > 16u)', 'if (skip + count > 17u)'],
    ['the last byte of a third vector is not read', 'if (skip + count > 32u)', 'if (skip + count > 33u)'],
    [
      'bytes at the beginning of a word are those of the word after it',
      '(low >> bits) | ((high << (31u - bits)) << vec4u(1u))',
      '(low >> bits) | (high << ((32u - bits) & vec4u(31u)))',
    ],
  ]),

  ...faultsOf('src/engines/gpu/keys/merge-path/passes.ts', MERGE, [
    ['every pass merges the first pairs of slices', 'pairBase += step.pairs.length;', ''],
  ]),
  ...faultsOf('src/engines/gpu/strings/string-merge/tie-statistics.ts', MERGE, [
    ['records in runs are counted as single ones, too', 'count - inRuns!', 'count'],
  ]),
  ...faultsOf('kernels/wgsl/strings/string-merge/window-keys.wgsl', MERGE, [
    [
      'zeros after the end of a record shift the keys of a window',
      'bytes = min(bytes, min(ordered_length(a), ordered_length(b)) - depth);',
      '',
    ],
  ]),
  ...faultsOf('kernels/wgsl/strings/string-merge/block-sort.wgsl', MERGE, [
    [
      'the last step of the network is missing',
      'order_two(&e1, &e2); order_two(&e3, &e4); order_two(&e5, &e6);\n  // No',
      '// No',
    ],
  ]),
  ...faultsOf('kernels/wgsl/strings/compare.wgsl', MERGE, [
    [
      'the last bytes of a comparison ignore the direction',
      'let y = ordered_word(b, at) & mask;\n    if (x != y) { return select(AFTER, BEFORE, (x < y) != REVERSE); }',
      'let y = ordered_word(b, at) & mask;\n    if (x != y) { return select(AFTER, BEFORE, x < y); }',
    ],
    ['equal texts of one length are not decided by number', 'return a.tag < b.tag;', 'return a.tag > b.tag;'],
  ]),

  ...faultsOf('src/engines/gpu/strings/msd-radix/host-threads.ts', HOST_THREADS, [
    ['equal records of a huge group are different', 'states[one.begin] = SAME;', 'states[one.begin] = NEW;'],
    ['a batch contains a large group', 'if (group > begin) batches.push([begin, group]);', ''],
  ]),
  ...faultsOf('src/engines/gpu/strings/msd-radix/host-groups.ts', HOST_THREADS, [
    [
      'a group ends before its last record',
      'sortRange(sorted, begin, i, depth);',
      'sortRange(sorted, begin, i - 1, depth);',
    ],
  ]),
  ...faultsOf('src/engines/gpu/strings/msd-radix/multikey-quicksort.ts', HOST_THREADS, [
    ['equal records keep any order', 'order.subarray(less, greater).sort();', ''],
    [
      'what all records share is longer than the shortest',
      'const end = Math.min(shared, orderedLength(r, record));',
      'const end = shared;',
    ],
  ]),
  ...faultsOf('src/engines/gpu/strings/msd-radix/pack-symbols.ts', PACKED, [
    ['the end of a record takes no code', 'alphabetOf(found, null, oneLength)', 'alphabetOf(found, null, true)'],
    ['records with equal symbols that end differ', '=== value ? SAME : JOINED', '=== value ? NEW : JOINED'],
    ['records of one length end before the last symbol', 'least > base + keySymbols', 'least > base + keySymbols + 1'],
  ]),
  ...faultsOf('src/engines/gpu/strings/msd-radix/entries.ts', SPLITS, [
    [
      'levels of splits take their lists from one side',
      'return level % 2 === 0 ? [even, odd] : [odd, even];',
      'return [even, odd];',
    ],
  ]),
  ...faultsOf('kernels/wgsl/strings/msd-radix/offsets.wgsl', SPLITS, [
    ['a big bucket of one digit is moved as well', 'this_bucket.z | SETTLED', 'this_bucket.z'],
  ]),
  ...faultsOf('kernels/wgsl/strings/msd-radix/finish.wgsl', SPLITS, [
    ['ties in one range are missed', '(equals > 1u || parted) && continues(entry)', 'parted && continues(entry)'],
  ]),

  ...faultsOf('src/engines/gpu/engine/fixed-keys/form.ts', FIXED, [
    [
      'equal keys are not ordered by the rest of their records',
      "kind === 'numbered' && lastResort && length < size",
      'false',
    ],
    ['records of five bytes beside their key move with it', 'const VALUE_BYTES = 4;', 'const VALUE_BYTES = 5;'],
  ]),
  ...faultsOf('src/engines/gpu/engine/fixed-keys/fixed-keys.ts', FIXED, [
    ['the byte after a key is not compared', 'depth: form.keyLength }', 'depth: form.keyLength + 1 }'],
  ]),

  ...faultsOf('src/sort.ts', FALLBACK, [
    ['after a failure the output begins twice', 'sink.restart();', ''],
    [
      'a pipe is read again after a failure',
      'if (!canReadAgain(files)) throw cannotReadAgain(error as Error, job, files);',
      '',
    ],
    ['every failure warns', "if (next.engine === 'cpu') warn", 'warn'],
    [
      'a merge and the writing after it have the same bar',
      "if (!merges && canTake('sized'",
      "if (canTake('sized'",
      PHASES,
    ],
    ['the merged bytes are not reported', '...(merges && { merged:', '...(false && { merged:', PHASES],
  ]),
  ...faultsOf('src/engines/gpu/engine/host-sort.ts', '-t "msd-radix-hybrid" test/battery/battery.gpu.test.ts', [
    ['runs of the hybrid exceed the memory for them', 'runs.used + buffer.byteLength > runs.limit', 'false'],
    ['blocks of a run overlap', '        at += bytes;\n        return threads', '        return threads'],
  ]),
  ...faultsOf('src/input/order-chunks.ts', PHASES, [
    ['bytes are reported as sorted before all are read', 'if (allRead) recorder.advance', 'recorder.advance'],
    ['lines larger than a chunk are missing from the total', 'read += record.bytes;', ''],
    [
      'after a failure chunks are still read when the engine is closed',
      'await Promise.allSettled([underway.taken()]);',
      '',
      FALLBACK,
    ],
  ]),
  ...faultsOf('src/plan/decide.ts', PHASES, [
    ['the size of the input is not reported', "if (bytes !== null) recorder.advance('reading', 0, bytes);", ''],
    ['the read-ahead of a stream is not sampled', 'ahead: stream === null ?', 'ahead: stream !== null ?', PIPES],
    ['the bytes of a short stream are forgotten', '! + ahead.bytes;', '!;', PHASES],
  ]),
  ...faultsOf('src/engines/gpu/device/drivers.ts', `${NO_GPU} test/cli/no-webgpu.test.ts`, [
    ['drivers of software are loaded beside others', 'hardware.length > 0 ? hardware : ', '', `${NO_GPU} ${DRIVERS}`],
    ['the environment of the process stays changed', 'delete process.env[name];', ';', `${NO_GPU} ${DRIVERS}`],
    ['drivers after one that crashes are not asked', 'asked.slice(lines.length + 1)', '[]', `${NO_GPU} ${DRIVERS}`],
    ['layers complain of a missing directory', '...silenced(), VK_DRIVER_FILES', 'VK_DRIVER_FILES'],
    ['what drivers write is not shown for debugging', 'if (process.env.GPUSORT_DEBUG)', 'if (false)'],
    ['a refused device has no name', 'devices: [...new Set(devices)]', 'devices: []'],
  ]),
  ...faultsOf('src/engines/gpu/device/adapters.ts', `${NO_GPU} test/engines/gpu/device/adapters.test.ts`, [
    ['drivers of software are loaded in vain', 'onlyHardware && devices.length > 0', 'false'],
  ]),
  ...faultsOf('src/engines/open.ts', PIPES, [
    [
      'the CPU engine does not hash for --verify',
      'const options = { ...plan, ...watched };',
      'const options = { ...plan, ...watched, verify: false };',
    ],
    [
      'a GPU that is asked for and missing is ignored',
      "if (requestedEngine(job) === 'gpu') throw",
      'if (false) throw',
      `${NO_GPU} test/cli/no-webgpu.test.ts`,
    ],
    [
      'a collation is ignored',
      'if (plan.algorithm === COLLATED_ALGORITHM)',
      'if (false)',
      `${NO_GPU} test/engines/collate/command-line.test.ts`,
    ],
  ]),
];
