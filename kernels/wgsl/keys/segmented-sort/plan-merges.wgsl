//! needs: shared/launch, keys/key-{KEY_WORDS}, keys/segmented-sort/job-queue
// Merge level, step 1 of 2: finds what is out of order at the borders of adjacent lists and queues the merges needed.
//   keys_0[n], keys_1[n]; sides[2 * tiles]: which of them holds each tile, from `sides_from`; ranges: first and last
//   head of each list, from `ranges_from` (not read unless SEGMENTED) -> jobs, counters (job-queue.wgsl) of queue
//   `level`, whose counted jobs are those that make whole tiles; the next level's sides from `sides_to` and ranges from
//   `ranges_to`. Lists of 2^level tiles are adjacent in pairs: A = [begin, middle), B = [middle, end). One thread per
//   tile, in overlapping workgroups of 64 that serve 63 tiles: a tile's inputs end where those of the next one begin.
//   1. The active segment of a pair extends from the last head of A to the first head of B. The pair's own first and
//      last head go to the next level. If a head lies at the border, there is nothing to do.
//   2. The window is the part of the active segment that moves: from the first key of A that is greater than B's first
//      key to the last key of B that is less than A's last key. Two binary searches find it. If the lists are in order,
//      it is empty.
//   3. A window of at most a tile is one job of the pair's first tile, done in place: a workgroup reads all of it
//      before it writes.
//   4. Otherwise each tile that the window touches is a job that writes the tile to the other buffer, because other
//      jobs may have to read it: the tile changes sides. A binary search along its first diagonal of the window (merge
//      path) finds where its inputs begin.
//   5. Level 0 also examines the borders between pairs, which settles most of nearly sorted input and of short segments
//      at once. Such a window is a job of the tile before it, on two conditions. It and the windows of the pairs on
//      both sides have at most a tile each; and an element that stays, or a head, separates them. Since nothing crosses
//      that element, the pairs are still sorted lists afterwards. Word 2 of the queue's counters counts the borders out
//      of order that cannot be settled this way. If there are none, and no job makes a whole tile, all is in order
//      after level 0.
//   Tiles that no window touches are not touched, and no tile is copied before all levels are done (plan-copies.wgsl).
//   A job is two vec4u: (output's begin, its length, A's begin, A's length), (B's begin, first of A that may mix, end
//   of B's items that may mix, both counted from the job's begin with B after A; sides). Sides are bits: of A's first
//   and second tile, of B's, of the output's.
// Reads about 4 log2(list) keys per pair, broadcast to its tiles, and 2 log2(window) for each tile merged.
// Source: Baxter, Segmented Sort and Locality Sort, "Filling the work queue" (KernelSegSortPartition). There tiles that
// stay are copied once after each merge; merging in place and tiles that know their side save these copies.

struct Immediates { n: u32, tiles: u32, level: u32, ranges_from: u32, ranges_to: u32, sides_from: u32, sides_to: u32 }
var<immediate> im: Immediates;

override SEGMENTED: bool = true;

const COUNTERS_BINDING = 5u;
const GROUP_TILES = QUEUE_THREADS - 1u;

@group(0) @binding(0) var<storage, read> keys_0: array<Key>;
@group(0) @binding(1) var<storage, read> keys_1: array<Key>;
@group(0) @binding(2) var<storage, read_write> ranges: array<vec2u>;
@group(0) @binding(3) var<storage, read_write> sides: array<u32>;
@group(0) @binding(4) var<storage, read_write> jobs: array<vec4u>;

/// Where each tile's inputs from A begin.
var<workgroup> a_begins: array<u32, QUEUE_THREADS>;
/// The window of each tile's pair: its begin and end.
var<workgroup> windows: array<vec2u, QUEUE_THREADS>;

fn side_of(tile: u32) -> u32 {
  return sides[im.sides_from + min(tile, im.tiles - 1u)];
}

fn key_at(i: u32) -> Key {
  if (side_of(i / TILE) == 0u) { return encode_key(keys_0[i]); }
  return encode_key(keys_1[i]);
}

/// The sides of the tile of element i and of the next tile, as bits from `shift`.
fn sides_at(i: u32, shift: u32) -> u32 {
  return (side_of(i / TILE) | (side_of(i / TILE + 1u) << 1u)) << shift;
}

/// The part of the active segment [begin, middle) and [middle, end) that is out of order; (middle, middle) if empty.
fn window(begin: u32, middle: u32, end: u32) -> vec2u {
  let first_b = key_at(middle);
  let last_a = key_at(middle - 1u);
  if (!key_before(first_b, last_a)) { return vec2u(middle); }
  var a_low = begin;
  var a_high = middle - 1u;
  var b_low = middle + 1u;
  var b_high = end;
  while (a_low < a_high || b_low < b_high) {
    let a = (a_low + a_high) >> 1u;
    let b = (b_low + b_high) >> 1u;
    let a_key = key_at(a);
    let b_key = key_at(min(b, im.n - 1u));
    if (a_low < a_high) {
      if (key_before(first_b, a_key)) { a_high = a; } else { a_low = a + 1u; }
    }
    if (b_low < b_high) {
      if (key_before(b_key, last_a)) { b_low = b + 1u; } else { b_high = b; }
    }
  }
  return vec2u(a_low, b_low);
}

/// Whether border_window found a border that is left to later levels.
var<private> leaves_border: bool = false;

