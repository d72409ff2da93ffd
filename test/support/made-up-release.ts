/** A release as `npm run package` makes it, but with packages of a few bytes. */
import { createHash, generateKeyPairSync, sign } from 'node:crypto';
import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { PackageKind } from '../../shared/agent/release.ts';

/** Content of the packages, by their names. */
export const PACKAGES: Readonly<Record<string, { kind: PackageKind; content: Buffer }>> = {
  'lanreach-agent_1.2.3_amd64.deb': { kind: 'deb-amd64', content: Buffer.alloc(200_000, 'deb') },
  'lanreach-agent-1.2.3.tgz': { kind: 'npm', content: Buffer.from('tarball') },
  'lanreach-agent-1.2.3.mjs.gz': { kind: 'program', content: Buffer.from([0x1f, 0x8b, 0, 255]) },
};

/** @returns the texts of the release, as they lie in the folder */
export async function writeRelease(folder: string, version = '1.2.3'): Promise<Record<string, string>> {
  const { privateKey, publicKey } = generateKeyPairSync('ec', { namedCurve: 'prime256v1' });
  const files = Object.entries(PACKAGES).map(([name, { kind, content }]) => {
    return { kind, name, bytes: content.length, sha256: createHash('sha256').update(content).digest('hex') };
  });
  const release = JSON.stringify({ version, protocol: 3, node: '20.19.0', files });
  const texts = {
    'release.json': release,
    'release.json.sig': `${sign('sha256', Buffer.from(release), privateKey).toString('base64')}\n`,
    'release-key.pem': publicKey.export({ type: 'spki', format: 'pem' }).toString(),
    'install.sh': '#!/bin/sh\necho installed\n',
  };
  await mkdir(folder, { recursive: true });
  for (const [name, { content }] of Object.entries(PACKAGES)) await writeFile(join(folder, name), content);
  for (const [name, text] of Object.entries(texts)) await writeFile(join(folder, name), text);
  return texts;
}
