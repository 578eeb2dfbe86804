//! needs: shared/launch, keys/key-{KEY_WORDS}
// Merge pass, step 1 of 2, for merge-four.wgsl: where each output tile's inputs begin in the four runs it merges.
//   keys[n] in sorted runs, pairs -> partitions[2 * tiles]; one thread per tile, workgroups of 64.
//   1. Each thread finds its tile's runs, adjacent ones: run i is [bounds of i, bounds of i + 1).
//   2. It finds how many of the outputs before the tile come from each run. Each step halves what is open in one run:
//      if the keys up to the middles of the open parts are at most as many as these outputs, the smallest middle is
//      one of them, otherwise the greatest is not.
// Bytes moved per tile: a key for each of up to 4 * log2(run length) dependent steps read, 32 written.
// Source: Varman, Scheufler, Iyer, Ricard: Merging multiple lists on hierarchical-memory multiprocessors, 1991, asks
// for such positions; the steps are this project's.

struct Immediates { n: u32, tiles: u32, tile: u32, width: u32, group_base: u32, group_count: u32 }
var<immediate> im: Immediates;

@group(0) @binding(0) var<storage, read> keys: array<Key>;
/// Two for each group of runs: (first tile, begin of runs 0 to 2), (begin of run 3, end).
@group(0) @binding(1) var<storage, read> groups: array<vec4u>;
/// Two for each tile: the first key of each run, (begin of runs 1 to 3, end).
@group(0) @binding(2) var<storage, read_write> partitions: array<vec4u>;

const NONE = 4u;

struct Group { tile: u32, begin: vec4u, end: vec4u }

fn group_of(tile: u32) -> Group {
  if (im.width != 0u) {
    let group_tiles = (4u * im.width + im.tile - 1u) / im.tile;
    let group = tile / group_tiles;
    let begin = group * 4u * im.width + im.width * vec4u(0u, 1u, 2u, 3u);
    return Group(group * group_tiles, min(begin, vec4u(im.n)), min(begin + im.width, vec4u(im.n)));
  }
  var low = 0u;
  var high = im.group_count - 1u;
  while (low < high) {
    let middle = (low + high + 1u) >> 1u;
    if (groups[im.group_base + 2u * middle].x <= tile) { low = middle; } else { high = middle - 1u; }
  }
  let first = groups[im.group_base + 2u * low];
  let rest = groups[im.group_base + 2u * low + 1u].xy;
  return Group(first.x, vec4u(first.yzw, rest.x), vec4u(first.zw, rest));
}

fn sum_of(v: vec4u) -> u32 { return v.x + v.y + v.z + v.w; }

fn code_at(i: u32) -> Key { return encode_key(keys[i]); }

@compute @workgroup_size(64)
fn main(@builtin(workgroup_id) id: vec3u, @builtin(num_workgroups) grid: vec3u,
        @builtin(local_invocation_index) thread: u32) {
  let tile = workgroup_number(id, grid) * 64u + thread;
  if (tile >= im.tiles) { return; }
  let g = group_of(tile);
  let diagonal = (tile - g.tile) * im.tile;
  let counts = g.end - g.begin;
  // The least and the most keys of each run before the tile.
  let others = vec4u(counts.x + counts.y + counts.z + counts.w) - counts;
  var low = select(vec4u(0u), vec4u(diagonal) - others, others < vec4u(diagonal));
  var high = min(counts, vec4u(diagonal));
  var middle = (low + high) >> vec4u(1u);
  var x = code_at(g.begin.x + middle.x);
  var y = code_at(g.begin.y + middle.y);
  var z = code_at(g.begin.z + middle.z);
  var w = code_at(g.begin.w + middle.w);
  // The constant bound saves the compiler's guard against endless loops.
  for (var round = 0u; round < 128u; round++) {
    let open = low < high;
    if (!any(open)) { break; }
    let upto = sum_of(select(low, middle + 1u, open));
    // The run of the smallest middle, the first of equal ones, or of the greatest, the last of equal ones.
    let smallest = upto <= diagonal;
    var run = select(NONE, 0u, open.x);
    var best = x;
    if (open.y && (run == NONE || key_before(y, best) == smallest)) { run = 1u; best = y; }
    if (open.z && (run == NONE || key_before(z, best) == smallest)) { run = 2u; best = z; }
    if (open.w && (run == NONE || key_before(w, best) == smallest)) { run = 3u; }
    let chosen = vec4u(run) == vec4u(0u, 1u, 2u, 3u);
    low = select(low, middle + 1u, chosen & vec4<bool>(smallest));
    high = select(high, middle, chosen & vec4<bool>(!smallest));
    middle = (low + high) >> vec4u(1u);
    let code = code_at(sum_of(select(vec4u(0u), g.begin + middle, chosen)));
    x = select(x, code, chosen.x);
    y = select(y, code, chosen.y);
    z = select(z, code, chosen.z);
    w = select(w, code, chosen.w);
  }
  partitions[2u * tile] = g.begin + low;
  partitions[2u * tile + 1u] = g.end;
}
