/** What a sink writes to: a descriptor in order (sink.ts), or a temporary file that becomes FILE (file-sink.ts). */
export interface Destination {
  /** Its name in messages. */
  readonly label: string;
  readonly file: number | null;
  expect(bytes: number): void;
  write(block: Uint8Array): Promise<void>;
  /** Completes what was written, without putting it in place. `written`: total bytes. */
  complete(written: number): Promise<void>;
  /** Throws if it is known that complete output cannot be put in place, and says where it is. */
  check(): void;
  /** Makes complete output the contents of FILE. If it rejects, the error says where the output is. */
  place(): Promise<void>;
  /**
   * Gives complete output a name that outlasts the program. Returns a clause that says where it is now. null: it needs
   * none.
   */
  keep(): string | null;
  /** Ends the output after any failure. Removes it, unless keep() has named it or place() was called. */
  abort(): Promise<void>;
}
