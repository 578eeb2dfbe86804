/**
 * The part of WebAssembly that gpusort uses. TypeScript declares it only as part of the whole DOM, and @types/node 20
 * not at all.
 */
declare namespace WebAssembly {
  class Module {
    constructor(bytes: Uint8Array);
  }
  class Instance {
    readonly exports: unknown;
    constructor(module: Module, imports: { readonly env: { readonly memory: Memory } });
  }
  class Memory {
    constructor(pages: { readonly initial: number; readonly maximum?: number });
    readonly buffer: ArrayBuffer;
    grow(pages: number): number;
  }
}
