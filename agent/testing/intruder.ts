/** Somebody who may write in a directory and makes use of it, as fast as he can. */
import { once } from 'node:events';
import { Worker } from 'node:worker_threads';

const REPLACE = `
  const { workerData: { directory, names, target } } = require('node:worker_threads');
  const { lstatSync, readdirSync, renameSync, symlinkSync } = require('node:fs');
  const pattern = new RegExp(names);
  for (let i = 0; ; i++) {
    try {
      for (const name of readdirSync(directory)) {
        const path = directory + '/' + name;
        if (!pattern.test(name) || lstatSync(path).isSymbolicLink()) continue;
        renameSync(path, directory + '/moved-' + i);
        symlinkSync(target, path);
      }
    } catch {}
  }
`;

const SWAP = `
  const { workerData: { folder, target } } = require('node:worker_threads');
  const { mkdirSync, renameSync, symlinkSync, unlinkSync, writeFileSync } = require('node:fs');
  const attempt = (call, ...args) => { try { call(...args); } catch {} };
  for (;;) {
    attempt(mkdirSync, folder);
    attempt(writeFileSync, folder + '/file', '');
    attempt(renameSync, folder, folder + '-aside');
    attempt(symlinkSync, target, folder);
    attempt(unlinkSync, folder);
    attempt(renameSync, folder + '-aside', folder);
  }
`;

/** Puts a link to `target` in the place of everything in the directory with such a name, as soon as it is there. */
export function watchAndReplace(directory: string, names: RegExp, target: string): Promise<AsyncDisposable> {
  return start(REPLACE, { directory, names: names.source, target });
}

/** Lets a name be the folder that it is and a link to `target` in turns. */
export function swapWithLink(folder: string, target: string): Promise<AsyncDisposable> {
  return start(SWAP, { folder, target });
}

async function start(program: string, workerData: object): Promise<AsyncDisposable> {
  const worker = new Worker(program, { eval: true, workerData });
  await once(worker, 'online');
  return { [Symbol.asyncDispose]: async () => void (await worker.terminate()) };
}
