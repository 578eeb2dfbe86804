/** The types of keys that records and lines have, and the model of their order, for tests of other parts. */
import type { KeyType } from '../../../src/gpu/keys/key-sort.js';

export { permuted, specsOf, stableOrder as sortedOrder } from '../../support/fixed-keys.js';

export const KEY_TYPES: readonly KeyType[] = ['u32', 'u64', 'u128', 'prefix'];
