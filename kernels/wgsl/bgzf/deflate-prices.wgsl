//! needs: bgzf/deflate-slots, bgzf/deflate-codes
// Estimates the bits of symbols from their counts, in sixteenths of a bit, for the lanes of a workgroup. An unused
// symbol costs as much as one that is used once. All prices are integers, so all devices choose alike.
// The table of deflate-codes has the prices until codes are made: of literals and lengths by symbol, then of distances
// by slot, as in the counts; extra bits are included.

const BIT = 16u;
const MOST_PRICE = 15u * BIT;

/// The sums of the counts of symbols and of distances, and of all prices.
var<workgroup> totals: array<atomic<u32>, 3>;

/// log2 in sixteenths, by linear interpolation: at most 1.4 sixteenths too low.
fn log2_sixteenths(n: u32) -> u32 {
  let zeros = countLeadingZeros(n);
  return ((31u - zeros) << 4u) + (((n << zeros) << 1u) >> 28u);
}

/// Sets all prices. Called by all lanes, between barriers; `lanes`: their number.
fn set_prices(lane: u32, lanes: u32) {
  if (lane < 3u) { atomicStore(&totals[lane], 0u); }
  workgroupBarrier();
  var sums = vec2u();
  for (var i = lane; i < SYMBOLS + DISTANCES; i += lanes) {
    let count = atomicLoad(&counts[i]);
    if (i < FIRST_DISTANCE) { sums.x += count; } else { sums.y += count; }
  }
  atomicAdd(&totals[0], sums.x);
  atomicAdd(&totals[1], sums.y);
  workgroupBarrier();
  let all = vec2u(log2_sixteenths(atomicLoad(&totals[0])), log2_sixteenths(max(atomicLoad(&totals[1]), 1u)));
  var sum = 0u;
  for (var i = lane; i < SYMBOLS + DISTANCES; i += lanes) {
    let count = atomicLoad(&counts[i]);
    let whole = select(all.y, all.x, i < FIRST_DISTANCE);
    var price = clamp(whole - log2_sixteenths(max(count, 1u)), BIT, MOST_PRICE);
    if (i >= FIRST_DISTANCE) {
      price += BIT * extra_of_distance(i - FIRST_DISTANCE);
    } else if (i >= FIRST_LENGTH_SYMBOL) {
      price += BIT * extra_of_length(i - FIRST_LENGTH_SYMBOL);
    }
    set_table(i, price);
    sum += price * count;
  }
  atomicAdd(&totals[2], sum);
  workgroupBarrier();
}

/// The price of all symbols counted.
fn whole_price() -> u32 {
  return atomicLoad(&totals[2]);
}
