//! needs: keys/eight-pairs
// A stable network for eight pairs: odd-even transposition, 28 steps. Equal pairs keep their order, because only
// neighbors swap, and only if the second is less. For pairs whose values tell equal keys apart.
// Source: Davidson et al. 2012, section 3 (eight keys in registers); Baxter: Segmented Sort and Locality Sort,
// "Segmented blocksort" (OddEvenTransposeSortFlags).

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
