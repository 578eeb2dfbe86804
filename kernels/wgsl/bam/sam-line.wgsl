//! needs: bam/sam-numbers, shared/contig-table
// Reads the columns of a line of SAM, with the rules of kernels/wasm/alignments/sam-record.ts: a record without a
// contig or a CIGAR is unmapped. A kernel that includes this file declares text (shared/bytes.wgsl) and tables
// (shared/contig-table.wgsl), whose table of contigs is at word 0.

/// Problems of a line, as bits; the same as in src/engines/gpu/bam/sam-texts.ts.
const MALFORMED = 1u;
const UNPLACED = 2u;    // a contig, but no position: the orders of SAM and BAM differ
const UNREADABLE = 4u;  // a number that single_of does not read, or a tag of type d
const LONG = 8u;        // a CIGAR too long for its field, or in the tag CG
const NUL = 16u;        // text that ends before its end

var<private> problem: u32 = 0u;

fn fail(what: u32) { problem |= what; }

const TAB = 9u;
const RETURN = 13u;
const STAR = 42u;
const EQUALS = 61u;
const NONE = 0xffffffffu;
const UNMAPPED = 4u;
const MOST_NAME_BYTES = 254u;
const MOST_POSITION = 0x7fffffffu;
const MOST_OPERATION = 0x0fffffffu;
const MOST_OPERATIONS = 0xffffu;
const MOST_BASES = 0x7fffffffu;

/// The columns of a line. Numbers are those of the record.
struct Alignment {
  name: u32,
  name_end: u32,
  flag: u32,
  contig: u32,
  position: u32,
  quality: u32,
  cigar: u32,
  operations: u32,
  span: u32,             // bases of the contig, at least 1
  mate: u32,
  mate_position: u32,
  template_length: u32,
  sequence: u32,
  bases: u32,
  qualities: u32,        // 0: none
  tags: u32,
  end: u32,
}

const COLUMNS = 11u;
// Columns that are numbers.
const FLAG = 1u;
const POSITION = 3u;
const QUALITY = 4u;
const MATE_POSITION = 7u;
const LENGTH = 8u;
// Those that are names of contigs, and others.
const CONTIG = 2u;
const CIGAR = 5u;
const MATE = 6u;
const SEQUENCE = 9u;
const QUALITIES = 10u;

/// Where each column begins, and the byte after the tab or the end of the last one.
alias Places = array<u32, COLUMNS + 1u>;

fn field_end(at: u32, end: u32) -> u32 { return find_separator(at, end, TAB, 1u); }

fn is_letter(begin: u32, end: u32, letter: u32) -> bool { return end - begin == 1u && byte_at(begin) == letter; }

/// The largest number of a column; 0: it is not a number.
fn most_in(column: u32) -> u32 {
  switch column {
    case FLAG: { return 0xffffu; }
    case POSITION, MATE_POSITION: { return MOST_POSITION; }
    case QUALITY: { return 255u; }
    case LENGTH: { return 0x7fffffffu; }
    default: { return 0u; }
  }
}

/// The number [begin, end) of a column.
fn number_of(column: u32, begin: u32, end: u32) -> u32 {
  let number = read_whole(begin);
  let least = select(0u, 0x80000000u, column == LENGTH);
  if (number.end != end || !is_within(number, least, most_in(column))) { fail(MALFORMED); }
  // A flag that begins with 0 would be octal for htslib.
  if (column == FLAG && byte_at(begin) == ZERO && end > begin + 1u) { fail(MALFORMED); }
  return value_of(number);
}

/// The number of the contig [begin, end); NONE for `*`.
fn contig_of(begin: u32, end: u32) -> u32 {
  if (is_letter(begin, end, STAR)) { return NONE; }
  let rank = contig_rank(begin, end, 0u);
  if (rank == tables[COUNT]) { fail(MALFORMED); }
  return rank;
}

/// The code of a CIGAR's operation; NONE for other letters.
fn operation_code(letter: u32) -> u32 {
  switch letter {
    case 77u: { return 0u; }  // M
    case 73u: { return 1u; }  // I
    case 68u: { return 2u; }  // D
    case 78u: { return 3u; }  // N
    case 83u: { return 4u; }  // S
    case 72u: { return 5u; }  // H
    case 80u: { return 6u; }  // P
    case 61u: { return 7u; }  // =
    case 88u: { return 8u; }  // X
    case 66u: { return 9u; }  // B
    default: { return NONE; }
  }
}

