/**
 * `npm start`: builds the programs and goes on as the server, in this process. So npm waits for the server itself, which
 * gets the signals that npm passes on. The build is a process of its own, whose memory goes when it is done.
 */
import { spawnSync } from 'node:child_process';
import { fileURLToPath } from 'node:url';

const build = fileURLToPath(new URL('build.mjs', import.meta.url));
const server = new URL('../dist/local.js', import.meta.url);

const launcher = process.ppid;
const { status } = spawnSync(process.execPath, [build], { stdio: 'inherit' });
if (status !== 0) process.exit(status ?? 1);
if (process.ppid !== launcher) process.exit(1); // Whoever wanted the server has gone meanwhile.
await import(server.href);
