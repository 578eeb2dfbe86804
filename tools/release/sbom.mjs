/**
 * The software bill of materials of an archive: CycloneDX 1.5 as JSON, equal for equal archives.
 * Source: ECMA-424, CycloneDX Bill of Materials.
 */
import { createHash } from 'node:crypto';

/**
 * @param {{
 *   name: string, version: string, license: string, archive: string, archiveHash: string, time: number,
 *   components: import('./bundled.mjs').Component[],
 * }} facts
 * @returns {string}
 */
export function billOfMaterials({ name, version, license, archive, archiveHash, time, components }) {
  const self = purl(name, version);
  const bill = {
    bomFormat: 'CycloneDX',
    specVersion: '1.5',
    serialNumber: `urn:uuid:${uuidOf(archiveHash)}`,
    version: 1,
    metadata: {
      timestamp: new Date(time * 1000).toISOString(),
      component: {
        type: 'application',
        'bom-ref': self,
        name,
        version,
        purl: self,
        licenses: named([license]),
        hashes: [{ alg: 'SHA-256', content: archiveHash }],
        properties: [{ name: 'gpusort:archive', value: archive }],
      },
    },
    components: components.map((component) => ({
      type: component.files === undefined ? 'library' : 'framework',
      'bom-ref': purl(component.name, component.version),
      name: component.name,
      version: component.version,
      purl: purl(component.name, component.version),
      licenses: named(component.licenses),
      externalReferences: [
        {
          type: 'distribution',
          url: `https://registry.npmjs.org/${component.name}/-/${component.name}-${component.version}.tgz`,
          hashes: [{ alg: 'SHA-512', content: Buffer.from(component.integrity.slice(7), 'base64').toString('hex') }],
        },
      ],
      ...(component.files === undefined ? {} : { components: Object.entries(component.files).map(file) }),
    })),
    dependencies: [
      { ref: self, dependsOn: components.map((component) => purl(component.name, component.version)) },
      ...components.map((component) => ({ ref: purl(component.name, component.version) })),
    ],
  };
  return `${JSON.stringify(bill, null, 2)}\n`;
}

function file([path, content]) {
  const hash = createHash('sha256').update(content).digest('hex');
  return { type: 'file', 'bom-ref': `file:${path}`, name: path, hashes: [{ alg: 'SHA-256', content: hash }] };
}

function purl(name, version) {
  return `pkg:npm/${name}@${version}`;
}

function named(licenses) {
  return licenses.map((id) => ({ license: { id } }));
}

/** A UUID of version 8 (RFC 9562) made of a hash. */
function uuidOf(hash) {
  const hex = `${hash.slice(0, 12)}8${hash.slice(13, 16)}a${hash.slice(17, 32)}`;
  return hex.replace(/^(.{8})(.{4})(.{4})(.{4})(.{12})$/, '$1-$2-$3-$4-$5');
}
