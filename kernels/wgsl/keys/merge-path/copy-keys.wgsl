//! needs: keys/key-{KEY_WORDS}, keys/values-{VALUES}
// Copies keys of a merge pass, and writes single ones, with their values.
// A kernel that includes this file declares keys, merged_keys and `const VALUES_BINDING`; the host prepends
// `const THREADS`.

/// Copies `count` keys from `source` on to `out` on, with four loads of a thread in flight. A tile that has one input
/// only, the common case of sorted input, is copied so.
fn copy_keys(source: u32, out: u32, count: u32, thread: u32) {
  let last = count - 1u;
  for (var i = thread; i < count; i += 4u * THREADS) {
    let i1 = i + THREADS;
    let i2 = i + 2u * THREADS;
    let i3 = i + 3u * THREADS;
    let key0 = keys[source + i];
    let key1 = keys[source + min(i1, last)];
    let key2 = keys[source + min(i2, last)];
    let key3 = keys[source + min(i3, last)];
    let value0 = load_value(source + i);
    let value1 = load_value(source + min(i1, last));
    let value2 = load_value(source + min(i2, last));
    let value3 = load_value(source + min(i3, last));
    put_key(out + i, key0, value0);
    if (i1 <= last) { put_key(out + i1, key1, value1); }
    if (i2 <= last) { put_key(out + i2, key2, value2); }
    if (i3 <= last) { put_key(out + i3, key3, value3); }
  }
}

fn put_key(i: u32, key: Key, value: u32) {
  merged_keys[i] = key;
  store_value(i, value);
}
