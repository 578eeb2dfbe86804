/** Faults that the tests of the command line, of --locale, of platforms and of the launcher must catch. */
const on = (files) =>
  `--gpu none ${files
    .split(' ')
    .map((file) => `test/${file}.test.ts`)
    .join(' ')}`;
const JOBS = on('cli/request');
const AT_ONCE = on('at-once cli/at-once-pipes');
const ERRORS = on('cli/own-errors');
const OF_GNU = on('cli/refused');
const KEYS = on('cli/parse/record-key');
const WORDS = on('cli/parse/shell-words');
const NAMES = on('cli/parse/files0');
const ENVIRONMENT = on('cli/parse/environment');
const PRESETS = on('cli/presets');
const HELP = on('cli/help/text cli/help/completions');
const PROGRAM = on('cli/binary');
const BUNDLES = on('structure/bundles');
const CACHE = on('cli/code-cache');
const BUILD = on('package/build');
const MESSAGES = on('cli/terminal/messages');
const PROGRESS = on('cli/terminal/progress');
const SIGNALS = on('cli/terminal/signals');
const LIMITS = on('cli/limits');
const INSTALLATION = on('cli/no-webgpu');
const COLLATE = on('engines/collate/parts');
const LANGUAGES = on('engines/collate/languages');
const SEGMENTS = on('engines/collate/engine');
const PLATFORM = on('system/platform/facts');
const DESCRIPTORS = on('cli/terminal/descriptors');
const ABSENT = on('keys/presence');
const MERGE_ORDER = on('genomics/merge-order');
const PLACES = on('input/locate-problem');
const DRAWING = on('cli/drawing');
const VERSIONS = on('cli/node-version');
const LIMITS_SLOW = on('cli/limits.slow');
const fault = (file, name, from, to, tests) => ({ file, name, from, to, tests });

