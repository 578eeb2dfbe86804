/** What a sink writes to: a descriptor in order (sink.ts), or a temporary file that becomes FILE (file-sink.ts). */
export interface Destination {
  readonly file: number | null;
  expect(bytes: number): void;
  write(block: Uint8Array): Promise<void>;
  /** `written`: total bytes written. */
  finish(written: number): Promise<void>;
  abort(): Promise<void>;
}
