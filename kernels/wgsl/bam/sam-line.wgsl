//! needs: bam/sam-numbers, records/contig-table
// Reads the columns of a line of SAM, with the rules of kernels/wasm/alignments/sam-record.ts: a record without a
// contig or a CIGAR is unmapped. A kernel that includes this file declares text (shared/bytes.wgsl) and tables
// (records/contig-table.wgsl), whose table of contigs is at word 0.

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

var<private> cursor: u32;    // the next byte to read
var<private> line_end: u32;

fn field_end(at: u32, end: u32) -> u32 { return find_separator(at, end, TAB, 1u); }

/// Takes a field that a tab ends; returns its end.
fn take_field() -> u32 {
  let end = field_end(cursor, line_end);
  if (end >= line_end) { fail(MALFORMED); }
  cursor = end + 1u;
  return end;
}

/// Takes a whole number in [-least, most] that a tab ends.
fn take_number(least: u32, most: u32) -> u32 {
  let number = read_whole(cursor);
  if (!is_within(number, least, most) || byte_at(number.end) != TAB) {
    fail(MALFORMED);
  } else {
    cursor = number.end + 1u;
  }
  return value_of(number);
}

/// A flag that begins with 0 would be octal for htslib.
fn take_flag() -> u32 {
  let begin = cursor;
  let flag = take_number(0u, 0xffffu);
  if (byte_at(begin) == ZERO && cursor > begin + 2u) { fail(MALFORMED); }
  return flag;
}

/// Takes the name of a contig; returns its number, or NONE for `*`. If `may_be_same`, `=` stands for `same`.
fn take_contig(may_be_same: bool, same: u32) -> u32 {
  let begin = cursor;
  let end = take_field();
  if (end - begin == 1u && byte_at(begin) == STAR) { return NONE; }
  if (may_be_same && end - begin == 1u && byte_at(begin) == EQUALS) { return same; }
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

/// Takes a CIGAR. It has no operations if it is `*`.
fn take_cigar() -> Cigar {
  var cigar = Cigar();
  if (byte_at(cursor) == STAR && byte_at(cursor + 1u) == TAB) {
    cursor += 2u;
    return cigar;
  }
  while (byte_at(cursor) != TAB) {
    let number = read_whole(cursor);
    let code = operation_code(byte_at(number.end));
    if (code == NONE || !is_within(number, 0u, MOST_OPERATION)) {
      fail(MALFORMED);
      break;
    }
    cigar.read_bases = min(cigar.read_bases + number.size * ((IN_READ >> code) & 1u), MOST_BASES);
    cigar.contig_bases = min(cigar.contig_bases + number.size * ((ON_CONTIG >> code) & 1u), MOST_BASES);
    cigar.operations++;
    cursor = number.end + 1u;
  }
  cursor++;
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
  cursor = begin;
  line_end = end;
  line.end = end;
  line.name = begin;
  line.name_end = take_field();
  if (line.name_end - begin > MOST_NAME_BYTES) { fail(MALFORMED); }
  line.flag = take_flag();
  line.contig = take_contig(false, NONE);
  line.position = take_number(0u, MOST_POSITION) - 1u;
  line.quality = take_number(0u, 255u);
  line.cigar = cursor;
  let cigar = take_cigar();
  line.operations = cigar.operations;
  if (line.contig == NONE || cigar.operations == 0u) { line.flag |= UNMAPPED; }
  if (line.contig != NONE && line.position == NONE) { fail(UNPLACED); }
  line.span = select(max(cigar.contig_bases, 1u), 1u, (line.flag & UNMAPPED) != 0u);
  line.mate = take_contig(true, line.contig);
  line.mate_position = take_number(0u, MOST_POSITION) - 1u;
  if (line.mate_position == NONE) { line.mate = NONE; }
  line.template_length = take_number(0x80000000u, 0x7fffffffu);
  line.sequence = cursor;
  let sequence_end = take_field();
  line.bases = sequence_end - line.sequence;
  if (line.bases == 1u && byte_at(line.sequence) == STAR) { line.bases = 0u; }
  if (line.bases > 0u && cigar.operations > 0u && cigar.read_bases != line.bases) { fail(MALFORMED); }
  line.qualities = cursor;
  let qualities_end = field_end(cursor, end);
  if (qualities_end - cursor == 1u && byte_at(cursor) == STAR) {
    line.qualities = 0u;
  } else if (line.bases == 0u || qualities_end - cursor != line.bases) {
    fail(MALFORMED);
  }
  line.tags = qualities_end + 1u;
  return line;
}
