//! needs: keys/eight-pairs
// Merges pairs in a thread's registers. A sequence that ascends and then descends, from any of its pairs on and round
// to that pair again, is bitonic: half the steps of a sort put it in order. Pairs are compared by key, then by value,
// so the networks need not be stable if values are positions.
// Source: Batcher: Sorting networks and their applications, 1968.

/// The pairs of a thread, PER_THREAD of them: 8 or 16. With 8, `high` is not used.
struct Sixteen { low: Eight, high: Eight }

/// Puts two pairs in order.
fn order_pairs(a: ptr<function, Pair>, b: ptr<function, Pair>) {
  let x = *a;
  let y = *b;
  if (KEY_WORDS == 1u && VALUES == 0u) {
    *a = Pair(min(x.key, y.key), 0u);
    *b = Pair(max(x.key, y.key), 0u);
    return;
  }
  // No branches, so that threads do not diverge.
  let swap = key_before(y.key, x.key) | ((VALUES != 0u) & (y.value < x.value) & keys_equal(x.key, y.key));
  *a = Pair(select(x.key, y.key, swap), select(x.value, y.value, swap));
  *b = Pair(select(y.key, x.key, swap), select(y.value, x.value, swap));
}

/// Puts each pair of one eight in order with its counterpart in the other.
fn order_eights(x: Eight, y: Eight) -> Sixteen {
  var a0 = x.p0;
  var a1 = x.p1;
  var a2 = x.p2;
  var a3 = x.p3;
  var a4 = x.p4;
  var a5 = x.p5;
  var a6 = x.p6;
  var a7 = x.p7;
  var b0 = y.p0;
  var b1 = y.p1;
  var b2 = y.p2;
  var b3 = y.p3;
  var b4 = y.p4;
  var b5 = y.p5;
  var b6 = y.p6;
  var b7 = y.p7;
  order_pairs(&a0, &b0);
  order_pairs(&a1, &b1);
  order_pairs(&a2, &b2);
  order_pairs(&a3, &b3);
  order_pairs(&a4, &b4);
  order_pairs(&a5, &b5);
  order_pairs(&a6, &b6);
  order_pairs(&a7, &b7);
  return Sixteen(Eight(a0, a1, a2, a3, a4, a5, a6, a7), Eight(b0, b1, b2, b3, b4, b5, b6, b7));
}

/// Sorts eight pairs that are bitonic.
fn bitonic_eight(eight: Eight) -> Eight {
  var p0 = eight.p0;
  var p1 = eight.p1;
  var p2 = eight.p2;
  var p3 = eight.p3;
  var p4 = eight.p4;
  var p5 = eight.p5;
  var p6 = eight.p6;
  var p7 = eight.p7;
  order_pairs(&p0, &p4);
  order_pairs(&p1, &p5);
  order_pairs(&p2, &p6);
  order_pairs(&p3, &p7);
  order_pairs(&p0, &p2);
  order_pairs(&p1, &p3);
  order_pairs(&p4, &p6);
  order_pairs(&p5, &p7);
  order_pairs(&p0, &p1);
  order_pairs(&p2, &p3);
  order_pairs(&p4, &p5);
  order_pairs(&p6, &p7);
  return Eight(p0, p1, p2, p3, p4, p5, p6, p7);
}

/// Sorts the pairs of a thread, which are bitonic.
fn bitonic_sixteen(pairs: Sixteen) -> Sixteen {
  if (PER_THREAD == 8u) { return Sixteen(bitonic_eight(pairs.low), pairs.high); }
  let halves = order_eights(pairs.low, pairs.high);
  return Sixteen(bitonic_eight(halves.low), bitonic_eight(halves.high));
}
