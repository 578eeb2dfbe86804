/**
 * Faults in the sorts of fixed keys: the engine's (src/engines/gpu/keys, src/engines/gpu/engine/fixed-keys) and those
 * of gpusort/kernels.
 */
const RADIX = 'test/engines/gpu/keys/radix-sort/radix-sort.test.ts';
const ONE_SWEEP = 'test/engines/gpu/keys/radix-sort/one-sweep.test.ts';
const MERGE_SORT = 'test/engines/gpu/keys/merge-sort/merge-sort.test.ts';
const MERGES = 'test/engines/gpu/keys/merge-path/merge.slow.test.ts';
const WINDOWS = 'test/engines/gpu/keys/merge-path/moving-windows.test.ts';
const STRING_WINDOWS = 'test/engines/gpu/strings/string-merge/moving-windows.test.ts';
const QUICKSORT = 'test/engines/gpu/keys/quicksort/quicksort.slow.test.ts';
const LOCALITY = 'test/engines/gpu/keys/locality-sort/locality-sort.test.ts';
const NETWORKS = 'test/engines/gpu/keys/sort-eight.test.ts';
const SEGMENTED = 'test/engines/gpu/keys/segmented-sort/segmented-sort.slow.test.ts';
const RECORDS = 'test/engines/gpu/engine/fixed-keys';
const REQUESTS = 'test/browser/api/requests.test.ts test/browser/api/device.test.ts';
const RECORDING = 'test/browser/api/recording.test.ts';
const PARTS = 'test/browser/api/buffer-parts.test.ts';

const keys = (file, tests, name, from, to) => ({ file: `src/engines/gpu/keys/${file}`, name, from, to, tests });
const fixed = (file, name, from, to) => ({
  file: `src/engines/gpu/engine/fixed-keys/${file}`,
  name,
  from,
  to,
  tests: RECORDS,
});
const api = (file, tests, name, from, to) => ({ file: `src/browser/${file}`, name, from, to, tests });
const kernel = (file, tests, name, from, to) => ({ file: `kernels/wgsl/${file}.wgsl`, name, from, to, tests });

