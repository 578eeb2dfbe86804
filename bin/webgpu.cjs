/** WebGPU for Node, for src/gpu/webgpu.ts. */
module.exports = () => import('webgpu');
