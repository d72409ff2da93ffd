/** Commands through the API: latency, throughput, processor time, time to the first output and to cancel. */
import { childEnvironment } from '../../local/config.ts';
import { findProgram } from '../../local/programs.ts';
import { openApiClient } from '../api-client.ts';
import { send } from './api.ts';
import { requestText } from './load.ts';
import { type Figure, figure, type RequestTable, single } from './report.ts';
import { measureRounds } from './requests.ts';
import { inTurn, sampleOf } from './sampling.ts';
import type { Server } from './server.ts';

const COMMAND = 'GET /nettools/interfaces';
const SCANS = { warmUp: 2, count: 40 };
/** Takes some seconds, and prints something at its start. */
const SCAN = { scan: '127.0.0.0/24', mode: 'skipdiscovery' };

/** A command of `ip`, which takes about two milliseconds by itself. */
export async function measureCommands(servers: readonly Server[], quick: boolean): Promise<RequestTable> {
  const rounds = { rounds: quick ? 2 : 4, sliceMs: 1_500 };
  const subjects = servers.map(({ url, token }) => {
    const request = requestText(url, 'GET', '/nettools/interfaces', { token });
    return [{ name: COMMAND, requests: [request], status: 200 }];
  });
  return { title: 'commands', rows: await measureRounds(servers, subjects, rounds) };
}

export function commandGoals({ rows: [own] }: RequestTable): Figure[] {
  if (own === undefined) return [];
  return [
    single(`${COMMAND}, ten in flight`, '/s', { atLeast: 150 }, [own.perSecond]),
    single(`${COMMAND}, ten in flight: CPU of all processes`, 'ms', { atMost: 12 }, [own.cpuMs]),
  ];
}

/** Scans that are followed from the start, and cancelled at their first line. */
export async function measureScans(servers: readonly Server[]): Promise<Figure[]> {
  if (findProgram('nmap', childEnvironment().PATH ?? '') === null) return [];
  const goneMs = servers.map((): number[] => []);
  const firstLine = await inTurn(servers, SCANS, async (server) => {
    const startedAt = performance.now();
    const stream = await openApiClient(server.url, server.token).stream('POST', '/nettools/nmap', { body: SCAN });
    const { id } = (await stream.first('accepted')).data as { id: string };
    await stream.first('output');
    const ms = performance.now() - startedAt;
    stream.leave();
    const answered = await send(server, 'DELETE', `/jobs/${id}`);
    const left = server.running(SCAN.scan);
    if (left > 0) throw new Error(`${left} processes of a cancelled scan are still there`);
    goneMs[servers.indexOf(server)]?.push(answered.ms);
    return ms;
  });
  const gone = goneMs.map(sampleOf);
  return [
    figure('request → first line of a scan', 'ms', { atMost: 150 }, firstLine),
    figure('cancel → the process is gone', 'ms', { atMost: 1_000 }, gone),
  ];
}
