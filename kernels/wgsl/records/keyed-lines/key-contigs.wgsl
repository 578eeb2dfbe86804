//! needs: shared/contig-table
// The normalized key of a contig's name: its rank in a table, byte for byte as kernels/wasm/keys/contig.ts makes it on
// the host. A file that includes this one declares put (a digit), BASE and tables, and includes shared/fields.wgsl.

const STAR = 42u;

/// Puts the rank of the name [begin, end), one to four digits; `*` is after all names, and so is every name if
/// `unmapped`. Returns false if it is not listed.
fn put_contig(begin: u32, end: u32, table: u32, unmapped: bool) -> bool {
  let found = contig_rank(begin, end, table);
  let rank = select(found, tables[table + COUNT], unmapped);
  let digits = tables[table + DIGITS];
  if (digits > 3u) { put(rank / (BASE * BASE * BASE)); }
  if (digits > 2u) { put(rank / (BASE * BASE) % BASE); }
  if (digits > 1u) { put(rank / BASE % BASE); }
  put(rank % BASE);
  return found < tables[table + COUNT] || (end - begin == 1u && byte_at(begin) == STAR);
}
