enable subgroups;
// Which lanes of a subgroup of at most 32 have the same digit, found by one ballot a bit (match-any of Adinets and Merrill: Onesweep,
// 2022, section 4.3, without the instruction that CUDA has for it).

alias Lanes = u32;

/// The lanes whose bit b of `digit` is that of this one: those that have a 1, where this one has it, else the others.
fn lanes_like(digit: u32, b: u32) -> Lanes {
  let one = (digit & (1u << b)) != 0u;
  return subgroupBallot(one).x ^ select(0xffffffffu, 0u, one);
}

/// The lanes whose digit of 8 bits is that of this one; every lane must call it.
fn matching_lanes(digit: u32) -> Lanes {
  return lanes_like(digit, 0u) & lanes_like(digit, 1u) & lanes_like(digit, 2u) & lanes_like(digit, 3u)
    & lanes_like(digit, 4u) & lanes_like(digit, 5u) & lanes_like(digit, 6u) & lanes_like(digit, 7u);
}

/// How many there are, of `size` lanes in all.
fn lane_count(lanes: Lanes, size: u32) -> u32 { return countOneBits(lanes & (0xffffffffu >> (32u - size))); }

/// How many come before `lane`.
fn lanes_before(lanes: Lanes, lane: u32) -> u32 { return countOneBits(lanes & ((1u << lane) - 1u)); }

fn first_lane(lanes: Lanes) -> u32 { return countTrailingZeros(lanes); }
