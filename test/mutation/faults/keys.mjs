/** Faults in keys, record formats and output that the tests of these folders must catch, without a GPU. */
const KERNELS = 'kernels/wasm/keys/';
/** A fault for each row: file, name, text, what replaces it. */
const faults = (tests, rows) =>
  rows.map(([file, name, from, to]) => ({ file, name, from, to, tests: `--gpu none ${tests}` }));

export const KEYS = [
  ...faults('test/battery/csv.test.ts', [
    [`${KERNELS}row.ts`, 'E: null of JSON is not empty', '(jsonNull || !jsonFound)', '!jsonFound'],
    [`${KERNELS}json.ts`, 'E: the value of the line before was null', '  jsonNull = false;\n', ''],
    ['src/cli/parse/ordering.ts', 'E: empty keys are reversed', "order: 'empty', reverse: false,", "order: 'empty',"],
    [
      'src/keys/names.ts',
      'lists of names: a name with a comma is a list',
      'found.length === 0 && instead !== undefined',
      'instead !== undefined',
    ],
  ]),
  ...faults('test/records/header-union.test.ts', [
    [
      'src/records/header-union.ts',
      'united headers: a new ID may be that of another line of its input',
      'this.ids.has(renamed) || own.has(renamed)',
      'this.ids.has(renamed)',
    ],
    [
      'src/records/header-union.ts',
      'united headers: lines are compared before the programs that they name have new IDs',
      'this.idOf(line.id, changed, own, number)',
      'this.idOf(line.id, line.fields, own, number)',
    ],
    [
      'src/records/header-union.ts',
      'united headers: programs come in the order of their lines',
      'programs === null ? afterTheirParents(own) : own.values()',
      'own.values()',
    ],
  ]),
  ...faults('test/records/sequence-union.test.ts', [
    [
      'src/records/sequence-union.ts',
      'united sequences: a sequence may come before one that a list has before it',
      'before[next].push(one);',
      '',
    ],
    [
      'src/records/sequence-union.ts',
      'united sequences: M5 is compared with the first input only',
      'same.digest ??= found;',
      '',
    ],
  ]),
  ...faults('test/records/renaming.test.ts', [
    ['src/records/renaming.ts', 'new IDs: qualities may be a tag', 'if (tab < 0 || tab > at) return false;', ''],
    [
      'src/records/renaming.ts',
      'new IDs: the length of a BAM record stays',
      'text.writeInt32LE(size + growth, at)',
      'text.writeInt32LE(size, at)',
    ],
    [
      'src/records/renaming.ts',
      'new IDs: a carriage return is part of an ID',
      'lines[to] >= SPACE',
      'lines[to] !== TAB && lines[to] !== NEWLINE',
    ],
  ]),
  ...faults('test/genomics/returns.test.ts', [
    ['src/keys/orders.ts', 'genomics: a carriage return is part of a key', ', dropsReturn: true', ''],
    [
      'kernels/wasm/verify/parts.ts',
      '--verify: a carriage return at the end of a record counts',
      'end == to || load<u8>(end) == NEWLINE',
      'load<u8>(end) == NEWLINE',
    ],
  ]),
  ...faults('test/genomics/lanes.test.ts', [
    [
      'src/input/inputs.ts',
      'united headers: those of files come before those of compressed files',
      'if (!one.headerStripped && files.length > 1)',
      'if (false)',
    ],
    [
      'src/cluster/prepare.ts',
      'united headers: tasks do not know the new IDs',
      'renaming: headers.renamingOf(input)',
      'renaming: null',
    ],
  ]),
  ...faults('test/genomics/lane-sequences.test.ts', [
    [
      'src/records/renaming.ts',
      'united sequences: only the record gets the new number, not its mate',
      'const REFERENCES = [4, 24];',
      'const REFERENCES = [4];',
    ],
    [
      'src/input/framed.ts',
      "united sequences: new numbers are counted by the input's own header",
      'renaming.references === undefined ? header.references',
      'renaming.references !== null ? header.references',
    ],
  ]),
  ...faults('test/keys/orderings.test.ts', [
    [`${KERNELS}numeric.ts`, '-n: 16 digits after a point are cut', '    if (count >= 15) return false;\n', ''],
    [`${KERNELS}human.ts`, '-h: Q has no rank', 'case 81: return 10;', 'case 81: return 0;'],
    [
      `${KERNELS}version.ts`,
      '-V: a name that is all suffix is an ordinary hidden name',
      'if (suffix == at) {',
      'if (suffix > end) {',
    ],
    [
      `${KERNELS}random.ts`,
      '-R: the length is lost if it needs a block of its own',
      'if (next - end <= BLOCK - LENGTH) {',
      'if (next - end < BLOCK - LENGTH) {',
    ],
    [
      'src/keys/keyed.ts',
      'the bound on keys of bytes forgets that some take two digits',
      'bytes: { factor: 2, constant: 1 }',
      'bytes: { factor: 1, constant: 1 }',
    ],
  ]),
  ...faults('test/keys/general.test.ts', [
    [`${KERNELS}nan.ts`, '-g: the sign of a NaN is ignored', 'u32(negative)', '0'],
  ]),
  ...faults('test/keys/genomics.test.ts', [
    [
      `${KERNELS}row.ts`,
      'genomics: a carriage return in the middle of a line is dropped',
      ' && (end == lineStop || load<u8>(end) == NEWLINE)',
      '',
    ],
    [
      `${KERNELS}row.ts`,
      'genomics: a carriage return before a newline inside a record counts',
      '(end == lineStop || load<u8>(end) == NEWLINE)',
      'end == lineStop',
    ],
    [
      'kernels/wasm/shared/natural.ts',
      'natural: leading zeros count',
      'while (at < end && load<u8>(at) == ZERO) at++;',
      '',
    ],
    [
      'kernels/wasm/shared/natural.ts',
      'natural: a number of 261 digits sorts among longer ones',
      'if (count - MANY < LONG)',
      'if (count - MANY <= LONG)',
    ],
    [`${KERNELS}quality.ts`, 'quality: means are not exact', 'const FRACTION: u32 = 8;', 'const FRACTION: u32 = 2;'],
    [
      `${KERNELS}similar.ts`,
      'similar: strands are swapped',
      'isReverse = complement < word;',
      'isReverse = word < complement;',
    ],
    [`${KERNELS}similar.ts`, 'similar: lowercase is no base', '  store<u8>(codes + letter + 32, code);\n', ''],
    [`${KERNELS}tag.ts`, 'tag: floats have double precision', '  if (type == FLOAT) value = <f64><f32>value;\n', ''],
    [`${KERNELS}tag.ts`, 'tag: an empty text is absent', 'stop - at >= 5', 'stop - at > 5'],
    [`${KERNELS}contig.ts`, 'contig: of 255 names, none is the first', 'count < BASE ? 1', 'count <= BASE ? 1'],
    [
      `${KERNELS}contig.ts`,
      "contig: no mate's contig sorts last",
      'putRank(table, isListed ? rank + 1 : 0)',
      'putRank(table, rank + 1)',
    ],
    [
      'kernels/wasm/shared/flag.ts',
      'flag: Picard sorts a last read like one without a mark',
      'marks == 2 ? 2 : 1',
      '1',
    ],
    [
      `${KERNELS}alleles.ts`,
      'alleles: a breakend that ends in a point is none',
      ' && load<u8>(end - 2) == TAB) {',
      ') {',
    ],
    ['src/keys/orders.ts', 'BED: the end does not count', "ties: [part('integer', field(TAB, 2)), ", 'ties: ['],
    [
      'src/keys/orders.ts',
      'GFF: records are ordered by their ends',
      "part('integer', field(TAB, 3))),\n  contig",
      "part('integer', field(TAB, 4))),\n  contig",
    ],
    ['src/keys/orders.ts', 'SAM: Picard ignores the tag HI', ", of('tag', 'tags', { tag: 'HI' })]", ']'],
    [
      'src/keys/orders.ts',
      'FASTQ: an id is a whole name',
      "id: order(part('bytes', ID)),\n  natural: order(part('natural', NAME)),\n  seq: order(part('bytes', field",
      "id: order(part('bytes', NAME)),\n  natural: order(part('natural', NAME)),\n  seq: order(part('bytes', field",
    ],
  ]),
  ...faults('test/keys/problem.test.ts', [
    [
      `${KERNELS}integer.ts`,
      'integer: the largest number is accepted though no row holds it',
      'value <= -HALF || value >= HALF',
      'value < -HALF || value > HALF',
    ],
    [
      'src/keys/key-maker.ts',
      'long lines: a key that cannot be made is not reported',
      '    if (this.kernels.problemOf() !== 0) throw this.problem(from, end + 1);\n',
      '',
    ],
  ]),
  ...faults('test/keys/bam.test.ts', [
    [`${KERNELS}bam.ts`, 'BAM keys: a newline follows each full block', 'isDue = code != LONGEST;', 'isDue = true;'],
    [`${KERNELS}bam.ts`, 'BAM keys: a size is believed', ' && bytes <= <u64>(end - at)) {', ') {'],
    [`${KERNELS}tag.ts`, 'BAM keys: a signed tag of two bytes is unsigned', '<f64>load<i16>(at)', '<f64>load<u16>(at)'],
  ]),
  ...faults('test/keys/csv.test.ts test/keys/names.test.ts', [
    [
      `${KERNELS}csv.ts`,
      'CSV: no field is quoted whose separator is the 16th byte',
      'state = last == NUL || last == separator ? FIELD_BEGIN : PLAIN;',
      'state = last == NUL ? FIELD_BEGIN : PLAIN;',
    ],
    [
      `${KERNELS}csv.ts`,
      'CSV: a doubled quote ends a field that is passed',
      'if (at >= end || load<u8>(at) != QUOTE) break;',
      'break;',
    ],
    [`${KERNELS}csv.ts`, 'CSV: a carriage return is part of the last field', 'load<u8>(end - 1) == RETURN', 'false'],
    [
      'src/keys/csv-text.ts',
      'CSV: a part of an input may begin with a byte order mark',
      'from === 0 ? INPUT_BEGIN : FIELD_BEGIN',
      'INPUT_BEGIN',
    ],
    ['src/keys/csv-fields.ts', 'CSV: names keep doubled quotes', 'if (isQuoted && byte === QUOTE) at++;', ''],
  ]),
  ...faults('test/keys/json.test.ts', [
    [`${KERNELS}json.ts`, 'JSON: a second surrogate begins a pair', 'unit < 0xdc00 && at + 2', 'at + 2'],
    [`${KERNELS}json.ts`, 'JSON: a name may be longer than the one wanted', 'size == length && memory', 'memory'],
    [`${KERNELS}json.ts`, 'JSON: a number that is cut off counts', ' && !(isMember && stop == end)', ''],
    [
      `${KERNELS}json.ts`,
      'JSON: an object that is cut off counts',
      'ended = false;\n  return end;\n}\n\nfunction ends',
      'return end;\n}\n\nfunction ends',
    ],
    [`${KERNELS}json.ts`, 'JSON: any name is an index', '    if (digit > 9) return -1;\n', ''],
  ]),
  ...faults('test/keys/fields.test.ts', [
    ['src/keys/fields.ts', 'fields: one byte of a separator is passed', 'at += separator.length;', 'at++;'],
  ]),
  ...faults('test/keys/long-key.test.ts', [
    [
      'src/keys/long-key.ts',
      'long lines: the parts of the line before are not forgotten',
      '[this.header, this.at, this.to, this.next] = [null, 0, 0, 0];',
      '[this.header, this.at, this.to] = [null, 0, 0];',
    ],
  ]),
  ...faults('test/keys/splitters.test.ts', [
    [
      'src/keys/splitters.ts',
      'splitters: -u counts records',
      'if (this.ordering.unique) for (const key of this.keys)',
      'if (false) for (const key of this.keys)',
    ],
    ['src/keys/splitters.ts', 'splitters: the least key stands for a place', '.sort()[length >> 1]', '.sort()[0]'],
  ]),
  ...faults('test/keys/record-encoding.test.ts', [
    [
      'src/keys/record-encoding.ts',
      'typed keys: segments are looked for at the wrong place',
      'moved!.to + segment.offset - moved!.from',
      'moved!.to',
    ],
  ]),
  ...faults('test/records/bam.test.ts', [
    [`${KERNELS}cobs.ts`, 'BAM: the newline after a full block is lost', ' && open < BLOCK_BYTES) at++;', ') at++;'],
    [
      `${KERNELS}cobs.ts`,
      'BAM: lines have a newline after each full block',
      'due = rest != BLOCK_BYTES;',
      'due = true;',
    ],
    [
      `${KERNELS}cobs.ts`,
      'BAM: a record without optional fields is refused',
      'needed > <u64>size',
      'needed >= <u64>size',
    ],
    [
      'src/records/bam.ts',
      'BAM: the place of a record that is cut off is wrong',
      'if (bam.recordsBegun() > 0) this.lastAt',
      'this.lastAt',
    ],
    [
      'src/records/bam.ts',
      'BAM: a thread is believed where records begin',
      'if (this.isWhole) {\n      this.begun',
      'if (head >= 0) {\n      this.begun',
    ],
    [
      'src/records/bam-parts.ts',
      'BAM: the end of a piece that a thread frames is dropped',
      'copyBytes(piece.subarray(to), target, from + lines);',
      '',
    ],
    [
      'src/records/headers.ts',
      'BAM: a name of no bytes is accepted',
      'number < least || number > most',
      'number > most',
    ],
  ]),
  ...faults('test/records/fastx.test.ts test/records/read-boundary.test.ts', [
    [
      `${KERNELS}fastx.ts`,
      'FASTQ: a carriage return before a cut is a base',
      'place > at ? load<u8>(place - 1) : load<u8>(state, LAST)',
      'load<u8>(place - 1)',
    ],
    [`${KERNELS}fastx.ts`, 'FASTQ: only /1 is left out of names', '- 48 < 10 ? bytes - 2', '- 48 < 2 ? bytes - 2'],
    [
      `${KERNELS}fastx.ts`,
      'FASTA: a comment is reported at the line before',
      'const comment = u32(load<u8>(at + ctz(wrong)) == NEWLINE);',
      'const comment: u32 = 0;',
    ],
    ['src/records/fasta.ts', 'FASTA: a problem is always on line 1', '        line += kernels.passedLines();\n', ''],
    ['src/records/fastq.ts', 'FASTQ: an empty line is reported as the line before', 'state.ended + 1;', 'state.ended;'],
    [
      'src/records/fastq.ts',
      'FASTQ: a block that begins with the rest of a newline begins a record',
      'line === 0 && !isOpen ? lines : line',
      'line === 0 ? lines : line',
    ],
    [
      'src/records/read-boundary.ts',
      'FASTQ: the first line of a text begins a record without proof',
      'number >= LINES && guess',
      'guess',
    ],
  ]),
  ...faults('test/records/sam-header.test.ts', [
    [
      'src/records/headers.ts',
      'SAM: GO is removed for Picard too',
      "as === 'picard' ? withField(ordered, 'SS', null) : ",
      '',
    ],
    [
      'src/records/headers.ts',
      'SAM: missing references are added after the first',
      'const at = lines.at(-1)',
      'const at = lines.at(0)',
    ],
  ]),
  ...faults('test/output/count.test.ts', [
    [
      `${KERNELS}count.ts`,
      '--count: a count goes after a carriage return',
      '== RETURN ? at - 1 : at;',
      '== RETURN ? at : at;',
    ],
  ]),
  ...faults('test/battery/csv.test.ts', [
    [`${KERNELS}row.ts`, '--json: a missing value with E equals the empty text', ' || !jsonFound)', ')'],
    ['src/cli/parse/ordering.ts', '--json: null with E is a text', '{ ...part, nullIsMissing: true }', 'part'],
  ]),
  ...faults('test/output/count.test.ts test/battery/csv.test.ts', [
    [
      `${KERNELS}count.ts`,
      '--csv --count: digits that separate fields are not quoted',
      '= isDigit(separator);',
      '= false;',
    ],
    ['src/output/count.ts', '--csv --count: the mark of the header comes second', 'mark + records.map', 'records.map'],
    [
      'src/keys/fields.ts',
      '--csv --debug: quotes are underlined',
      'fields.places[to - 1] + 1 }',
      'fields.places[to] }',
    ],
    [
      'src/sort.ts',
      '-m --csv --locale: names are not resolved before records are compared',
      'outputFilters(withNumbers(job, headers)',
      'outputFilters(job',
    ],
  ]),
  ...faults('test/output/duplicates.test.ts', [
    [
      `${KERNELS}duplicates.ts`,
      '--dupes-output: duplicates are compared with the record before them',
      'copyRecord(text, next, others);',
      'takeFirst(from, next);\n      copyRecord(text, next, kept);',
    ],
    [
      'src/output/duplicates.ts',
      '--dupes-output: the last records are lost',
      'await this.flush(1);\n    await',
      'await',
    ],
    [
      'src/keys/record-encoding.ts',
      'the bytes of little-endian keys are taken forwards',
      'backwards ? from - i : from + i',
      'from + i',
    ],
  ]),
  ...faults('test/output/groups.test.ts', [
    [`${KERNELS}duplicates.ts`, '--per: one record of a group too many', 'if (taken < most)', 'if (taken <= most)'],
    [
      'src/output/groups.ts',
      '--per: random groups have keys of their own',
      "'seed' in key ? { ...key, seed } : key",
      "'seed' in key ? { ...key, seed: Buffer.alloc(16) } : key",
    ],
    [
      'src/output/duplicates.ts',
      '--per: a group in the order of a language goes on after the next one begins',
      'this.count + 1 : 1;',
      'this.count + 1 : this.count;',
    ],
    [
      'src/cli/parse/ordering.ts',
      '--per: groups take letters of the command line',
      '...groups.flatMap(',
      '...groups.map((key) => ({ ...key, modifiers: global })).flatMap(',
    ],
  ]),
  ...faults('test/battery/duplicates.test.ts', [
    [
      'src/output/filters.ts',
      '--dupes-output: duplicates get no header',
      'through(lastFilters(job, header), duplicates)',
      'through(lastFilters(job, null), duplicates)',
    ],
  ]),
  ...faults('test/output/limit.test.ts', [
    [
      'src/job/traits.ts',
      '--bottom: repeats that -u drops are needed records',
      "['at once', 'counted', 'ranges', 'placed', 'restored', 'watched']",
      "['at once', 'counted', 'ranges', 'placed', 'restored', 'tail', 'watched']",
    ],
    [
      'src/output/filters.ts',
      '--bottom: children are taken for the last records',
      ' && !hasParents(job.input.genomics, job.ordering)',
      '',
    ],
  ]),
  ...faults('test/runs/combine.test.ts', [
    [
      'src/runs/combine.ts',
      '--bottom: everything is merged',
      'yield* missing > 0 ? all : all.slice(first)',
      'yield* all',
    ],
    [
      'src/runs/combine.ts',
      '--bottom: too little is merged',
      'yield* missing > 0 ? all : all.slice(first)',
      'yield* all.slice(first)',
    ],
  ]),
  ...faults('test/records/whole-records.test.ts test/output/count.test.ts', [
    [
      'src/records/whole-records.ts',
      'the unfinished record of a block is given twice',
      '    [this.pieces, this.bytes] = [[], 0];\n',
      '',
    ],
    [
      'src/records/whole-records.ts',
      'an unfinished record is not copied',
      'Buffer.from(new Uint8Array(text).buffer)',
      'text',
    ],
    [
      'src/records/whole-records.ts',
      'the last record of a source gets no delimiter',
      'return last === delimiter ? null : Uint8Array.of(delimiter!);',
      'return null;',
    ],
  ]),
  ...faults('test/output/limit.test.ts', [
    ['src/output/limit.ts', '--bottom: a record too few', 'held[0].ends > count', 'held[0].ends >= count'],
    ['src/output/limit.ts', '--bottom: dropped blocks are not released', '    else stored.release();\n', ''],
  ]),
  ...faults('test/output/mates.test.ts', [
    [`${KERNELS}fastx.ts`, 'mates: records end in NUL', '      store<u8>(target - 1, NEWLINE);\n', ''],
    ['src/output/mates.ts', 'mates: no write waits for the one before', '    await this.writing[i];\n', ''],
  ]),
  ...faults('test/output/compress.test.ts test/output/several.test.ts', [
    ['src/output/compress.ts', 'compression: a closed stream writes', '    if (this.isClosed) return;\n', ''],
    ['src/codecs/bgzf.ts', 'compression: blocks of BGZF are all full', '    left -= BLOCK_TEXT;\n', ''],
    ['src/output/target.ts', 'outputs: two may not be /dev/null', 'stat.isCharacterDevice() ? null : ', ''],
  ]),
  ...faults('test/output/put-in-place.test.ts test/output/sink.test.ts', [
    [
      'src/output/put-in-place.ts',
      '-o: a longer FILE keeps its end',
      '    if (bytes < before) await fileSystem.ftruncate(fd, bytes);\n',
      '',
    ],
    [
      'src/output/put-in-place.ts',
      '-o: a file system without links is an error',
      "readonly string[] = ['EPERM', 'EOP",
      "readonly string[] = ['EOP",
    ],
    [
      'src/output/sorted-text.ts',
      '-o: a lost temporary file is not made again',
      'if (!isLost || tries === TRIES)',
      'if (true)',
    ],
    ['src/output/sink.ts', '-o: after a restart nothing is written', '      skip -= skipped;\n', ''],
    ['src/output/ready-pages.ts', '-o: allocated pages count as written', "'--keep-size', ", ''],
    ['src/output/ready-pages.ts', '-o: a program is started for small files', '256 << 20', '0'],
  ]),
  ...faults('test/output/writers.test.ts', [
    [
      'src/output/writers.ts',
      'writes: a block may be reused too early',
      '    await allOver(parts);',
      '    void allOver(parts);',
    ],
    [
      'src/output/writers.ts',
      'writes: a block after a failure succeeds',
      '        failure = error;\n        for',
      '        for',
    ],
    [
      'src/output/writers.ts',
      'writes: waiting parts are written one by one',
      'count === 0 || bytes + waiting[count].part.length <= mostBytes',
      'count === 0',
    ],
    [
      'src/output/writers.ts',
      'writes: parts that wait are all written at once',
      'count === 0 || bytes + waiting[count].part.length <= mostBytes',
      'true',
    ],
  ]),
  ...faults('test/runs/line-up.test.ts', [
    [
      'src/engines/cpu/results.ts',
      'merges: slices in line are written one after another',
      '    atOnce: inMemory,\n    async emit',
      '    atOnce: false,\n    async emit',
    ],
  ]),
  ...faults('test/output/restored.test.ts test/output/underline.test.ts', [
    [
      'src/job/traits.ts',
      '--top: the engine writes newlines',
      'roads: [], ifCounted:',
      "roads: ['restored'], ifCounted:",
    ],
    ['src/output/underline.ts', '--debug: a tab has no column', 'byte === TAB ? SHOWN_TAB', 'byte === -1 ? SHOWN_TAB'],
    ['src/keys/fields.ts', '--debug: k is no suffix', '[KkMGTPEZY]?', '[KMGTPEZY]?'],
  ]),
  ...faults('test/genomics/bam-threads', [
    [
      'kernels/wasm/shared/cobs.ts',
      'BAM: sorted records have a newline after each full block',
      'if (bytes != BLOCK_BYTES && at < last)',
      'if (at < last)',
    ],
    ['src/job/traits.ts', '--top: the engine writes BAM', 'roads: [], ifCounted:', "roads: ['restored'], ifCounted:"],
  ]),
  ...faults('test/output/index', [
    [
      'src/output/index/contig-index.ts',
      '--index: an end counts as a position',
      'const last = end - 1;',
      'const last = end;',
    ],
    [
      'src/output/index/contig-index.ts',
      '--index: the last gap is not filled',
      'i = this.#entryCount - 2;',
      'i = this.#entryCount - 3;',
    ],
    [
      'src/output/index/record-index.ts',
      '--index: equal positions are not sorted',
      'begin < this.#lastPosition',
      'begin <= this.#lastPosition',
    ],
    [
      'src/output/index/record-index.ts',
      '--index: a record over two blocks is skipped',
      'from += taken - kept;',
      'from += taken;',
    ],
    [
      'src/output/index/index-builder.ts',
      '--index: the first byte of a block belongs to the block before',
      'this.#texts[block] <= place',
      'this.#texts[block] < place',
    ],
    [
      'src/output/index/intervals.ts',
      '--index: a negative SVLEN is none',
      'bytes[length] === 0x2d ? length + 1 : length',
      'length',
    ],
    ['src/output/index/bam.ts', '--index: a deletion does not advance', '(1 << 0) | (1 << 2) | ', '(1 << 0) | '],
  ]),
  ...faults('test/output/bytes.test.ts', [
    [
      'src/system/memory.ts',
      'copies: bytes are copied to the beginning',
      'target.byteOffset + at',
      'target.byteOffset',
    ],
    [
      'src/system/zlib.ts',
      'checksums: bytes before do not count',
      'zlib().crc32(bytes, before)',
      'zlib().crc32(bytes)',
    ],
  ]),
];
