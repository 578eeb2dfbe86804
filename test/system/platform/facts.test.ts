/** The facts about platforms that the program keeps in one place, as on Linux, macOS and Windows. */
import { freemem, constants as system, totalmem } from 'node:os';
import { afterEach, describe, expect, it, vi } from 'vitest';
import { installSignalHandlers } from '../../../src/cli/terminal/signals.js';
import { driverAdvice, vulkanProblem } from '../../../src/engines/gpu/device/vulkan.js';
import { carryAttributes } from '../../../src/output/put-in-place.js';
import { machineFacts, whyNoGpu } from '../../../src/plan/facts.js';
import { displayName, quoteName } from '../../../src/report/names.js';
import { systemText } from '../../../src/system/errors.js';
import { fileSystem } from '../../../src/system/file-system.js';
import { directoryOf } from '../../../src/system/links.js';
import { isSeparator, patiently } from '../../../src/system/platform.js';
import { assumedOpenFiles, commonTemporaryDirectory } from '../../../src/system/platform-defaults.js';
import { inDirectory } from '../../../src/system/temporary-files.js';
import { isClosedPipe, readSome } from '../../../src/system/transfer.js';

const own = Object.getOwnPropertyDescriptor(process, 'platform')!;
/** A property that is a value cannot be spied on. */
function on(platform: NodeJS.Platform): void {
  Object.defineProperty(process, 'platform', { ...own, value: platform });
}
afterEach(() => {
  Object.defineProperty(process, 'platform', own);
  vi.restoreAllMocks();
  vi.unstubAllEnvs();
});

const failure = (code: string, errno = 0): Error =>
  Object.assign(new Error(`${code}: something happened, call 'x'`), { code, errno });
const bytes = (name: string): Buffer => Buffer.from(name);

describe('names of files', () => {
  it.each([
    ['linux', 'a\\b', '.', 'a\\b/x'],
    ['linux', '/a/b\\c', '/a', '/a/b\\c/x'],
    ['win32', 'a\\b', 'a', 'a\\b\\x'],
    ['win32', 'C:\\a', 'C:\\', 'C:\\a\\x'],
    ['win32', 'C:\\', 'C:\\', 'C:\\x'],
    ['win32', 'C:', 'C:', 'C:x'],
    ['win32', 'C:a', 'C:', 'C:a\\x'],
    ['win32', 'a/b/', 'a', 'a/b/x'],
    ['win32', '\\\\host\\share\\é', '\\\\host\\share\\', '\\\\host\\share\\é\\x'],
    ['win32', '\\\\?\\C:\\a\\b', '\\\\?\\C:\\a', '\\\\?\\C:\\a\\b\\x'],
    ['darwin', 'a\\b', '.', 'a\\b/x'],
  ] as const)('finds on %s that %s lies in %s and contains %s', (platform, name, directory, inner) => {
    on(platform);
    expect(directoryOf(bytes(name)).toString()).toBe(directory);
    expect(inDirectory(bytes(name), 'x').toString()).toBe(inner);
  });

  it('separates names of files by backslashes on Windows only', () => {
    const separators = (): string[] => ['/', '\\', ':'].filter((text) => isSeparator(text.charCodeAt(0)));
    expect(separators()).toEqual(['/']);
    on('win32');
    expect(separators()).toEqual(['/', '\\']);
    expect(isSeparator(undefined)).toBe(false);
  });

  it('shows names of files as text on Windows, without quotes around separators', () => {
    vi.stubEnv('LC_ALL', 'C');
    const shown = (): string[] => ['C:\\a b', 'C:\\a', 'é'].map((name) => displayName(bytes(name)));
    expect(shown()).toEqual(["'C:\\a b'", "'C:\\a'", "''$'\\303\\251'"]);
    on('win32');
    expect(shown()).toEqual(["'C:\\a b'", 'C:\\a', 'é']);
    expect(quoteName(bytes('C:\\a'))).toBe("'C:\\a'");
  });

  it.each([
    ['NUL', '\\\\.\\NUL'],
    ['nul', '\\\\.\\nul'],
    ['COM1', '\\\\.\\COM1'],
    ['CONIN$', '\\\\.\\CONIN$'],
    ['NULL', 'NULL'],
    ['nul.txt', 'nul.txt'],
  ])('opens the name %s as %s on Windows', (name, opened) => {
    on('win32');
    const open = (): unknown => {
      try {
        return fileSystem.openSync(bytes(name), 'r');
      } catch (error) {
        return (error as NodeJS.ErrnoException).path;
      }
    };
    expect(open()).toBe(opened);
  });
});

