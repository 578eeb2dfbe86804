enable subgroups;
// match-one.wgsl for subgroups of up to 128 lanes.

alias Lanes = vec4u;

/// The lanes whose bit b of `digit` equals this lane's.
fn lanes_like(digit: u32, b: u32) -> Lanes {
  let one = (digit & (1u << b)) != 0u;
  return subgroupBallot(one) ^ vec4u(select(0xffffffffu, 0u, one));
}

/// The lanes with the same 8-bit digit as this lane; every lane must call it.
fn matching_lanes(digit: u32) -> Lanes {
  return lanes_like(digit, 0u) & lanes_like(digit, 1u) & lanes_like(digit, 2u) & lanes_like(digit, 3u)
    & lanes_like(digit, 4u) & lanes_like(digit, 5u) & lanes_like(digit, 6u) & lanes_like(digit, 7u);
}

/// The first `count` lanes.
fn low_lanes(count: u32) -> Lanes {
  let each = vec4u(clamp(vec4i(i32(count)) - vec4i(0, 32, 64, 96), vec4i(0), vec4i(32)));
  return select((vec4u(1u) << (each & vec4u(31u))) - 1u, vec4u(0xffffffffu), each == vec4u(32u));
}

fn ones(lanes: Lanes) -> u32 {
  let count = countOneBits(lanes);
  return count.x + count.y + count.z + count.w;
}

/// The number of lanes in `lanes`; the subgroup has `size` lanes.
fn lane_count(lanes: Lanes, size: u32) -> u32 { return ones(lanes & low_lanes(size)); }

/// The number of lanes in `lanes` before `lane`.
fn lanes_before(lanes: Lanes, lane: u32) -> u32 { return ones(lanes & low_lanes(lane)); }

fn first_lane(lanes: Lanes) -> u32 {
  for (var w = 0u; w < 3u; w++) { if (lanes[w] != 0u) { return w * 32u + countTrailingZeros(lanes[w]); } }
  return 96u + countTrailingZeros(lanes.w);
}
