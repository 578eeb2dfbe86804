/**
 * Random cases for the soak test: data, options, limits and faults. A seed gives the same case on every machine that
 * has the same engines.
 */

/** Random choices from a seed: 32-bit xorshift (Marsaglia, 2003). */
export function dice(seed) {
  let state = Math.imul(seed + 1, 0x9e3779b1) >>> 0 || 1;
  const next = () => {
    state ^= state << 13;
    state >>>= 0;
    state ^= state >>> 17;
    state ^= state << 5;
    state >>>= 0;
    return state / 2 ** 32;
  };
  for (let i = 0; i < 20; i++) next();
  const below = (n) => Math.floor(next() * n);
  return { below, chance: (share) => next() < share, pick: (list) => list[below(list.length)], next };
}

const WORDS = 'alpha beta gamma delta Epsilon zeta ETA theta iota kappa lambda mu nu xi omicron pi rho sigma tau'.split(
  ' ',
);
const word = (d) => d.pick(WORDS) + (d.chance(0.5) ? d.below(1000) : '');
const text = (d, length) => Buffer.from(Uint8Array.from({ length }, () => 32 + d.below(95))).toString('latin1');

/** Generators of lines, one for each kind. */
const LINES = {
  integers: (d) => `${d.chance(0.3) ? '-' : ''}${d.below(10 ** (1 + d.below(9)))}`,
  decimals: (d) => `${d.below(1000)}.${d.below(10 ** (1 + d.below(6)))}`,
  sizes: (d) => `${d.below(1000)}${d.pick(['', 'K', 'M', 'G'])}`,
  words: (d) => `${word(d)} ${word(d)}`,
  fields: (d) => `${d.below(20)},${word(d)},${d.below(1e6)},${word(d)}`,
  versions: (d) => `lib-${d.below(5)}.${d.below(20)}.${d.below(100)}`,
  bytes: (d) =>
    Buffer.from(Uint8Array.from({ length: d.below(40) }, () => d.below(256)))
      .toString('latin1')
      .replaceAll('\n', '\0'),
  empty: (d) => (d.chance(0.9) ? '' : 'x'),
  equal: () => 'the same line every time',
  prefixed: (d) => `https://example.org/a/rather/long/common/prefix/${d.below(1e6)}`,
  long: (d) => (d.chance(0.02) ? text(d, 20_000 + d.below(200_000)) : text(d, d.below(200))),
};

const ORDERINGS = [
  [],
  [],
  [],
  ['-r'],
  ['-n'],
  ['-nr'],
  ['-g'],
  ['-h'],
  ['-V'],
  ['-M'],
  ['-f'],
  ['-d'],
  ['-u'],
  ['-s', '-k1,1'],
  ['-nu'],
  ['-fu'],
  ['-t,', '-k3,3n', '-k1,1'],
  ['-k2'],
  ['-k2,2r'],
  ['-t,', '-k2,2', '-s'],
  ['-b'],
  ['-z'],
  ['-rs'],
];
const ERRORS = ['EIO', 'ENOSPC', 'EDQUOT', 'EMFILE', 'EINTR', 'EACCES', 'short'];
const SIGNALS = [
  'SIGTERM',
  'SIGINT',
  'SIGHUP',
  'SIGQUIT',
  'SIGALRM',
  'SIGUSR1',
  'SIGUSR2',
  'SIGXCPU',
  'SIGVTALRM',
  'SIGPROF',
  'SIGIO',
  'SIGKILL',
];

