//! needs: keys/key-{KEY_WORDS}
// Eight adjacent pairs in a thread's registers. They have names because an array indexed
// at run time would go to memory.

/// A code with its value, or with other data that moves with it.
struct Pair { key: Key, value: u32 }

struct Eight { p0: Pair, p1: Pair, p2: Pair, p3: Pair, p4: Pair, p5: Pair, p6: Pair, p7: Pair }

/// Puts two adjacent pairs in order, unless the second is a segment head.
fn order_two(a: ptr<function, Pair>, b: ptr<function, Pair>, head: u32) {
  let x = *a;
  let y = *b;
  let swap = head == 0u && key_before(y.key, x.key);
  *a = Pair(select(x.key, y.key, swap), select(x.value, y.value, swap));
  *b = Pair(select(y.key, x.key, swap), select(y.value, x.value, swap));
}

/// Sorts eight pairs by odd-even transposition. Stable: only neighbors swap, and only if the second is less.
/// Bit i of `heads` marks pair i as the head of a segment; no pair crosses a head. 0: no heads.
fn sorted_eight(eight: Eight, heads: u32) -> Eight {
  // Separate variables: WGSL does not allow two pointers into one variable as arguments of one call.
  var p0 = eight.p0;
  var p1 = eight.p1;
  var p2 = eight.p2;
  var p3 = eight.p3;
  var p4 = eight.p4;
  var p5 = eight.p5;
  var p6 = eight.p6;
  var p7 = eight.p7;
  for (var round = 0u; round < 4u; round++) {
    order_two(&p0, &p1, heads & 2u);
    order_two(&p2, &p3, heads & 8u);
    order_two(&p4, &p5, heads & 32u);
    order_two(&p6, &p7, heads & 128u);
    order_two(&p1, &p2, heads & 4u);
    order_two(&p3, &p4, heads & 16u);
    order_two(&p5, &p6, heads & 64u);
  }
  return Eight(p0, p1, p2, p3, p4, p5, p6, p7);
}
