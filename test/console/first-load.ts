/** What a browser loads before the console shows anything: the files that its page names. */
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';

/** Bytes, compressed as the API sends them. */
export interface FirstLoad {
  scripts: number;
  styles: number;
}

export async function firstLoad(consoleFolder: string): Promise<FirstLoad> {
  const page = await readFile(join(consoleFolder, 'index.html'), 'utf8');
  const files = [...page.matchAll(/(?:src|href)="\.\/(assets\/[^"]+)"/g)].map(([, name = '']) => name);
  const sum = async (extension: string) => {
    const contents = files
      .filter((name) => name.endsWith(extension))
      .map((name) => readFile(join(consoleFolder, name)));
    return (await Promise.all(contents)).reduce((bytes, content) => bytes + gzipSync(content, { level: 9 }).length, 0);
  };
  const load = { scripts: await sum('.js'), styles: await sum('.css') };
  if (load.scripts === 0) throw new Error(`The page of the console in ${consoleFolder} names no script`);
  return load;
}