/// How many of the first `diagonal` outputs of merging [a, b) and [b, end) come from the former.
fn search(a: u32, b: u32, end: u32, diagonal: u32) -> u32 {
  let b_count = end - b;
  var low = select(0u, diagonal - b_count, diagonal > b_count);
  var high = min(diagonal, b - a);
  while (low < high) {
    let middle = (low + high) >> 1u;
    if (key_before(key_at(b + diagonal - 1u - middle), key_at(a + middle))) {
      high = middle;
    } else {
      low = middle + 1u;
    }
  }
  return low;
}

/// On level 0: the window at the border after a tile that ends a pair. The pair's own window ends at `before_end`;
/// `next` is that of the pair after the border. Empty if the window cannot be settled together with these.
fn border_window(tile: u32, before_end: u32, next: vec2u) -> vec2u {
  let border = (tile + 1u) * TILE;
  var begin = border - TILE;
  var end = min(border + TILE, im.n);
  var apart_before = false;
  var apart_behind = false;
  if (SEGMENTED) {
    let left = ranges[im.ranges_from + tile];
    let right = ranges[im.ranges_from + tile + 1u];
    apart_before = left.x < border;
    apart_behind = right.x < end;
    begin = max(begin, left.y);
    end = min(end, right.x);
  }
  if (end <= border) { return vec2u(border); }
  let found = window(begin, border, end);
  let fits = found.y - found.x <= TILE && next.y - next.x <= TILE;
  if (fits && (apart_before || before_end < found.x) && (apart_behind || found.y < next.x)) { return found; }
  leaves_border = found.x < found.y;
  return vec2u(border);
}

@compute @workgroup_size(QUEUE_THREADS)
fn main(@builtin(workgroup_id) id: vec3u, @builtin(num_workgroups) grid: vec3u,
        @builtin(local_invocation_index) thread: u32) {
  // Threads without a tile continue, to reach the barriers.
  let tile = workgroup_number(id, grid) * GROUP_TILES + thread;
  let serves = tile < im.tiles && thread < GROUP_TILES;
  let tile_begin = tile * TILE;
  let tile_end = min(tile_begin + TILE, im.n);
  let width = TILE << im.level;
  let begin = tile_begin & ~(2u * width - 1u);
  let middle = min(begin + width, im.n);
  let end = min(begin + 2u * width, im.n);
  let leads = serves && tile_begin == begin;

  var low = middle;
  var high = middle;
  if (tile < im.tiles) {
    var mixed_from = begin;
    var mixed_end = end;
    if (SEGMENTED) {
      let list = (begin / TILE) >> im.level;
      var range = ranges[im.ranges_from + list];
      if (middle < end) {
        let right = ranges[im.ranges_from + list + 1u];
        mixed_from = max(begin, range.y);
        mixed_end = min(end, right.x);
        range = vec2u(min(range.x, right.x), max(range.y, right.y));
      }
      if (leads) { ranges[im.ranges_to + list / 2u] = range; }
    }
    if (middle < mixed_end) {
      let bounds = window(mixed_from, middle, mixed_end);
      low = bounds.x;
      high = bounds.y;
    }
  }

  let in_place = high - low <= TILE;
  let touches = !in_place && tile_begin < high && tile_end > low;
  var diagonal = 0u;
  var from_a = 0u;
  if (touches && tile_begin > low) {
    diagonal = tile_begin - low;
    from_a = search(low, middle, high, diagonal);
  }
  a_begins[thread] = low + from_a;
  windows[thread] = vec2u(low, high);
  workgroupBarrier();
  let next = (thread + 1u) & (QUEUE_THREADS - 1u);

  let merges = touches && serves;
  var border = middle;
  var job = vec2u(low, high);
  var settles = leads && in_place && low < high;
  if (im.level == 0u && serves && in_place && (tile & 1u) == 1u && tile_end < im.n) {
    job = border_window(tile, high, windows[next]);
    border = tile_end;
    settles = job.x < job.y;
    if (leaves_border) { atomicAdd(&counters[im.level * 4u + 2u], 1u); }
  }
  let wants = merges || settles;
  let place = queue_place(thread, im.level, wants, merges);
  if (serves) { sides[im.sides_to + tile] = side_of(tile) ^ u32(merges); }
  if (!wants) { return; }
  if (settles) {
    jobs[2u * place] = vec4u(job.x, job.y - job.x, job.x, border - job.x);
    let side_bits = sides_at(job.x, 0u) | sides_at(border, 2u) | sides_at(job.x, 4u);
    jobs[2u * place + 1u] = vec4u(border, 0u, job.y - job.x, side_bits);
  } else {
    let a_begin = select(low + from_a, tile_begin, tile_begin < low);
    var a_end = middle;
    if (tile_end < high) { a_end = a_begins[next]; }
    let b_begin = middle + diagonal - from_a;
    let mixed_from = select(0u, low - tile_begin, tile_begin < low);
    let mixed_end = min(tile_end, high) - tile_begin;
    let side = side_of(tile) ^ 1u;
    jobs[2u * place] = vec4u(tile_begin, tile_end - tile_begin, a_begin, a_end - a_begin);
    let side_bits = sides_at(a_begin, 0u) | sides_at(b_begin, 2u) | (side << 4u);
    jobs[2u * place + 1u] = vec4u(b_begin, mixed_from, mixed_end, side_bits);
  }
}
