//! needs: keys/key-{KEY_WORDS}
// Eight adjacent pairs in a thread's registers, and the step of the networks that sort them (sort-eight-*.wgsl). They
// have names because an array indexed at run time would go to memory.

/// A code with its value, or with other data that moves with it.
struct Pair { key: Key, value: u32 }

struct Eight { p0: Pair, p1: Pair, p2: Pair, p3: Pair, p4: Pair, p5: Pair, p6: Pair, p7: Pair }

/// Puts two pairs in order, unless they are in different segments. `heads`: those after the first pair, up to the
/// second.
fn order_two(a: ptr<function, Pair>, b: ptr<function, Pair>, heads: u32) {
  let x = *a;
  let y = *b;
  let swap = heads == 0u && key_before(y.key, x.key);
  *a = Pair(select(x.key, y.key, swap), select(x.value, y.value, swap));
  *b = Pair(select(y.key, x.key, swap), select(y.value, x.value, swap));
}
