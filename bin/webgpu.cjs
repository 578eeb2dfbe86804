/**
 * Imports the `webgpu` package for src/engines/gpu/device/webgpu.ts: the bundle, which V8 loads from its cache, cannot
 * import.
 */
module.exports = () => import('webgpu');
