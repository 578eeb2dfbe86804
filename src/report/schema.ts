/**
 * The version of the JSON that --stats=json and --explain=json print (docs/json.md). Raise it when a field disappears
 * or changes its name, type, unit or meaning; a new field does not raise it.
 */
export const SCHEMA_VERSION = 1;
