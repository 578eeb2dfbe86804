//! needs: key-{KEY_WORDS}
// Eight neighbours that a thread holds in registers: by name, for an array that is indexed at run time would lie in memory.

/// A code and its value, or what else goes with it.
struct Pair { key: Key, value: u32 }

struct Eight { p0: Pair, p1: Pair, p2: Pair, p3: Pair, p4: Pair, p5: Pair, p6: Pair, p7: Pair }

/// Puts two neighbours in order unless the second is a head.
fn order_two(a: ptr<function, Pair>, b: ptr<function, Pair>, head: u32) {
  let x = *a;
  let y = *b;
  let swap = head == 0u && key_before(y.key, x.key);
  *a = Pair(select(x.key, y.key, swap), select(x.value, y.value, swap));
  *b = Pair(select(y.key, x.key, swap), select(y.value, x.value, swap));
}

/// Sorts eight by odd-even transposition, stably: only neighbours change places, and only where the second is less. Those behind a head
/// (bit i of `heads`: of pair i) stay behind it; 0: there are none.
fn sorted_eight(eight: Eight, heads: u32) -> Eight {
  // Variables of their own: pointers to two members of one may not go to a function together.
  var p0 = eight.p0;
  var p1 = eight.p1;
  var p2 = eight.p2;
  var p3 = eight.p3;
  var p4 = eight.p4;
  var p5 = eight.p5;
  var p6 = eight.p6;
  var p7 = eight.p7;
  for (var round = 0u; round < 4u; round++) {
    order_two(&p0, &p1, heads & 2u); order_two(&p2, &p3, heads & 8u); order_two(&p4, &p5, heads & 32u); order_two(&p6, &p7, heads & 128u);
    order_two(&p1, &p2, heads & 4u); order_two(&p3, &p4, heads & 16u); order_two(&p5, &p6, heads & 64u);
  }
  return Eight(p0, p1, p2, p3, p4, p5, p6, p7);
}
