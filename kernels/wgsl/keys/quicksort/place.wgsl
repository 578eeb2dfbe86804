//! needs: keys/quicksort/lists
// Routes the sequences that a partition leaves: to the next iteration, or to phase two. Needs key-{KEY_WORDS} and
// key-average-{KEY_WORDS}.
// The host prepends `const THREADS` and `const NUMBER_SLOTS`: the pivots of the iterations in these first slots, two in
// each, are averages of numbers. The kernel declares
//   next: array<Sequence>, next_owners: array<u32> (the sequence of each section), claims: array<atomic<u32>> (two per
//   sequence), counts: array<atomic<u32>> (of the next iteration),
//   listed: array<atomic<u32>>, pieces: array<Piece>, and in `im`
//   slot (of the next iteration in counts), side (where the elements are), least_length, enough, long, section_keys

/// The entries that all threads write to the lists: `count` pieces from number `first`, or the owner of that many
/// sections.
struct Placed { pieces: bool, first: u32, count: u32, owner: u32, begin: u32, end: u32, key: Key }

const NOTHING = Placed(false, 0u, 0u, 0u, 0u, 0u, LAST_KEY);

var<workgroup> placed: array<Placed, 3>;

/// Settled elements [begin, begin + length) of one key; one thread places them. If `moved` to side 0, they are done.
fn place_settled(child: u32, begin: u32, length: u32, key: Key, moved: bool) {
  placed[child] = NOTHING;
  if (length == 0u || (moved && im.side == 0u)) { return; }
  let count = (length + im.long - 1u) / im.long;
  placed[child] = Placed(true, atomicAdd(&listed[0], count), count, 0u, begin, begin + length, key);
}

/// The pivot of a sequence with these extreme keys: the average of the numbers, as in the paper. Numbers may come ever
/// closer to one, such as zero, that few of them have, so after some iterations it is the average of their codes, which
/// halves the range of codes each time.
fn pivot_between(least: Key, most: Key) -> Key {
  let number = number_average(least, most);
  let lies_between = !key_before(number, least) && key_before(number, most);
  if (lies_between && im.slot < NUMBER_SLOTS) { return number; }
  return key_average(least, most);
}

/// Elements [begin, begin + length) with keys from `least` to `most`, placed by one thread.
/// `others` sequences exist already.
fn place_sequence(child: u32, begin: u32, length: u32, least: Key, most: Key, others: u32) {
  if (length == 0u || keys_equal(least, most)) {
    place_settled(child, begin, length, least, true);
    return;
  }
  placed[child] = NOTHING;
  // As in the paper, no more sequences once there are enough; but no piece may occupy one workgroup for long.
  if (length <= im.least_length || (length <= im.long && others >= im.enough)) {
    atomicAdd(&listed[1], 1u);
    pieces[atomicAdd(&listed[0], 1u)] = Piece(begin, length, im.side, 0u, least);
    return;
  }
  let count = (length + im.section_keys - 1u) / im.section_keys;
  let number = atomicAdd(&counts[6u * im.slot], 1u);
  let first = atomicAdd(&counts[6u * im.slot + 3u], count);
  next[number] = Sequence(begin, length, first, count, least, most, pivot_between(least, most));
  atomicStore(&claims[2u * number], 0u);
  atomicStore(&claims[2u * number + 1u], 0u);
  placed[child] = Placed(false, first, count, number, begin, begin + length, least);
}

/// Writes the lists for a child. All threads call it, after a barrier.
fn list_placed(thread: u32, child: u32) {
  let to = placed[child];
  for (var i = thread; i < to.count; i += THREADS) {
    if (to.pieces) {
      let begin = to.begin + i * im.long;
      pieces[to.first + i] = Piece(begin, min(im.long, to.end - begin), im.side, 1u, to.key);
    } else {
      next_owners[to.first + i] = to.owner;
    }
  }
}
