/** What a browser loads before the console shows anything: the files that its page names, and its messages in one language. */
import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';
import { languages } from '../../console/build/messages.ts';

/** Bytes, compressed as the API sends them. */
export interface FirstLoad {
  scripts: number;
  styles: number;
}

export async function firstLoad(consoleFolder: string): Promise<FirstLoad> {
  const page = await readFile(join(consoleFolder, 'index.html'), 'utf8');
  const files = [...page.matchAll(/(?:src|href)="\.\/(assets\/[^"]+)"/g)].map(([, name = '']) => name);
  const sizeOf = async (name: string) => gzipSync(await readFile(join(consoleFolder, name)), { level: 9 }).length;
  const sum = async (names: readonly string[]) => (await Promise.all(names.map(sizeOf))).reduce((a, b) => a + b, 0);
  const scripts = await sum(files.filter((name) => name.endsWith('.js')));
  if (scripts === 0) throw new Error(`The page of the console in ${consoleFolder} names no script`);
  const assets = await readdir(join(consoleFolder, 'assets'));
  const messages = await Promise.all(
    languages
      .map((language) => assets.filter((name) => name.startsWith(`main.${language}-`)))
      .map((names) => sum(names.map((name) => `assets/${name}`))),
  );
  if (Math.min(...messages) === 0) throw new Error('A language has no first messages');
  return { scripts: scripts + Math.max(...messages), styles: await sum(files.filter((name) => name.endsWith('.css'))) };
}
