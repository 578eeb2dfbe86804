/**
 * Whether this Node can run gpusort. It runs before anything else is loaded, so its syntax is that of old versions.
 * The versions are those of `engines` in package.json: earlier ones lack zlib.crc32.
 */
const FIRST = [
  [20, 15],
  [22, 2],
];

/** The reason why a version of Node cannot run gpusort, as a clause; null: it can. */
exports.problemOf = (version, path) => {
  const parts = version.split('.').map(Number);
  const last = FIRST[FIRST.length - 1];
  const first = parts[0] > last[0] ? last : FIRST.filter((one) => one[0] === parts[0])[0];
  if (first !== undefined && (parts[0] > first[0] || parts[1] >= first[1])) return null;
  return `needs Node 20 (20.15 or later), or Node 22.2 or later; this is Node ${version}, ${path}`;
};

/** For the library. Throws an Error. */
exports.check = () => {
  const problem = exports.problemOf(process.versions.node, process.execPath);
  if (problem !== null) throw new Error(`gpusort ${problem}`);
};
