/** What a browser loads before the console shows anything: the files that its page names, and its messages in one language. */
import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';

/** @returns bytes, compressed as the API sends them */
export async function firstLoad(consoleFolder: string): Promise<{ scripts: number; styles: number }> {
  const page = await readFile(join(consoleFolder, 'index.html'), 'utf8');
  const files = [...page.matchAll(/(?:src|href)="\.\/(assets\/[^"]+)"/g)].map(([, name = '']) => name);
  const sizeOf = async (name: string) => gzipSync(await readFile(join(consoleFolder, name)), { level: 9 }).length;
  const sum = async (names: readonly string[]) => (await Promise.all(names.map(sizeOf))).reduce((a, b) => a + b, 0);
  const scripts = await sum(files.filter((name) => name.endsWith('.js')));
  if (scripts === 0) throw new Error(`The page of the console in ${consoleFolder} names no script`);
  const assets = await readdir(join(consoleFolder, 'assets'));
  const languages = new Set(assets.flatMap((name) => /^main\.\w+-/.exec(name)?.[0] ?? []));
  if (languages.size < 2) throw new Error('A language has no first messages');
  const namesOf = (language: string) => assets.filter((name) => name.startsWith(language));
  const messages = await Promise.all(
    [...languages].map((language) => sum(namesOf(language).map((name) => `assets/${name}`))),
  );
  return { scripts: scripts + Math.max(...messages), styles: await sum(files.filter((name) => name.endsWith('.css'))) };
}

/** The compressed bytes of the screen that loads the most JavaScript, beside what is there already. */
export async function largestScreen(consoleFolder: string): Promise<{ name: string; bytes: number }> {
  const folder = join(consoleFolder, 'assets');
  const names = (await readdir(folder)).filter((name) => name.endsWith('.js'));
  const read = async (name: string) => {
    const source = await readFile(join(folder, name), 'utf8');
    const named = (before: string) =>
      [...source.matchAll(new RegExp(`\\b${before}["'\`]\\./([^"'\`]+\\.js)["'\`]`, 'g'))].map(([, file = '']) => file);
    const bytes = gzipSync(source, { level: 9 }).length;
    return [name, { bytes, imports: named('(?:from|import)\\s*'), screens: named('import\\(\\s*') }] as const;
  };
  const files = new Map(await Promise.all(names.map(read)));
  const withImports = (all: Set<string>) => {
    for (const name of all) for (const found of files.get(name)?.imports ?? []) all.add(found);
    return all;
  };
  const page = await readFile(join(consoleFolder, 'index.html'), 'utf8');
  const first = withImports(new Set([...page.matchAll(/assets\/([^"]+\.js)"/g)].map(([, name = '']) => name)));
  const sizes = [...first]
    .flatMap((name) => files.get(name)?.screens ?? [])
    .map((name) => {
      const own = [...withImports(new Set([name]))].filter((file) => !first.has(file));
      return { name, bytes: own.reduce((sum, file) => sum + (files.get(file)?.bytes ?? 0), 0) };
    });
  return sizes.reduce((a, b) => (b.bytes > a.bytes ? b : a));
}