/** The case of a seed. `engines`: the engines of this machine. */
export function caseOf(seed, engines) {
  const d = dice(seed);
  const ordering = d.pick(ORDERINGS);
  const mode = d.pick(['sort', 'sort', 'sort', 'sort', 'sort', 'merge', 'check']);
  const delimiter = ordering.includes('-z') ? '\0' : '\n';
  const files = d.pick(mode === 'check' ? [1] : [1, 1, 1, 2, 5, 40]);
  const output = mode === 'check' ? 'none' : d.pick(['stdout', 'stdout', 'new', 'old', 'linked', 'input']);
  const fault = faultOf(d, mode);
  const inputs = Array.from({ length: files }, () => dataOf(d, ordering, delimiter, files));
  return {
    seed,
    mode,
    ordering,
    delimiter,
    output,
    fault,
    inputs,
    piped: output !== 'input' && d.chance(0.15),
    own: ownOptions(
      d,
      mode,
      engines,
      fault,
      inputs.reduce((sum, { length }) => sum + length, 0),
    ),
    limits: limitsOf(d, fault),
  };
}

/** Leaves out R and Q under -h: they are suffixes here, but not in GNU sort before 9.2. */
function dataOf(d, ordering, delimiter, files) {
  const kind = d.pick(Object.keys(LINES));
  const bytes = Math.floor(10 ** (1 + d.next() * (d.chance(0.1) ? 6.5 : 5))) / files;
  const lines = [];
  for (let size = 0; size < bytes; ) {
    const line = LINES[kind](d)
      .replaceAll(delimiter, ' ')
      .replaceAll(ordering.includes('-h') ? /[RQrq]/g : /$^/g, 'T');
    lines.push(line);
    size += line.length + 1;
  }
  if (d.chance(0.15)) lines.sort();
  if (d.chance(0.05)) lines.reverse();
  const all = d.chance(0.05) ? '' : lines.join(delimiter) + (d.chance(0.8) ? delimiter : '');
  return Buffer.from(all, 'latin1');
}

function ownOptions(d, mode, engines, fault, bytes) {
  const options = [];
  const engine = d.pick(engines);
  options.push(`--engine=${engine}`);
  if (d.chance(0.6)) options.push(`-S${d.pick(['1M', '4M', '32M', '256M'])}`);
  // At most 300 chunks: thousands of runs take minutes.
  if (d.chance(0.6))
    options.push(`--chunk-size=${Math.max(Math.ceil(bytes / 300), d.pick([200, 4 << 10, 64 << 10, 1 << 20]))}`);
  if (d.chance(0.5)) options.push(`--parallel=${d.pick([1, 2, 3, 8])}`);
  if (engine === 'cpu' && mode === 'sort' && d.chance(0.2))
    options.push(`--algorithm=${d.pick(['radix', 'sample-sort'])}`);
  if (mode === 'merge' && d.chance(0.5)) options.push(`--batch-size=${d.pick([2, 3, 16])}`);
  if (mode !== 'check' && d.chance(0.3)) options.push('--verify');
  if (d.chance(0.1)) options.push('--sync');
  if (fault.kind === 'none' && d.chance(0.05)) options.push('--compress-program=gzip');
  return options;
}

function faultOf(d, mode) {
  const kind = d.pick([
    'none',
    'none',
    'call',
    'call',
    'signal',
    'signal',
    ...(mode === 'check' ? [] : ['reader closes']),
  ]);
  if (kind === 'call') return { kind, number: Math.floor(10 ** (d.next() * 2.2)) - 1, error: d.pick(ERRORS) };
  if (kind === 'signal') {
    return { kind, signal: d.pick(SIGNALS), ms: Math.floor(10 ** (d.next() * 3)) };
  }
  return { kind };
}

/** Limits set by the shell. Under a `strict` one GNU sort works, so gpusort must work too. */
function limitsOf(d, fault) {
  if (fault.kind !== 'none' || !d.chance(0.4)) return { words: '', strict: true };
  return d.pick([
    { words: 'ulimit -n 64', strict: true },
    { words: 'ulimit -n 32', strict: false },
    { words: 'ulimit -v 4000000', strict: true },
    { words: 'ulimit -f 100', strict: false },
    { words: 'exec 3< /dev/null; ulimit -n 100', strict: true },
  ]);
}