export const CLI = [
  // src/at-once.ts
  fault(
    'src/at-once.ts',
    'what a small sort has read of a larger pipe is lost',
    'if (count === 0 || this.read.length > most) return count === 0;',
    'if (count === 0) return true;\n      if (this.read.length > most) {\n        this.read = room.subarray(0, 0);\n        return false;\n      }',
    AT_ONCE,
  ),
  fault(
    'src/cli/terminal/signals.ts',
    'a sort that was started with a signal ignored waits in a call',
    "ignoredAtStart().some((signal) => signal !== 'SIGPIPE')",
    'false',
    AT_ONCE,
  ),
  fault(
    'src/at-once.ts',
    'a small sort ignores -r',
    'return reverse ? sorted.reverse() : sorted;',
    'return sorted;',
    AT_ONCE,
  ),
  fault(
    'src/at-once.ts',
    'a small sort with -u keeps all lines',
    'sortedStrings(unique ? new Set(lines) : lines, reverse)',
    'sortedStrings(lines, reverse)',
    AT_ONCE,
  ),
  fault(
    'src/at-once.ts',
    'a small sort by keys drops equal keys',
    'else if (!unique) groups.set(key, group + delimiter + line);',
    '',
    AT_ONCE,
  ),
  fault(
    'src/at-once.ts',
    'a small sort drops equal lines',
    'sortedStrings(unique ? new Set(lines) : lines, reverse)',
    'sortedStrings(new Set(lines), reverse)',
    AT_ONCE,
  ),
  fault(
    'src/at-once.ts',
    'the last line of an input is joined with the first one of the next',
    'isOpen(text) ? [text, delimiter] : [text]',
    '[text]',
    AT_ONCE,
  ),
  fault(
    'src/at-once.ts',
    'a small sort writes a compressed file as it is',
    'texts.some((text) => detectCompression(text) !== null) || ',
    '',
    AT_ONCE,
  ),
  fault(
    'src/at-once.ts',
    'a small sort reads only the size of a file',
    'room.subarray(end), begin + end',
    'room.subarray(end, Number(stat.size)), begin + end',
    AT_ONCE,
  ),
  fault(
    'src/at-once.ts',
    'a small sort leaves standard input where it was',
    'if (!pipe.isUsed) passStandardInput(files, texts);',
    '',
    AT_ONCE,
  ),
  fault(
    'src/at-once.ts',
    'a small sort begins at the first byte of standard input',
    'name === null ? currentOffset(STANDARD_INPUT) : 0',
    '0',
    AT_ONCE,
  ),
  fault(
    'src/job/traits.ts',
    'a small sort with --verify is not verified',
    "verified: { means: '`--verify`', roads: [",
    "verified: { means: '`--verify`', roads: ['at once', ",
    AT_ONCE,
  ),
  fault(
    'src/at-once.ts',
    'a small sort gives an existing file another mode',
    'if (carryAttributesAtOnce(target.fd, file.fd)) return true;',
    'if (file.fd >= 0) return true;',
    AT_ONCE,
  ),
  fault('src/at-once.ts', 'a small sort replaces a file that took the name', 'checkName(target, file!);', '', AT_ONCE),
  fault(
    'src/output/target.ts',
    'a small sort opens a FIFO',
    'if (!fileSystem.statSync(name).isFile()) return null;',
    '',
    AT_ONCE,
  ),
  fault(
    'src/at-once.ts',
    'the general path opens the name of -o anew after a small sort gave up',
    'if (isLeft) leaveOpen(target);',
    'if (isLeft) closeQuietly(0x7fff);',
    AT_ONCE,
  ),
  fault(
    'kernels/wasm/keys/asconfig.json',
    'the tables of key kernels lie inside those of the sort',
    '"memoryBase": 32768',
    '"memoryBase": 16384',
    on('engines/cpu/tables'),
  ),
  fault(
    'src/job/traits.ts',
    'a small sort in chunks is one chunk',
    "chunkBytes: (bytes) => bytes !== null && 'chunked'",
    'chunkBytes: none',
    on('job/traits'),
  ),
  fault(
    'src/job/traits.ts',
    'a road takes a job if it can carry one of its traits',
    '[...traits].every(carries)',
    '[...traits].some(carries)',
    on('job/traits'),
  ),
  fault(
    'src/job/traits.ts',
    'only the first key has traits',
    'for (const part of job.ordering.key.parts)',
    'for (const part of job.ordering.key.parts.slice(0, 1))',
    on('job/traits'),
  ),
  // src/cli/parse
  fault(
    'src/cli/parse/getopt.ts',
    '-y takes any next word as its argument',
    'at === word.length - 1 && /^[0-9]*$/.test(argv[this.next])',
    'at === word.length - 1',
    JOBS,
  ),
  fault(
    'src/cli/parse/getopt.ts',
    'under POSIXLY_CORRECT, -o counts after an operand of -c',
    "return !isOutput || !this.takesLoneKeys || this.options.some(({ row }) => row.long === 'check');",
    'return !isOutput || !this.takesLoneKeys;',
    JOBS,
  ),
  fault(
    'src/cli/parse/getopt.ts',
    'a whole name that begins a longer one is ambiguous',
    'if (exact !== undefined) return exact;',
    '',
    JOBS,
  ),
  fault(
    'src/cli/parse/key-definition.ts',
    'the letters of +POS1 are lost if there is a -POS2',
    'new Set([...reader.found, ...endReader.found])',
    'new Set(endReader.found)',
    JOBS,
  ),
  fault(
    'src/cli/parse/values.ts',
    'a size of 2 ** 64 bytes is accepted',
    'const LARGEST = (1n << 64n) - 1n;',
    'const LARGEST = 1n << 64n;',
    OF_GNU,
  ),
  fault(
    'src/cli/parse/values.ts',
    'an ambiguous word means the first that fits',
    'if (fitting.length === 1) return',
    'if (fitting.length >= 1) return',
    ERRORS,
  ),
  fault(
    'src/cli/parse/record-key.ts',
    'a key of binary records may have no bytes',
    " || third === '' || Number(second) === 0)",
    " || third === '')",
    ERRORS,
  ),
  fault(
    'src/cli/parse/make-job.ts',
    'a key may end one byte after the record',
    'if (key.offset + key.length > size)',
    'if (key.offset + key.length > size + 1)',
    ERRORS,
  ),
  fault(
    'src/cli/parse/make-job.ts',
    '-r reverses keys with the letter r again',
    'reverse: key.reverse || reverse',
    'reverse: key.reverse !== reverse',
    KEYS,
  ),
  fault(
    'src/cli/parse/usage.ts',
    'swapped letters count as two edits',
    'const isSwapped = i > 1 &&',
    'const isSwapped = i > b.length &&',
    ERRORS,
  ),
  fault(
    'src/cli/parse/shell-words.ts',
    'a backslash in double quotes escapes every character',
    '(?:\\n|([$`"\\\\]))/g',
    '(?:\\n|([^]))/g',
    WORDS,
  ),
  fault(
    'src/cli/parse/files0.ts',
    'names of --files0-from are counted from 0',
    '${i + 1}: invalid',
    '${i}: invalid',
    NAMES,
  ),
  fault(
    'src/system/byte-source.ts',
    'the file of --files0-from stays open',
    '    source.close();\n  }\n  return Buffer.concat(blocks);',
    '  }\n  return Buffer.concat(blocks);',
    NAMES,
  ),
  fault(
    'src/cli/parse/environment.ts',
    'an empty TMPDIR is used',
    "rawVariable('TMPDIR') ||",
    "rawVariable('TMPDIR') ??",
    ENVIRONMENT,
  ),
  fault(
    'src/cli/parse/environment.ts',
    'POSIX 2008 forbids +POS1',
    'version >= 200809',
    'version > 200809',
    ENVIRONMENT,
  ),
  fault(
    'src/cli/parse/argv.ts',
    'a variable that is not UTF-8 begins with its equals sign',
    'entry.slice(name.length + 1)',
    'entry.slice(name.length)',
    PROGRAM,
  ),
  fault(
    'src/cli/parse/cluster.ts',
    '--cluster=local takes four digits',
    '[1-9][0-9]{0,2}$',
    '[1-9][0-9]{0,3}$',
    ERRORS,
  ),
  fault(
    'src/cli/parse/ordering.ts',
    'the whole line is dropped as the last key even if -r differs',
    'if (requested.unique || reverse !== requested.reverse)',
    'if (requested.unique)',
    JOBS,
  ),
  fault(
    'src/cli/parse/warnings.ts',
    'a key of one field is said to have zero width',
    'end !== null && end.field < begin.field',
    'end !== null && end.field <= begin.field',
    OF_GNU,
  ),
  fault(
    'src/cli/parse/tables.ts',
    'a carriage return may separate CSV fields',
    "const NO_SEPARATORS = '\"\\r\\n\\0';",
    "const NO_SEPARATORS = '\"\\n\\0';",
    ERRORS,
  ),
  fault('src/cli/parse/genomics.ts', 'zstd takes level 0', 'level > most || level < least', 'level > most', ERRORS),
  // src/cli/options
  fault(
    'src/cli/options/parsers.ts',
    'the last -S counts, not the largest',
    'Math.max(parseSize(given, spelling, 1024, surroundings.totalMemory), (previous as number | undefined) ?? 0)',
    'parseSize(given, spelling, 1024, surroundings.totalMemory)',
    JOBS,
  ),
  fault(
    'src/cli/options/parsers.ts',
    '-c after --check=explain forgets it',
    "how === 'explain' || (before?.explains ?? false)",
    "how === 'explain'",
    JOBS,
  ),
  fault(
    'src/cli/options/parsers.ts',
    'a second --slurm-options replaces the first',
    'appended(previous, ...splitWords',
    'appended(undefined, ...splitWords',
    JOBS,
  ),
  fault(
    'src/cli/options/table.ts',
    'an option of GNU sort is compatible with every own one',
    'if (isOwn(row.group) || isOwn(other.group))',
    'if (isOwn(row.group) && isOwn(other.group))',
    ERRORS,
  ),
  fault(
    'src/cli/options/own-rows.ts',
    '--top is compatible with segments',
    "conflicts: ['bottom', ...SEGMENTS]",
    "conflicts: ['bottom']",
    ERRORS,
  ),
  fault(
    'src/cli/options/other-rows.ts',
    '-m is compatible with --segments',
    'conflicts: SEGMENTS, help',
    'help',
    ERRORS,
  ),
  // src/cli/help
  fault(
    'src/cli/help/help.ts',
    '--help lacks letters that stand for an option with a value',
    'row.alias === undefined ? [item]',
    'row.alias !== null ? [item]',
    HELP,
  ),
  fault(
    'src/cli/help/man.ts',
    'the manual page shows optional arguments as required',
    'row.bare === undefined ? value : `[${value}]`',
    'value',
    HELP,
  ),
  fault(
    'src/cli/help/completions.ts',
    'bash completes options after --',
    'if [[ \\${COMP_WORDS[at]} == -- ]]; then',
    'if [[ \\${COMP_WORDS[at]} == --- ]]; then',
    HELP,
  ),
  fault(
    'src/cli/options/option.ts',
    'summaries in completions do not end at a semicolon',
    '.split(/; |\\. |: | \\(/)[0]',
    '.split(/\\. |: | \\(/)[0]',
    HELP,
  ),
  // src/cli/terminal
  fault(
    'src/cli/terminal/messages.ts',
    'FORCE_COLOR=0 colors messages',
    "if (forced === '0' || forced === 'false') return false;",
    "if (forced === 'false') return false;",
    MESSAGES,
  ),
  fault(
    'src/system/transfer.ts',
    'a message to a full pipe is lost',
    'if (!isTemporary(error)) throw error;\n      Atomics',
    'throw error;\n      Atomics',
    MESSAGES,
  ),
  fault(
    'src/cli/terminal/progress.ts',
    'the time left counts bytes of earlier phases',
    '(elapsed / (bytes - firstBytes))',
    '(elapsed / bytes)',
    PROGRESS,
  ),
  fault(
    'src/cli/terminal/progress.ts',
    'the progress line is drawn into data on the terminal',
    "const writesToTerminal = job.mode !== 'check'",
    "const writesToTerminal = false && job.mode !== 'check'",
    MESSAGES,
  ),
  fault(
    'src/cli/terminal/signals.ts',
    'TERM is ignored if an interactive shell started the program',
    "ignores('SIGTERM') && !ignores('SIGQUIT')",
    "ignores('SIGTERM')",
    SIGNALS,
  ),
  fault(
    'src/cli/terminal/signals.ts',
    'a signal leaves temporary files',
    'runCleanups();\n  if (isWindows())',
    'if (isWindows())',
    SIGNALS,
  ),
  fault(
    'src/cli/terminal/restart.ts',
    'descriptors of the shell are not passed on to the restarted program',
    '(fd) => fd < MOST_DESCRIPTORS',
    '(fd) => fd < 5',
    LIMITS,
  ),
  // src/cli
  fault(
    'src/cli/main.ts',
    '-C reports disorder',
    "if (job.check.quiet && error instanceof GpusortError && error.code === 'disorder') return error.exitCode;",
    '',
    PROGRAM,
  ),
  fault(
    'src/cli/main.ts',
    '-m keeps code that lacks the functions of a sort',
    "return mode === 'sort' && report.explain === 'no'",
    "return report.explain === 'no'",
    CACHE,
  ),
  fault(
    'src/cli/main.ts',
    'a program that refuses its input ends the sort by SIGPIPE',
    '  input.decompress ||\n',
    '',
    SIGNALS,
  ),
  fault(
    'src/cli/main.ts',
    'a closed pipe is reported as an error',
    "if (error instanceof GpusortError && error.code === 'broken-pipe' && !isIgnored('SIGPIPE')) dieOf('SIGPIPE');",
    '',
    SIGNALS,
  ),
  fault(
    'src/cli/presets.ts',
    'presets that the command line overrides are shown',
    '.filter(({ row }) => optionValue(given, row.long) === undefined)',
    '',
    PRESETS,
  ),
  fault(
    'src/cli/request.ts',
    '-c takes two inputs',
    'if (check !== undefined && inputs.length > 1)',
    'if (check !== undefined && inputs.length > 2)',
    OF_GNU,
  ),
  fault(
    'src/cli/request.ts',
    'an engine in GPUSORT_OPTIONS may refuse a sort',
    'if (engine === undefined) throw error;',
    'throw error;',
    PRESETS,
  ),
  // src/engines/collate
  fault(
    'src/engines/collate/merge.ts',
    'a merge writes equal lines of later texts first',
    'return sign !== 0 ? sign < 0 : a < b;',
    'return sign !== 0 ? sign < 0 : a > b;',
    COLLATE,
  ),
  fault(
    'src/engines/collate/merge.ts',
    'a merge drops the end of a line that is larger than its block',
    'if (end <= next) end = text.indexOf(delimiter, next) + 1;',
    'if (end <= next) end = text.indexOf(delimiter, next);',
    COLLATE,
  ),
  fault(
    'src/engines/collate/order.ts',
    'lines are sorted by 22 of the 32 high bits',
    'const DIGITS = 3;',
    'const DIGITS = 2;',
    COLLATE,
  ),
  fault(
    'src/engines/collate/order.ts',
    '--bottom leaves one line too many in a chunk',
    'left.length - limit.count)',
    'left.length - limit.count - 1)',
    COLLATE,
  ),
  fault(
    'src/engines/collate/order.ts',
    'the last segment of a chunk begins after its lines',
    'if (number === 0) firstEnd = output.bytes;',
    'if (number === 0) firstEnd = output.bytes;\n    lastBegin = output.bytes;',
    SEGMENTS,
  ),
  fault(
    'src/engines/collate/lines.ts',
    'one line too many is counted',
    'private records = 0;',
    'private records = 1;',
    COLLATE,
  ),
  // src/keys/collation
  fault(
    'src/keys/collation/primary-weights.ts',
    'a mark does not belong to the letter before it',
    'const CONTRACTION = 3;',
    'const CONTRACTION = 0;',
    COLLATE,
  ),
  fault(
    'src/keys/collation/primary-weights.ts',
    'letters that expand to several have a rank',
    'base.compare(last[0] + HIGHEST, character) < 0',
    'base.compare(last[0], character) < 0',
    COLLATE,
  ),
  fault(
    'src/keys/collation/part.ts',
    '-f ignores the rules of the language',
    'counts.toLocaleUpperCase(this.locale)',
    'counts.toUpperCase()',
    LANGUAGES,
  ),
  fault(
    'src/keys/collation/part.ts',
    '-b without a key compares leading blanks',
    '!begin.skipBlanks && end === null',
    'end === null',
    LANGUAGES,
  ),
  fault(
    'src/keys/collation/part.ts',
    'surrogates in UTF-8 are characters',
    'first === 0xed ? 0x9f : first',
    'first === 0xee ? 0x9f : first',
    LANGUAGES,
  ),
  fault(
    'src/keys/collation/collation.ts',
    'the last resort ignores -r',
    'reverse ? Buffer.compare(b, a) : Buffer.compare(a, b)',
    'Buffer.compare(a, b)',
    LANGUAGES,
  ),
  // src/system/platform.ts, platform-defaults.ts, limits.ts, installed.ts
  fault(
    'src/system/platform.ts',
    'a file in use on Windows is not waited for',
    '|| waited >= PATIENCE_MS) throw error;',
    '|| waited >= 0) throw error;',
    PLATFORM,
  ),
  fault(
    'src/system/platform-defaults.ts',
    'macOS has no limit on open files',
    'isMac() ? 10_240 : Infinity',
    'Infinity',
    PLATFORM,
  ),
  fault(
    'src/system/limits.ts',
    'the limit on open files is unknown where /proc has it',
    "if (text === '') known",
    "if (text !== '') known",
    LIMITS,
  ),
  fault(
    'src/system/limits.ts',
    'a limit on addresses does not restart the program',
    'addresses < (availableParallelism() + 2) * RESERVED_BYTES &&',
    'addresses < RESERVED_BYTES / 1e6 &&',
    LIMITS,
  ),
  fault(
    'src/system/installed.ts',
    'an incomplete installation is reported without a remedy',
    "error,\n    'Install gpusort again. If a bundler has packed your program, declare gpusort external to the bundler.',",
    'error,',
    INSTALLATION,
  ),
  fault(
    'src/system/file-system.ts',
    'a standard error that is no device loads node:tty',
    '(isWindows() || fs.fstatSync(fd).isCharacterDevice()) && isatty(fd)',
    'isatty(fd)',
    BUNDLES,
  ),
  // bin
  fault(
    'bin/code-cache.cjs',
    'code that others can write is used',
    'uid !== process.geteuid() || (mode & OTHERS) !== 0 ||',
    'uid !== process.geteuid() ||',
    CACHE,
  ),
  fault(
    'bin/code-cache.cjs',
    'all files of other versions are kept',
    '.slice(MOST_FILES);',
    '.slice(2 * MOST_FILES);',
    CACHE,
  ),
  fault(
    'bin/load.cjs',
    'code that V8 rejects stays in the cache',
    '(cachedData === undefined || one.script.cachedDataRejected)',
    'cachedData === undefined',
    CACHE,
  ),
  fault(
    'bin/worker.cjs',
    'threads use the last build instead of that of their process',
    'load.useBuild(process.argv[2]);',
    '',
    BUILD,
  ),
  fault(
    'bin/load.cjs',
    'a program in a clone does not stay with its build',
    "existsSync(CURRENT) ? join(DIST, 'builds', readFileSync(CURRENT, 'latin1')) : DIST",
    'DIST',
    BUILD,
  ),
  fault(
    'tools/build/publish.mjs',
    'starts use a build before it is there',
    '    const program = keepProgram(built, join(dist, BUILDS));\n    writeFileSync(join(built, CURRENT), program);\n    replace(built, dist, CURRENT);\n',
    '    writeFileSync(join(built, CURRENT), buildId(built));\n    replace(built, dist, CURRENT);\n    const program = keepProgram(built, join(dist, BUILDS));\n',
    BUILD,
  ),
  fault(
    'bin/gpusort.cjs',
    'an incomplete installation has the status of disorder',
    'process.exitCode = 2;',
    'process.exitCode = 1;',
    PROGRAM,
  ),
  // descriptors, absent keys, order of merged inputs, places of problems, drawings, versions of Node, control groups
  fault(
    'src/cli/terminal/descriptors.ts',
    'event queues of Node count as given',
    'if (target.startsWith(NODES)) return true;',
    '',
    DESCRIPTORS,
  ),
  fault(
    'src/cli/terminal/descriptors.ts',
    'links to descriptors are not followed',
    'return !fileSystem.lstatSync(name).isSymbolicLink();',
    'return !fileSystem.lstatSync(name).isSymbolicLink() || String(name) !== "";',
    DESCRIPTORS,
  ),
  fault(
    'src/system/file-system.ts',
    "a descriptor of Node's own can be examined as an input",
    'if (!stat.isFile()) refuse(name);',
    '',
    DESCRIPTORS,
  ),
  fault(
    'src/keys/presence.ts',
    'one record without the part is enough for the warning',
    '=== LACKED)',
    '& LACKED)',
    ABSENT,
  ),
  fault(
    'src/keys/presence.ts',
    'the bits of the last task win',
    'bits | Number(digits[i])',
    'Number(digits[i])',
    ABSENT,
  ),
  fault('src/input/in-order.ts', 'ties are in disorder', '!isTie(textWithoutKey', '!!(textWithoutKey', MERGE_ORDER),
  fault('src/input/in-order.ts', 'the last record of a batch is forgotten', 'this.previous = last;', '', MERGE_ORDER),
  fault(
    'src/input/in-order.ts',
    'records of earlier batches are not counted',
    'this.records += digest.records;',
    '',
    MERGE_ORDER,
  ),
  fault(
    'src/input/locate-problem.ts',
    'lines of the header are not counted',
    '(headers?.recordsOf(input) ?? 0) + records + 1',
    'records + 1',
    PLACES,
  ),
  fault(
    'src/input/locate-problem.ts',
    'windows before the problem are not counted',
    'bytes += added.length;',
    '',
    PLACES,
  ),
  fault(
    'src/cli/drawing.ts',
    'an empty drawing stays after an error',
    'if (isNew && fd !== null',
    'if (!isNew && fd !== null',
    DRAWING,
  ),
  fault(
    'src/cli/drawing.ts',
    'the rest of a longer drawing stays',
    'await fileSystem.ftruncate(open, 0);',
    '{}',
    DRAWING,
  ),
  fault(
    'bin/node-version.cjs',
    'the first good version is refused',
    'parts[1] >= first[1]',
    'parts[1] > first[1]',
    VERSIONS,
  ),
  fault(
    'src/system/limits.ts',
    'only the innermost control group limits threads',
    'path = dirname(path)',
    "path = ''",
    LIMITS_SLOW,
  ),
];
