enable subgroups;
// Finds the lanes with the same digit in a subgroup of at most 32 lanes, with one ballot per bit (match-any of Adinets
// and Merrill: Onesweep, 2022, section 4.3, without CUDA's instruction for it).

alias Lanes = u32;

/// The lanes whose bit b of `digit` equals this lane's.
fn lanes_like(digit: u32, b: u32) -> Lanes {
  let one = (digit & (1u << b)) != 0u;
  return subgroupBallot(one).x ^ select(0xffffffffu, 0u, one);
}

/// The lanes with the same 8-bit digit as this lane; every lane must call it.
fn matching_lanes(digit: u32) -> Lanes {
  return lanes_like(digit, 0u) & lanes_like(digit, 1u) & lanes_like(digit, 2u) & lanes_like(digit, 3u)
    & lanes_like(digit, 4u) & lanes_like(digit, 5u) & lanes_like(digit, 6u) & lanes_like(digit, 7u);
}

/// The number of lanes in `lanes`; the subgroup has `size` lanes.
fn lane_count(lanes: Lanes, size: u32) -> u32 { return countOneBits(lanes & (0xffffffffu >> (32u - size))); }

/// The number of lanes in `lanes` before `lane`.
fn lanes_before(lanes: Lanes, lane: u32) -> u32 { return countOneBits(lanes & ((1u << lane) - 1u)); }

fn first_lane(lanes: Lanes) -> u32 { return countTrailingZeros(lanes); }
