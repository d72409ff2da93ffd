/**
 * Runs beside the embedded database engine in its network namespace: `<program> <ip> <setpriv> <engine> <database file>`.
 *
 * It brings up the loopback interface, starts the engine, and makes connections to it for the process that started us,
 * which cannot reach it otherwise. Each is handed over as a connected socket, so no data passes through here. Both end
 * with each other, and with that process.
 */
import { connect } from 'node:net';
import { type Companion, runToEnd, startCompanion } from './child-process.ts';

const HOST = '127.0.0.1';
const PORT = 8000;
const PREPARED_WITHIN_MS = 5_000;

const [, , ip = '', setpriv = '', engine = '', file = ''] = process.argv;
let companion: Companion | null = null;
let isStopping = false;

async function stop(): Promise<void> {
  isStopping = true;
  await companion?.stop();
  process.exit(0);
}
process.on('SIGTERM', stop);
process.on('disconnect', stop); // Whoever started us is gone.

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
    if (!isStopping) fail(`The engine has ended with ${how}`);
  });
}

/** Each message asks for one connection. */
process.on('message', () => {
  const answer = (message: object, handle?: ReturnType<typeof connect>) =>
    process.send?.(message, handle, {}, () => {}); // Where it fails, whoever asked is gone.
  const socket = connect({ host: HOST, port: PORT, noDelay: true });
  socket.pause(); // Until it is handed over, nothing may be read here that is meant for the other process.
  socket.once('connect', () => answer({}, socket));
  socket.once('error', (error: NodeJS.ErrnoException) => answer({ error: error.code ?? 'ECONNREFUSED' }));
});
