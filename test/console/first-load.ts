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

/** The compressed bytes of the screen that loads the most JavaScript, beside what is there already. */
export async function largestScreen(consoleFolder: string): Promise<{ name: string; bytes: number }> {
  const folder = join(consoleFolder, 'assets');
  const names = (await readdir(folder)).filter((name) => name.endsWith('.js'));
  const sources = new Map(
    await Promise.all(names.map(async (name) => [name, await readFile(join(folder, name), 'utf8')] as const)),
  );
  const named = (name: string, pattern: RegExp) =>
    [...(sources.get(name) ?? '').matchAll(pattern)].map(([, found = '']) => found);
  const withImports = (beginning: readonly string[]) => {
    const all = new Set(beginning);
    for (const name of all)
      for (const found of named(name, /(?:from|import)\s*["'`]\.\/([^"'`]+)["'`]/g)) all.add(found);
    return all;
  };
  const page = await readFile(join(consoleFolder, 'index.html'), 'utf8');
  const first = withImports([...page.matchAll(/assets\/([^"]+\.js)"/g)].map(([, name = '']) => name));
  const screens = [...first].flatMap((name) => named(name, /import\(\s*["'`]\.\/([^"'`]+)["'`]\s*\)/g));
  const sizes = [...new Set(screens)].map((screen) => {
    const own = [...withImports([screen])].filter((name) => !first.has(name));
    const size = own.reduce((sum, name) => sum + gzipSync(sources.get(name) ?? '', { level: 9 }).length, 0);
    return { name: screen, bytes: size };
  });
  return sizes.reduce((a, b) => (b.bytes > a.bytes ? b : a));
}
