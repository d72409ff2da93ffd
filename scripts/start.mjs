/**
 * `npm start`: builds the programs in a separate process, which frees its memory, and then becomes the server in this one, so
 * that npm waits for the server itself and passes signals on to it.
 */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';

const build = fileURLToPath(new URL('prepare.mjs', import.meta.url));
const server = new URL('../dist/local.js', import.meta.url);

const launcher = process.ppid;
const startedAt = performance.now();
const seconds = () => (performance.now() - startedAt) / 1000;

/** On a terminal the seconds count up in the line of the build. */
const isTerminal = process.stdout.isTTY === true;
const say = (text) => process.stdout.write(isTerminal ? `\r${text}` : `${text}\n`);
say('building …');
const clock = isTerminal ? setInterval(() => say(`building … ${seconds().toFixed(0)} s`), 1000) : undefined;
const [code] = await once(spawn(process.execPath, [build], { stdio: 'inherit' }), 'exit');
clearInterval(clock);
if (code !== 0) process.exit(code ?? 1);
say(`building … ${seconds().toFixed(1)} s`);
if (isTerminal) process.stdout.write('\n');
if (process.ppid !== launcher) process.exit(1); // The launcher has ended.
await import(server.href);
