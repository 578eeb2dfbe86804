/** A problem of a release that its user can solve. It is reported without a stack. */
export class ReleaseProblem extends Error {}