export const KEYSORTS = [
  // Shared by all sorts
  keys(
    'key-sort.ts',
    LOCALITY,
    'a binding takes one key more than it holds',
    'if (count <= most) return;',
    'if (count <= most + 1) return;',
  ),
  keys(
    'key-sort.ts',
    MERGE_SORT,
    'floating-point keys are sorted as signed integers',
    "...(kind === 'float' ? { FLOAT: 1 } : {}),",
    '',
  ),
  keys('key-sort.ts', MERGE_SORT, 'descending is ignored', '...(descending ? { DESCENDING: 1 } : {}),', ''),
  keys(
    'key-sort.ts',
    RADIX,
    'prefixes are sorted low word first',
    "HIGH_FIRST: spec.type === 'prefix' ? 1 : 0",
    'HIGH_FIRST: 0',
  ),
  // Radix sort
  keys(
    'radix-sort/radix-sort.ts',
    RADIX,
    'the bit after a digit is in no digit',
    'bit += DIGIT_BITS - 1;',
    'bit += DIGIT_BITS;',
  ),
  keys(
    'radix-sort/radix-sort.ts',
    RADIX,
    'passes submitted ahead are struck off the highest word',
    'differing[differing.length - 1] &= ~(0xff << shift);',
    'differing[0] &= ~(0xff << shift);',
  ),
  keys(
    'radix-sort/two-sweeps.ts',
    RADIX,
    'only the first tile of a block is counted',
    'block_keys: blockTiles * shape.tile',
    'block_keys: shape.tile',
  ),
  keys(
    'radix-sort/one-sweep.ts',
    ONE_SWEEP,
    'passes share a chain that nobody zeroes',
    '[chain, nextChain] = [nextChain, chain];',
    '',
  ),
  keys(
    'radix-sort/one-sweep.ts',
    ONE_SWEEP,
    'the second chain is never returned',
    'for (const buffer of [chain, nextChain, histograms])',
    'for (const buffer of [chain, histograms])',
  ),
  // Merge sort and merges
  keys(
    'merge-sort/merge-sort.ts',
    MERGE_SORT,
    'merge sort leaves two keys as they are',
    'if (count < 2) return from;',
    'if (count < 3) return from;',
  ),
  keys(
    'merge-sort/merge-sort.ts',
    MERGE_SORT,
    'the first merge reads the unsorted input',
    'submitMerge(merge, spare, from,',
    'submitMerge(merge, from, spare,',
  ),
  keys(
    'merge-path/passes.ts',
    MERGES,
    'an odd run at the end is forgotten',
    'for (let i = 0; i + 1 < at.length; i += 2)',
    'for (let i = 0; i + 2 < at.length; i += 2)',
  ),
  keys(
    'merge-path/passes.ts',
    MERGES,
    'a last share that is not full is left out',
    '+ Math.ceil(left / share), width',
    '+ Math.floor(left / share), width',
  ),
  keys(
    'merge-path/passes.ts',
    MERGES,
    'the third pass reads the pairs of the second',
    'pairBase += step.pairs.length;',
    'pairBase = step.pairs.length;',
  ),
  keys(
    'merge-path/tuning.ts',
    MERGES,
    'merge-registers gets more outputs than it has registers',
    '(spec.values || (asked.perThread ?? 0) > MOST_REGISTERS)',
    'spec.values',
  ),
  // Quicksort
  keys('quicksort/quicksort.ts', QUICKSORT, 'long sequences get one round only', 'if (left === 0) return;', 'return;'),
  keys(
    'quicksort/quicksort.ts',
    QUICKSORT,
    'a last launch that is not full is left out',
    'Math.ceil(pieces / plan.launchPieces)',
    'Math.floor(pieces / plan.launchPieces)',
  ),
  keys(
    'quicksort/plan.ts',
    QUICKSORT,
    'the list of sections has no room for partial ones',
    'maxSections: Math.ceil(count / sectionKeys) + maxSequences,',
    'maxSections: Math.ceil(count / sectionKeys),',
  ),
  // Segmented sort and locality sort
  keys(
    'locality-sort/locality-sort.ts',
    LOCALITY,
    'a near sort that goes on leaves out the last level',
    'merge(first, levels);',
    'merge(first, levels - 1);',
  ),
  keys(
    'segmented-sort/tile-merges.ts',
    SEGMENTED,
    'all levels read the sides of the first',
    'const half = (level % 2) * tiles;',
    'const half = 0 * tiles;',
  ),
  keys(
    'segmented-sort/tile-merges.ts',
    LOCALITY,
    'borders that level 0 leaves are not reported',
    'at: WHOLE_WORD + 1 }',
    'at: WHOLE_WORD }',
  ),
  keys(
    'segmented-sort/segmented-sort.ts',
    SEGMENTED,
    'head flags of an earlier sort remain',
    'encoder.clearBuffer(flags, 0, bytes);',
    'void encoder;',
  ),
  // Records with fixed keys
  fixed(
    'form.ts',
    'ties are broken in stable sorts',
    "kind === 'numbered' && lastResort && length < size",
    "kind === 'numbered' && length < size",
  ),
  fixed(
    'form.ts',
    'unique keeps equal records that their keys hold',
    '!unique && isWhole && size <= MOST_KEY_BYTES',
    'isWhole && size <= MOST_KEY_BYTES',
  ),
  fixed(
    'fixed-keys.ts',
    'a locality sort of records stops after its first level',
    'if ((await readWords(gpu, near.left)).some((word) => word !== 0)) near.finish();',
    '',
  ),
  fixed(
    'fixed-keys.ts',
    'a limit to the last records keeps the first ones',
    '{ bytes: textBytes, first },',
    '{ bytes: textBytes, first: 0 },',
  ),
  // gpusort/kernels
  api(
    'index.ts',
    REQUESTS,
    'GpusortError is exported as a type alone',
    'export { type ErrorCode, GpusortError }',
    'export { type ErrorCode, type GpusortError }',
  ),
  api(
    'index.ts',
    REQUESTS,
    'localitySort is the merge sort',
    'export { localitySort, mergePath, mergeSort,',
    'export { mergeSort as localitySort, mergePath, mergeSort,',
  ),
  api(
    'compiled.ts',
    MERGE_SORT,
    'a result in the spare array is not copied back',
    'if (sorted !== target) copyArrays(gpu, spec, sorted, target, count);',
    'void sorted;',
  ),
  api(
    'compiled.ts',
    REQUESTS,
    'a sorter destroyed while it sorts keeps its memory',
    'if (destroyed) destroyIdle();\n      else pool.trim();',
    'pool.trim();',
  ),
  api(
    'sorters.ts',
    MERGES,
    'a merge in two passes overwrites its input',
    "passes === 1 ? 'one-pass'",
    "passes <= 2 ? 'one-pass'",
  ),
  api(
    'compiled.ts',
    REQUESTS,
    'segments may be given in the output',
    'checkDistinct([...inputs, ...(outputs ?? []), ...others]);',
    'checkDistinct([...inputs, ...(outputs ?? [])]);',
  ),
  api(
    'compiled.ts',
    PARTS,
    'one dispatch reads and writes the same buffer',
    "const result = isShared ? 'spare' : ",
    'const result = ',
  ),
  api(
    'sorters.ts',
    PARTS,
    'flags are read from the buffer that is written',
    'if (buffer !== keys && buffer !== values) return { flags: buffer, offset };',
    'if (count > 0) return { flags: buffer, offset };',
  ),
  api('requests.ts', PARTS, 'a part may begin anywhere', 'if (offset % step !== 0)', 'if (offset % 4 !== 0)'),
  api(
    'requests.ts',
    PARTS,
    'parts may overlap in their last bytes',
    'other.offset < part.offset + part.size',
    'other.offset < part.offset',
  ),
  keys(
    'key-sort.ts',
    PARTS,
    'values begin with the buffer, not with the part',
    'bind(arrays.values!, count * 4, arrays.valuesOffset)',
    'bind(arrays.values!, count * 4)',
  ),
  api(
    'compiled.ts',
    RECORDING,
    'recordings and submissions share their scratch memory',
    'new Scratch(on.encoder === null ? pool : recordings, on)',
    'new Scratch(pool, on)',
  ),
  api(
    'compiled.ts',
    RECORDING,
    'the words of recorded dispatches are overwritten by later sorts',
    'gpu.uniforms?.forRecording() ?? null',
    'gpu.uniforms',
  ),
  api(
    'compiled.ts',
    RECORDING,
    'the words of recorded dispatches are never sent',
    'if (on.encoder !== null) on.uniforms?.send();',
    '',
  ),
  keys(
    'radix-sort/radix-sort.ts',
    RECORDING,
    'a recorded radix sort asks the device which digits differ',
    'count >= tuning.skipFrom && gpu.encoder === null',
    'count >= tuning.skipFrom',
  ),
  {
    file: 'src/engines/gpu/device/dispatch.ts',
    name: 'a recorded merge loses its pairs of runs',
    from: 'if (gpu.encoder === null) buffer?.destroy();',
    to: 'buffer?.destroy();',
    tests: RECORDING,
  },
  api('sort-array.ts', REQUESTS, 'sortArray keeps its buffers', 'for (const buffer of buffers) buffer.destroy();', ''),
  // Kernels: codes of keys, and steps that sorts share
  kernel(
    'keys/key-two',
    MERGES,
    'low words decide before high ones',
    'a.x < b.x || (a.x == b.x && a.y < b.y)',
    'a.x < b.x || a.y < b.y',
  ),
  kernel(
    'keys/key-four',
    MERGES,
    'the third word of a key is not compared',
    'if (a.z != b.z) { return a.z < b.z; }',
    '',
  ),
  kernel(
    'keys/key-one',
    MERGE_SORT,
    'negative numbers are not decoded',
    'return key ^ (number_mask(key) & ~SIGN);',
    'return key;',
  ),
  kernel(
    'keys/sort-eight-stable',
    NETWORKS,
    'keys cross a head at the eighth of eight',
    'order_two(&p6, &p7, heads & 128u);',
    'order_two(&p6, &p7, heads & 64u);',
  ),
  kernel(
    'keys/sort-eight-unstable',
    NETWORKS,
    'keys cross a head three places away',
    'order_two(&p2, &p6, heads & 120u);',
    'order_two(&p2, &p6, heads & 112u);',
  ),
  kernel('keys/sort-eight-unstable', NETWORKS, 'a step is left out', 'order_two(&p3, &p4, heads & 16u);', ''),
  keys(
    'segmented-sort/tile-merges.ts',
    NETWORKS,
    'pairs are sorted by the unstable network',
    'withNetwork(inSegments, spec.values || stableNetwork)',
    'withNetwork(inSegments, stableNetwork)',
  ),
  kernel(
    'keys/segmented-sort/jobs-counted',
    SEGMENTED,
    'a job is left out',
    'read_counter = groups + atomicAdd',
    'read_counter = groups + 1u + atomicAdd',
  ),
  kernel(
    'keys/merge-steps',
    MERGE_SORT,
    'equal keys of the second run come first',
    '!item_before((*m).y, (*m).b, (*m).x, (*m).a)',
    'item_before((*m).x, (*m).a, (*m).y, (*m).b)',
  ),
  kernel(
    'keys/merge-sort/block-sort',
    MERGE_SORT,
    'the last key of a block is not written',
    'if (i <= last) {',
    'if (i < last) {',
  ),
  // Merge path
  kernel(
    'keys/merge-path/merge-narrow',
    MERGES,
    'keys that tie in 32 bits are not compared in full',
    'if (y != x || shift == 0u) {',
    'if (y != x || shift < 32u) {',
  ),
  kernel(
    'keys/merge-path/merge-windows',
    MERGES,
    'the window moves as if its last output came from B',
    '(31u - (outputs - 1u) % PER_THREAD)',
    '(32u - (outputs - 1u) % PER_THREAD)',
  ),
  kernel(
    'keys/merge-path/search-parts',
    MERGES,
    'the last part reaches past the diagonal',
    'min(range.y, low + step - 1u)',
    'low + step - 1u',
  ),
  kernel(
    'keys/merge-path/search-wide',
    MERGES,
    'a search that must go right ends',
    'if (found == window_end) { return vec2u(window_end, range.y); }',
    '',
  ),
  // Moving windows
  kernel(
    'shared/moving-windows',
    WINDOWS,
    'items of B come before equal ones of A',
    'if (places[probe] <= j)',
    'if (places[probe] < j)',
  ),
  kernel(
    'shared/moving-windows',
    WINDOWS,
    "A's window counts as used up if B's is",
    'select(a.count, before, b_placed == b.count)',
    'a.count',
  ),
  kernel(
    'shared/moving-windows',
    WINDOWS,
    "B's window moves as if all of it was used",
    'let begin = b.begin + b.head;',
    'let begin = b.begin + b.count;',
  ),
  kernel(
    'shared/moving-windows',
    WINDOWS,
    "B's window is loaded beyond the share",
    'min(B_WINDOW, b_end - begin)',
    'B_WINDOW',
  ),
  kernel(
    'shared/moving-windows',
    WINDOWS,
    'what is left of A is not written',
    'select(b.begin + b.head, a.begin + a.head, a_left > 0u)',
    'b.begin + b.head',
  ),
  kernel(
    'keys/merge-path/moving-windows',
    WINDOWS,
    'workgroups take one share each',
    'share += grid.x',
    'share = im.end_tile',
  ),
  kernel(
    'strings/string-merge/moving-windows',
    STRING_WINDOWS,
    'an output after the last one is written',
    'if (exists.w)',
    'if (exists.z)',
  ),
  keys(
    'merge-path/moving-windows.ts',
    WINDOWS,
    'a few shares more than workgroups',
    'Math.floor(wanted / pairs)',
    'Math.ceil(wanted / pairs)',
  ),
  keys(
    'merge-path/moving-windows.ts',
    WINDOWS,
    'a long pair is not divided beside a short one',
    'Math.min(Math.ceil(longest / parts), Math.ceil(elements / (wanted - pairs)))',
    'Math.ceil(longest / parts)',
  ),
  // Quicksort
  kernel(
    'keys/quicksort/sort-pieces',
    QUICKSORT,
    'pairs equal to a pivot stay on the other side',
    'if (VALUES == 0u || other == 1u) { settle',
    'if (VALUES == 0u) { settle',
  ),
  kernel(
    'keys/quicksort/place',
    QUICKSORT,
    'settled pairs are settled again from the other side',
    'if (length == 0u || (moved && im.side == 0u)) { return; }',
    'if (length == 0u) { return; }',
  ),
  kernel(
    'keys/quicksort/split',
    QUICKSORT,
    'of many sections only the last ones count',
    'smaller += smaller_sums.y;',
    'smaller = smaller_sums.y;',
  ),
  kernel(
    'keys/quicksort/bitonic',
    QUICKSORT,
    'equal keys of a tile lose their order',
    'if (VALUES == 1u) { swap = swap || (keys_equal(x.key, y.key) && y.value < x.value); }',
    '',
  ),
  // Radix sort
  kernel(
    'keys/radix-sort/count',
    RADIX,
    'the key after a block counts too',
    'if (base + k * THREADS >= end) { continue; }',
    'if (base + k * THREADS > end) { continue; }',
  ),
  kernel(
    'keys/radix-sort/scatter-subgroups',
    RADIX,
    "a subgroup's keys begin after its own count",
    'if (s < subgroup) { begin += sums[s]; }',
    'if (s <= subgroup) { begin += sums[s]; }',
  ),
  kernel(
    'keys/radix-sort/scatter-portable',
    RADIX,
    'threads of one word of bits share a rank',
    'if (w == (thread >> 5u)) { before += countOneBits(bits & ((1u << (thread & 31u)) - 1u)); }',
    '',
  ),
  kernel(
    'keys/radix-sort/sweep-one',
    ONE_SWEEP,
    'look-backs go on after all keys are added',
    'select(tiles - 1u, 0u, (word & 3u) == ALL)',
    'select(tiles - 1u, 0u, tiles == 1u)',
  ),
  kernel(
    'keys/radix-sort/digit-begins',
    ONE_SWEEP,
    'digits with two values are skipped',
    'different > 1u',
    'different > 2u',
  ),
  // Segmented sort
  kernel(
    'keys/segmented-sort/plan-merges',
    SEGMENTED,
    'a merge takes keys of the segment before',
    'mixed_from = max(begin, range.y);',
    'mixed_from = begin;',
  ),
  kernel(
    'keys/segmented-sort/merge-jobs',
    SEGMENTED,
    'inputs are read from the sides of the other list',
    'select(more.w >> 2u, more.w, in_a)',
    'select(more.w, more.w >> 2u, in_a)',
  ),
  kernel(
    'keys/segmented-sort/head-flags',
    SEGMENTED,
    'a segment that begins after the end sets a flag',
    'if (begin < im.n) {',
    'if (begin >= 0u) {',
  ),
  kernel(
    'keys/segmented-sort/plan-copies',
    SEGMENTED,
    'copies follow the sides of the first level',
    'sides[im.sides_from + tile] == 1u',
    'sides[tile] == 1u',
  ),
  // Records with fixed keys
  kernel(
    'engine/fixed-keys/keys',
    RECORDS,
    'the bytes that move with a key are those of the key',
    'placed_bytes(begin, KEY_LENGTH, RECORD_SIZE)',
    'placed_bytes(begin, 0u, RECORD_SIZE)',
  ),
  kernel(
    'engine/fixed-keys/layout',
    RECORDS,
    'bytes before the key are taken for the key',
    'if (at < KEY_OFFSET) { return KEY_LENGTH + at; }',
    'if (at < KEY_OFFSET) { return at; }',
  ),
  kernel(
    'engine/fixed-keys/ties',
    RECORDS,
    'each record of a tie begins a group',
    'heads[i] = select(0u, 1u, next_equal && !equal);',
    'heads[i] = select(0u, 1u, next_equal);',
  ),
  // Shared by kernels
  kernel(
    'shared/bytes',
    RECORDS,
    'unaligned reads repeat a word',
    '(text[word + 1u] << (32u - shift))',
    '(text[word] << (32u - shift))',
  ),
  kernel(
    'shared/run-pairs',
    MERGES,
    'the first tile of a pair belongs to the pair before',
    'pairs[im.pair_base + middle].x <= tile',
    'pairs[im.pair_base + middle].x < tile',
  ),
  kernel(
    'shared/thread-sums',
    QUICKSORT,
    'sums include the whole row of a thread',
    'if (row < thread / SUM_ROW) {',
    'if (row <= thread / SUM_ROW) {',
  ),
  kernel(
    'shared/tile-window',
    MERGES,
    'the last tile of a pair ends where the next pair begins',
    'if (next.w == here.w) {',
    'if (next.w > 0u) {',
  ),
];