describe('errors of the system', () => {
  it('translates error numbers of Linux on Linux only', () => {
    // 68 is EADV on Linux, EUSERS on macOS.
    const unnamed = Object.assign(new Error('Unknown system error -68: call'), { code: 'Unknown', errno: -68 });
    expect(systemText(unnamed)).toBe('Advertise error');
    on('darwin');
    expect(systemText(unnamed)).toBe('Unknown error');
    expect(systemText(failure('EACCES', -4092))).toBe('Permission denied');
  });

  it('treats errors of closed pipes on Windows as end of file or broken pipe', async () => {
    vi.spyOn(fileSystem, 'read').mockRejectedValue(failure('EOF'));
    expect(await readSome(0, Buffer.alloc(1), null)).toBe(0);
    expect(['EPIPE', 'EOF', 'EIO'].map((code) => isClosedPipe(failure(code)))).toEqual([true, true, false]);
  });
});

describe('a name in use', () => {
  const failing = (times: number, code: string): (() => string) => {
    let calls = 0;
    return () => {
      if (calls++ < times) throw failure(code);
      return `after ${calls}`;
    };
  };

  it.each(['EBUSY', 'EPERM', 'EACCES'])('retries a call on a file in use on Windows: %s', (code) => {
    expect(() => patiently(failing(1, code))).toThrow(code);
    on('win32');
    expect(patiently(failing(3, code))).toBe('after 4');
  });

  it('gives up on a file in use after a second, or at once after another error', () => {
    on('win32');
    const start = performance.now();
    expect(() => patiently(failing(1, 'ENOENT'))).toThrow('ENOENT');
    expect(performance.now() - start).toBeLessThan(500);
    expect(() => patiently(failing(Infinity, 'EBUSY'))).toThrow('EBUSY');
    expect(performance.now() - start).toBeGreaterThan(1000);
  });
});

describe('the machine', () => {
  /** Hides /proc and /dev. */
  const withoutProc = (): void => {
    for (const call of ['readFileSync', 'readdirSync'] as const)
      vi.spyOn(fileSystem, call).mockImplementation(() => {
        throw failure('ENOENT');
      });
  };

  it('counts available memory that macOS does not report as free', () => {
    withoutProc();
    vi.spyOn(process, 'constrainedMemory').mockReturnValue(0);
    vi.spyOn(process, 'availableMemory').mockReturnValue(1);
    on('darwin');
    expect(machineFacts().availableBytes).toBeGreaterThanOrEqual(totalmem() / 4);
    on('win32');
    expect(Math.abs(machineFacts().availableBytes - freemem())).toBeLessThan(2 ** 30);
  });

  it('expects no device file or Vulkan loader for a GPU on macOS and Windows', () => {
    withoutProc();
    for (const [platform, advice] of [
      ['darwin', 'Update macOS, which brings the GPU driver'],
      ['win32', 'Install or update the GPU driver'],
    ] as const) {
      on(platform);
      expect([whyNoGpu(), vulkanProblem(), driverAdvice()]).toEqual([null, null, advice]);
    }
  });

  it('uses the open-file limit and temporary directory of each system', () => {
    vi.stubEnv('TMPDIR', '/elsewhere');
    const facts = (): unknown[] => [assumedOpenFiles(), commonTemporaryDirectory()];
    expect(facts()).toEqual([Infinity, '/tmp']);
    on('darwin');
    expect(facts()).toEqual([10_240, '/tmp']);
    on('win32');
    expect(facts()).toEqual([8192, '/elsewhere']);
  });

  it.each(['darwin', 'win32'] as const)('starts no GNU cp on %s', async (platform) => {
    on(platform);
    expect(await carryAttributes(-1, -1)).toBe(false);
  });
});

describe('signals', () => {
  /** The signals that get a handler. */
  function handled(platform: NodeJS.Platform, numbers: Record<string, number>): string[] {
    const names: string[] = [];
    on(platform);
    vi.spyOn(process, 'on').mockImplementation((name) => {
      names.push(String(name));
      return process;
    });
    const constants = system as { signals: unknown };
    const saved = constants.signals;
    constants.signals = numbers;
    try {
      installSignalHandlers();
    } finally {
      constants.signals = saved;
    }
    return names;
  }
  const all = { ...system.signals };

  it('handles the signals that the system has and that end a process', () => {
    const linux = handled('linux', all);
    expect(linux).toContain('SIGIO');
    expect(linux).not.toContain('SIGBREAK');
    expect(handled('darwin', all)).toEqual(linux.filter((name) => name !== 'SIGIO'));
    const windows = { SIGHUP: 1, SIGINT: 2, SIGQUIT: 3, SIGKILL: 9, SIGTERM: 15, SIGBREAK: 21 };
    expect(handled('win32', windows)).toEqual(['SIGHUP', 'SIGINT', 'SIGQUIT', 'SIGTERM', 'SIGBREAK']);
  });
});
