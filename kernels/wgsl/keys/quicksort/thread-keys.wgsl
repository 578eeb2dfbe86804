// The first and the last of the keys held by the threads of a workgroup. Needs key-{KEY_WORDS}; the host prepends
// `const THREADS`, a power of two.

var<workgroup> thread_keys: array<Key, THREADS>;

fn earlier_key(a: Key, b: Key) -> Key {
  if (key_before(b, a)) { return b; }
  return a;
}

fn later_key(a: Key, b: Key) -> Key {
  if (key_before(a, b)) { return b; }
  return a;
}

/// The first key of all threads. Every thread must call it.
fn first_thread_key(thread: u32, key: Key) -> Key {
  workgroupBarrier();
  thread_keys[thread] = key;
  for (var half = THREADS / 2u; half > 0u; half >>= 1u) {
    workgroupBarrier();
    if (thread < half) { thread_keys[thread] = earlier_key(thread_keys[thread], thread_keys[thread + half]); }
  }
  workgroupBarrier();
  return thread_keys[0];
}

/// The last key of all threads. Every thread must call it.
fn last_thread_key(thread: u32, key: Key) -> Key {
  workgroupBarrier();
  thread_keys[thread] = key;
  for (var half = THREADS / 2u; half > 0u; half >>= 1u) {
    workgroupBarrier();
    if (thread < half) { thread_keys[thread] = later_key(thread_keys[thread], thread_keys[thread + half]); }
  }
  workgroupBarrier();
  return thread_keys[0];
}
