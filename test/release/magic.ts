/** The platform of a file of machine code, by its first bytes: `elf x64`, `mach-o arm64 signed`, `pe x64`. */
const ELF = 0x7f454c46;
const MACH_O = 0xcffaedfe;
const MACH_O_UNIVERSAL = 0xcafebabe;
const PROCESSORS: Readonly<Record<string, Readonly<Record<number, string>>>> = {
  elf: { 62: 'x64', 183: 'arm64' },
  'mach-o': { 16777223: 'x64', 16777228: 'arm64' },
  pe: { 34404: 'x64', 43620: 'arm64' },
};
/** The load command of a Mach-O file that locates its signature. */
const LC_CODE_SIGNATURE = 0x1d;

export function machineCode(bytes: Buffer): string {
  if (bytes.readUInt32BE() === ELF) return `elf ${PROCESSORS.elf![bytes.readUInt16LE(18)]}`;
  if (bytes.readUInt32BE() === MACH_O) return machO(bytes);
  if (bytes.readUInt32BE() === MACH_O_UNIVERSAL) {
    const slices = Array.from({ length: bytes.readUInt32BE(4) }, (_, i) => bytes.readUInt32BE(8 + 20 * i + 8));
    return slices
      .map((at) => machO(bytes.subarray(at)))
      .sort()
      .join(', ');
  }
  if (bytes.toString('latin1', 0, 2) === 'MZ') {
    const at = bytes.readUInt32LE(0x3c);
    if (bytes.toString('latin1', at, at + 4) === 'PE\0\0') return `pe ${PROCESSORS.pe![bytes.readUInt16LE(at + 4)]}`;
  }
  return 'none';
}

function machO(bytes: Buffer): string {
  const processor = PROCESSORS['mach-o']![bytes.readUInt32LE(4)];
  let isSigned = false;
  for (let i = 0, at = 32; i < bytes.readUInt32LE(16); i++, at += bytes.readUInt32LE(at + 4))
    isSigned ||= bytes.readUInt32LE(at) === LC_CODE_SIGNATURE;
  return `mach-o ${processor}${isSigned ? ' signed' : ''}`;
}
