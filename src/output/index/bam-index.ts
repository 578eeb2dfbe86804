export interface IndexBuilder { readonly kind: 'bai' | 'csi' | 'tbi'; text(block: Uint8Array): void; block(a: number, b: number): void; finish(): Buffer }
export function bamIndex(kind: string): IndexBuilder { throw new Error(kind); }
