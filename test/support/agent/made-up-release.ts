/** A package of the agent, as it is installed, and releases by which it can replace itself, served like by the API. */
import { createHash, generateKeyPairSync, sign } from 'node:crypto';
import { copyFile, mkdir, readFile, rename, writeFile } from 'node:fs/promises';
import { createServer } from 'node:http';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';
import packageJson from '../../../package.json' with { type: 'json' };
import { PROTOCOL_VERSION } from '../../../shared/agent/messages.ts';
import type { Release } from '../../../shared/agent/release.ts';
import { bundleProgram } from '../bundle-program.ts';
import { closeServer, listenOnLoopback } from '../loopback.ts';
import { bundleAgent } from './agent-process.ts';

export interface MadeUpPackage {
  /** What `lanreach-agent` runs. */
  launcher: string;
  version: string;
  /** The program of the package. */
  code: string;
  /** PEM of the private key by which its releases are signed. */
  signingKey: string;
}

/** Makes a folder as a package installs it: launcher, program and release key. */
export async function installPackage(folder: string): Promise<MadeUpPackage> {
  const work = join(folder, 'work');
  await mkdir(work, { recursive: true });
  const bundled = await bundleAgent(folder);
  const installed = join(folder, 'lanreach-agent.mjs');
  await rename(await bundleProgram(join(import.meta.dirname, '../../../agent/launch/main.ts'), work), installed);
  await copyFile(bundled, join(folder, 'agent.mjs'));
  const { publicKey, privateKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' });
  await writeFile(join(folder, 'release-key.pem'), publicKey.export({ type: 'spki', format: 'pem' }));
  return {
    launcher: installed,
    version: packageJson.version,
    code: await readFile(bundled, 'utf8'),
    signingKey: privateKey.export({ type: 'pkcs8', format: 'pem' }).toString(),
  };
}

/** The same program, but it says that it is another version. */
export function codeOfVersion({ code, version: packaged }: MadeUpPackage, version: string): string {
  // The bundle of a package has no blanks.
  const changed = code.replace(new RegExp(`version: ?"${packaged}"`), `version:"${version}"`);
  if (changed === code) throw new Error('the version does not stand where it is expected');
  return changed;
}

/** The files of a release by their paths below `/agent/`. */
export type ReleaseFiles = Map<string, Buffer>;

export function makeRelease(
  signingKey: string,
  code: string | Buffer,
  version: string,
  changes: Partial<Release> = {},
): ReleaseFiles {
  const packed = gzipSync(code);
  const name = `lanreach-agent-program-${version}.mjs.gz`;
  const program = {
    kind: 'program' as const,
    name,
    bytes: packed.length,
    sha256: createHash('sha256').update(packed).digest('hex'),
  };
  const release: Release = { version, protocol: PROTOCOL_VERSION, node: '20.19.0', files: [program], ...changes };
  const text = Buffer.from(JSON.stringify(release));
  const signature = sign('sha256', text, signingKey).toString('base64');
  return new Map([
    ['release.json', text],
    ['release.json.sig', Buffer.from(signature)],
    [`packages/${name}`, packed],
  ]);
}

/** Serves the release that is set, as the API does. */
export async function startReleaseServer() {
  let files: ReleaseFiles = new Map();
  const asked: string[] = [];
  const server = createServer((request, response) => {
    const path = (request.url ?? '').replace(/^\/api\/agent\//, '');
    asked.push(path);
    const content = files.get(path);
    response.writeHead(content === undefined ? 404 : 200).end(content);
  });
  const port = await listenOnLoopback(server);
  return {
    url: `http://127.0.0.1:${port}/api`,
    /** Paths that were asked for, below `/api/agent/`. */
    asked,
    offer(release: ReleaseFiles) {
      files = release;
    },
    [Symbol.asyncDispose]: () => closeServer(server),
  };
}
