/** Mosquitto from Debian. */
import { spawn } from 'node:child_process';
import { writeFile } from 'node:fs/promises';
import { connect } from 'node:net';
import { userInfo } from 'node:os';
import { join } from 'node:path';
import { runToEnd } from '../../local/child-process.ts';
import { folderOf, libraries, unpackDebian } from './debian.ts';
import { waitFor } from './wait-for.ts';

const FOLDER = folderOf('mosquitto');

/** @returns null where it cannot be had: then its tests are skipped, except in CI */
export async function provideMosquitto(): Promise<string | null> {
  const unpacked = await unpackDebian('mosquitto', ['mosquitto']);
  return 'root' in unpacked ? unpacked.root : null;
}

export interface Mosquitto extends AsyncDisposable {
  /** At once, without a word to its clients. */
  kill(): Promise<void>;
}

/** A broker that keeps nothing on a disk. @param users the passwords by name; empty: anybody may connect @param tls on another port */
export async function startMosquitto(
  folder: string,
  port: number,
  users: Record<string, string> = {},
  tls?: { port: number; key: string; cert: string },
): Promise<Mosquitto> {
  const names = Object.keys(users);
  const env = { LD_LIBRARY_PATH: libraries(FOLDER), PATH: process.env.PATH };
  const passwords = join(folder, `passwords-${port}`);
  const settings = join(folder, `mosquitto-${port}.conf`);
  const rule = names.length === 0 ? 'allow_anonymous true' : `allow_anonymous false\npassword_file ${passwords}`;
  const [key, cert] = [join(folder, 'broker.key'), join(folder, 'broker.crt')];
  const listener = tls ? `listener ${tls.port} 127.0.0.1\ncertfile ${cert}\nkeyfile ${key}\n` : '';
  const common = `${rule}\npersistence false\nuser ${userInfo().username}\n`;
  await writeFile(settings, `listener ${port} 127.0.0.1\n${listener}${common}`);
  await writeFile(key, tls?.key ?? '');
  await writeFile(cert, tls?.cert ?? '');
  await writeFile(passwords, names.map((name) => `${name}:${users[name]}\n`).join(''), { mode: 0o644 });
  if (names.length > 0)
    await runToEnd([join(FOLDER, 'usr/bin/mosquitto_passwd'), '-U', passwords], { env, timeoutMs: 10_000 });
  const child = spawn(join(FOLDER, 'usr/sbin/mosquitto'), ['-c', settings], { env, stdio: 'ignore' });
  const ended = new Promise<void>((resolve) => void child.once('close', () => resolve()));
  await waitFor('mosquitto to listen', () => listens(port));
  const kill = async () => {
    child.kill('SIGKILL');
    await ended;
  };
  return { kill, [Symbol.asyncDispose]: kill };
}

function listens(port: number): Promise<boolean> {
  return new Promise((resolve) => {
    const socket = connect(port, '127.0.0.1', () => {
      socket.destroy();
      resolve(true);
    }).on('error', () => resolve(false));
  });
}
