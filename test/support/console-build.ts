/** A build of a web console, as small as one can be, with a file of every kind. */
import { mkdir, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';

export const CONSOLE_PAGE = `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<title>LanReach</title>
<link rel="icon" href="./assets/icon-77aa10fe.svg">
<link rel="stylesheet" href="./assets/app-1d2e3f40.css">
<script type="module" src="./assets/app-4f2a9c1e.js"></script>
</head>
<body></body>
</html>
`;

export const CONSOLE_WORKER = `self.addEventListener('fetch', () => {});\n`;

/** The font is no UTF-8, and holds the bytes that text would lose on its way. */
export const CONSOLE_FILES: Readonly<Record<string, { type: string; content: Buffer }>> = {
  'app-4f2a9c1e.js': {
    type: 'text/javascript; charset=utf-8',
    content: Buffer.from(`document.title = 'Küche';\n`.repeat(2_000)),
  },
  'app-1d2e3f40.css': { type: 'text/css; charset=utf-8', content: Buffer.from('body { margin: 0 }\n') },
  'icon-77aa10fe.svg': {
    type: 'image/svg+xml; charset=utf-8',
    content: Buffer.from('<svg xmlns="http://www.w3.org/2000/svg"/>'),
  },
  'manifest-5ee1f00d.webmanifest': { type: 'application/manifest+json', content: Buffer.from('{"name":"LanReach"}') },
  'text-0badcafe.woff2': { type: 'font/woff2', content: Buffer.from(Array.from({ length: 5_000 }, (_, i) => i * 7)) },
};

/** Replaces what is in the folder. */
export async function writeConsoleBuild(folder: string, page = CONSOLE_PAGE): Promise<void> {
  await rm(folder, { recursive: true, force: true });
  await mkdir(join(folder, 'assets'), { recursive: true });
  await writeFile(join(folder, 'index.html'), page);
  await writeFile(join(folder, 'sw.js'), CONSOLE_WORKER);
  for (const [name, { content }] of Object.entries(CONSOLE_FILES)) {
    await writeFile(join(folder, 'assets', name), content);
  }
}
