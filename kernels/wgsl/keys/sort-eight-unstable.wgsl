//! needs: keys/eight-pairs
// A network for eight pairs that may swap equal ones: Batcher's odd-even merge sort, 19 steps. For keys without
// values, whose equals nothing tells apart.
// A pair never leaves its segment, because the segment is as good as the first part of its key: of two pairs in
// different segments, the first is always in the earlier one.
// Source: Batcher 1968; Baxter: Segmented Sort and Locality Sort, "Segmented blocksort" (OddEvenMergesortFlags).

/// Sorts eight pairs. Bit i of `heads` marks pair i as the head of a segment; no pair crosses a head. 0: no heads.
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
  // Four lists of two.
  order_two(&p0, &p1, heads & 2u);
  order_two(&p2, &p3, heads & 8u);
  order_two(&p4, &p5, heads & 32u);
  order_two(&p6, &p7, heads & 128u);
  // Two lists of four: odd and even places are merged apart, then neighbors ordered.
  order_two(&p0, &p2, heads & 6u);
  order_two(&p1, &p3, heads & 12u);
  order_two(&p4, &p6, heads & 96u);
  order_two(&p5, &p7, heads & 192u);
  order_two(&p1, &p2, heads & 4u);
  order_two(&p5, &p6, heads & 64u);
  // One list, in the same way.
  order_two(&p0, &p4, heads & 30u);
  order_two(&p1, &p5, heads & 60u);
  order_two(&p2, &p6, heads & 120u);
  order_two(&p3, &p7, heads & 240u);
  order_two(&p2, &p4, heads & 24u);
  order_two(&p3, &p5, heads & 48u);
  order_two(&p1, &p2, heads & 4u);
  order_two(&p3, &p4, heads & 16u);
  order_two(&p5, &p6, heads & 64u);
  return Eight(p0, p1, p2, p3, p4, p5, p6, p7);
}
