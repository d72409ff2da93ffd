/**
 * Runs beside the embedded database engine in its network namespace: `<program> <ip> <setpriv> <engine> <database
 * file>`.
 *
 * It brings up the loopback interface, starts the engine, and opens connections to it for the parent process, which is
 * outside of the namespace. It hands each over as a connected socket, so it does not handle any data itself. Engine and
 * connector end together, and with the parent process.
 */
import { connect } from 'node:net';
import { type Companion, runToEnd, startCompanion } from './child-process.ts';

const HOST = '127.0.0.1';
const PORT = 8000;
const PREPARED_WITHIN_MS = 30_000;

const [, , ip = '', setpriv = '', engine = '', file = ''] = process.argv;
let companion: Companion | null = null;
let isStopping = false;

async function stop(): Promise<void> {
  isStopping = true;
  await companion?.stop();
  process.exit(0);
}
process.on('SIGTERM', stop);
process.on('disconnect', stop); // The parent process is gone.

function fail(reason: string): void {
  process.stderr.write(`${reason}\n`);
  process.exit(1);
}

const prepared = await runToEnd([ip, 'link', 'set', 'lo', 'up'], { timeoutMs: PREPARED_WITHIN_MS });
if (prepared.code !== 0) fail(`Cannot bring up the loopback interface: ${prepared.output}`);
if (!isStopping) {
  const argv = [engine, 'serve', '--host', HOST, '--port', String(PORT), '--db-path', file] as const;
  companion = startCompanion(argv, setpriv);
  companion.ended.then((how) => {
    if (!isStopping) fail(`The database engine has ended with ${how}`);
  });
}

/** Each message asks for one connection. */
process.on('message', () => {
  const answer = (message: object, handle?: ReturnType<typeof connect>) =>
    process.send?.(message, handle, {}, () => {}); // If it fails, the parent process is gone.
  const socket = connect({ host: HOST, port: PORT, noDelay: true });
  socket.pause(); // Data on it is for the other process and must not be read here.
  socket.once('connect', () => answer({}, socket));
  socket.once('error', (error: NodeJS.ErrnoException) => answer({ error: error.code ?? 'ECONNREFUSED' }));
});