// Operations that advance in the read (M, I, S, = and X) and on the contig (M, D, N, = and X), as bits.
const IN_READ = (1u << 0u) | (1u << 1u) | (1u << 4u) | (1u << 7u) | (1u << 8u);
const ON_CONTIG = (1u << 0u) | (1u << 2u) | (1u << 3u) | (1u << 7u) | (1u << 8u);

/// A CIGAR: its operations, and the bases that they span, MOST_BASES at most.
struct Cigar { operations: u32, read_bases: u32, contig_bases: u32 }

/// Reads the CIGAR [begin, end). It has no operations if it is `*`.
fn read_cigar(begin: u32, end: u32) -> Cigar {
  var cigar = Cigar();
  if (is_letter(begin, end, STAR)) { return cigar; }
  for (var at = begin; at < end; ) {
    let number = read_whole(at);
    let code = operation_code(byte_at(number.end));
    if (code == NONE || !is_within(number, 0u, MOST_OPERATION)) {
      fail(MALFORMED);
      break;
    }
    cigar.read_bases = min(cigar.read_bases + number.size * ((IN_READ >> code) & 1u), MOST_BASES);
    cigar.contig_bases = min(cigar.contig_bases + number.size * ((ON_CONTIG >> code) & 1u), MOST_BASES);
    cigar.operations++;
    at = number.end + 1u;
  }
  if (cigar.operations == 0u) { fail(MALFORMED); }
  if (cigar.operations > MOST_OPERATIONS) { fail(LONG); }
  return cigar;
}

/// Where a line ends that begins at `begin`, without the newline before `next`, and a carriage return before that.
fn line_stop(begin: u32, next: u32) -> u32 {
  let newline = next - 1u;
  return newline - select(0u, 1u, newline > begin && byte_at(newline - 1u) == RETURN);
}

/// The alignment of the line [begin, end), if `problem` is 0 afterwards. Qualities and tags are checked later.
fn read_alignment(begin: u32, end: u32) -> Alignment {
  var line: Alignment;
  var at: Places;
  at[0] = begin;
  for (var column = 0u; column < COLUMNS; column++) {
    let stop = field_end(at[column], end);
    if (stop >= end && column + 1u < COLUMNS) {
      fail(MALFORMED);
      return line;
    }
    at[column + 1u] = stop + 1u;
  }
  // Its numbers, and the numbers of its contigs.
  var values: array<u32, COLUMNS>;
  for (var column = FLAG; column <= LENGTH; column++) {
    let stop = at[column + 1u] - 1u;
    if (most_in(column) > 0u) { values[column] = number_of(column, at[column], stop); }
    if (column == CONTIG || column == MATE) {
      if (column == MATE && is_letter(at[column], stop, EQUALS)) {
        values[column] = values[CONTIG];
      } else {
        values[column] = contig_of(at[column], stop);
      }
    }
  }
  line.name = begin;
  line.name_end = at[FLAG] - 1u;
  if (line.name_end - begin > MOST_NAME_BYTES) { fail(MALFORMED); }
  line.flag = values[FLAG];
  line.contig = values[CONTIG];
  line.position = values[POSITION] - 1u;
  line.quality = values[QUALITY];
  line.cigar = at[CIGAR];
  let cigar = read_cigar(line.cigar, at[MATE] - 1u);
  line.operations = cigar.operations;
  if (line.contig == NONE || cigar.operations == 0u) { line.flag |= UNMAPPED; }
  if (line.contig != NONE && line.position == NONE) { fail(UNPLACED); }
  line.span = select(max(cigar.contig_bases, 1u), 1u, (line.flag & UNMAPPED) != 0u);
  line.mate_position = values[MATE_POSITION] - 1u;
  line.mate = select(values[MATE], NONE, line.mate_position == NONE);
  line.template_length = values[LENGTH];
  line.sequence = at[SEQUENCE];
  line.qualities = at[QUALITIES];
  line.tags = at[COLUMNS];
  line.end = end;
  let sequence_end = line.qualities - 1u;
  line.bases = select(sequence_end - line.sequence, 0u, is_letter(line.sequence, sequence_end, STAR));
  if (line.bases > 0u && cigar.operations > 0u && cigar.read_bases != line.bases) { fail(MALFORMED); }
  let qualities_end = line.tags - 1u;
  if (is_letter(line.qualities, qualities_end, STAR)) {
    line.qualities = 0u;
  } else if (line.bases == 0u || qualities_end - line.qualities != line.bases) {
    fail(MALFORMED);
  }
  return line;
}
