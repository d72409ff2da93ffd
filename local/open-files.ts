/** The connections for which the limit of open files leaves room: a process without free descriptors can do little. */
import { systemFile } from '../agent/host/platform.ts';
import { MAX_CONNECTIONS as MAX_BROKER_CONNECTIONS } from './broker.ts';
import { MAX_CONNECTIONS as MAX_HTTP_CONNECTIONS } from './http-server.ts';

/** For the database, the children, hooks in flight, the files of the console, and the modules of Node.js. */
const RESERVED = 160;
/** Fewer are useless: then running out is the lesser evil. */
const LEAST = 16;

interface ConnectionLimits {
  http: number;
  broker: number;
  /** The warning at the start; null with room for all connections. */
  warning: string | null;
}

/** @param openFiles the limit of open files of the process; null if unknown */
export function connectionLimits(openFiles = openFilesLimit()): ConnectionLimits {
  const room = openFiles === null ? Infinity : Math.max(2 * LEAST, openFiles - RESERVED);
  const http = Math.min(MAX_HTTP_CONNECTIONS, Math.floor(room / 2));
  const broker = Math.min(MAX_BROKER_CONNECTIONS, room - http);
  const isAll = http === MAX_HTTP_CONNECTIONS && broker === MAX_BROKER_CONNECTIONS;
  const warning =
    `this process may have ${openFiles} files open, so at most ${http} connections to the API and ${broker} to the broker ` +
    'are accepted. Raise that limit (ulimit -n, LimitNOFILE of systemd, --ulimit of a container) for more';
  return { http, broker, warning: isAll ? null : warning };
}

/** The limit of open files of this process, which Node.js has raised to the hard limit; null if the system does not report it. */
export function openFilesLimit(): number | null {
  const [, soft = ''] = /^Max open files\s+(\S+)/m.exec(systemFile('/proc/self/limits')) ?? [];
  return /^\d+$/.test(soft) ? Number(soft) : null;
}
