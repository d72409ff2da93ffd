/** Builds the agent for Windows: an archive with its own Node.js and the script that installs it. */
import { readdir, readFile, rename, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { crc32, deflateRawSync } from 'node:zlib';
import { fetchPackage, withoutShebang } from './package-deb.mjs';

/** @returns the .zip */
export async function buildWindows({ root, work, out, version, launcher, code, licences, releaseKey, epoch }) {
  const folder = join(root, 'packaging', 'windows');
  const pinned = JSON.parse(await readFile(join(root, 'packaging', 'node-runtime.json'), 'utf8'));
  const fetchNode = (architecture, ...members) => {
    const { package: name, integrity } = pinned.architectures[architecture];
    return fetchPackage(work, { name, version: pinned.version, integrity, members });
  };
  const [node, linux] = await Promise.all([
    fetchNode('windows-x64', 'bin/node.exe'),
    // The package for Windows does not contain the licence, which is the same.
    fetchNode('amd64', 'bin/node', 'LICENSE'),
  ]);
  const files = {
    'node.exe': await readFile(join(node, 'bin', 'node.exe')),
    'NODE-LICENSE.txt': withCrLf(await readFile(join(linux, 'LICENSE'))),
    'THIRD-PARTY-LICENSES.txt': withCrLf(licences),
    'lanreach-agent.mjs': Buffer.from(withoutShebang(launcher)),
    'agent.mjs': Buffer.from(withoutShebang(code)),
    'release-key.pem': Buffer.from(releaseKey.publicPem),
  };
  for (const name of await readdir(folder)) files[name] = withCrLf(await readFile(join(folder, name)));
  const path = join(out, `lanreach-agent-${version}-windows-x64.zip`);
  const draft = `${path}.${process.pid}`;
  try {
    await writeFile(draft, zip(files, new Date(epoch * 1000)));
    await rename(draft, path);
  } finally {
    await rm(draft, { force: true });
  }
  return path;
}

/** The line ends of Windows, without which its cmd misreads some scripts. */
function withCrLf(text) {
  return Buffer.from(text.toString().replace(/\r?\n/g, '\r\n'));
}

const UTC_YEAR_ZERO = 1980;
const VERSION = 20;
const DEFLATED = 8;

/** An archive of files in one folder. The same files and time give the same bytes. */
export function zip(files, time) {
  const parts = [];
  const directory = [];
  let offset = 0;
  for (const [name, content] of Object.entries(files).sort(([a], [b]) => (a < b ? -1 : 1))) {
    const title = Buffer.from(name);
    const packed = deflateRawSync(content);
    const about = Buffer.alloc(26);
    about.writeUInt16LE(VERSION, 0);
    about.writeUInt16LE(DEFLATED, 4);
    about.writeUInt16LE((time.getUTCHours() << 11) | (time.getUTCMinutes() << 5) | (time.getUTCSeconds() >> 1), 6);
    about.writeUInt16LE(
      ((time.getUTCFullYear() - UTC_YEAR_ZERO) << 9) | ((time.getUTCMonth() + 1) << 5) | time.getUTCDate(),
      8,
    );
    about.writeUInt32LE(crc32(content), 10);
    about.writeUInt32LE(packed.length, 14);
    about.writeUInt32LE(content.length, 18);
    about.writeUInt16LE(title.length, 22);
    const head = Buffer.concat([Buffer.from('PK\x03\x04'), about, title]);
    const where = Buffer.alloc(14);
    where.writeUInt32LE(offset, 10);
    directory.push(Buffer.concat([Buffer.from('PK\x01\x02'), number16(VERSION), about, where, title]));
    parts.push(head, packed);
    offset += head.length + packed.length;
  }
  const list = Buffer.concat(directory);
  const end = Buffer.alloc(18);
  end.writeUInt16LE(directory.length, 4);
  end.writeUInt16LE(directory.length, 6);
  end.writeUInt32LE(list.length, 8);
  end.writeUInt32LE(offset, 12);
  return Buffer.concat([...parts, list, Buffer.from('PK\x05\x06'), end]);
}

function number16(value) {
  const bytes = Buffer.alloc(2);
  bytes.writeUInt16LE(value);
  return bytes;
}
