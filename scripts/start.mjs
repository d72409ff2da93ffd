/**
 * `npm start`: builds the programs, and then becomes the server in this process, so that npm waits for the server
 * itself and passes signals on to it. The build runs in a separate process, which frees its memory.
 */
import { spawnSync } from 'node:child_process';
import { fileURLToPath } from 'node:url';

const build = fileURLToPath(new URL('prepare.mjs', import.meta.url));
const server = new URL('../dist/local.js', import.meta.url);

const launcher = process.ppid;
const startedAt = performance.now();
console.log('Building the programs and the console: about ten seconds the first time …');
const { status } = spawnSync(process.execPath, [build], { stdio: 'inherit' });
if (status !== 0) process.exit(status ?? 1);
console.log(`Built in ${((performance.now() - startedAt) / 1000).toFixed(1)} s.`);
if (process.ppid !== launcher) process.exit(1); // The process that started this one is gone.
await import(server.href);
