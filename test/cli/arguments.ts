/** The surroundings in which tests parse command lines. */
import type { Surroundings } from '../../src/cli/parse.js';

export const OPEN_FILES = 1000;
export const SURROUNDINGS: Surroundings = {
  programName: 'sort', temporaryDirectory: undefined, posixlyCorrect: false, obsolescentKeys: true, totalMemory: () => 1000, openFiles: () => OPEN_FILES,
};
