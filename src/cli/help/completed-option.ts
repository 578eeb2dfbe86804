/** What the completion scripts need to know of an option. */

export interface CompletedOption {
  readonly long: string;
  readonly short?: string;
  readonly summary: string;
  /** Another letter, without an argument. */
  readonly alias?: { readonly short: string; readonly summary: string };
  /** Undefined for a switch. */
  readonly argument?: CompletedArgument;
}

export interface CompletedArgument {
  /** What the help calls it. */
  readonly name: string;
  /** Only `--name=VALUE` gives it, never the next word. */
  readonly isOptional: boolean;
  readonly words: readonly string[];
  readonly completes: 'file' | 'directory' | 'program' | 'nothing';
}
