/** `lanreach scan`: looks for the devices of a site's LAN, or scans their ports. */
import { Option } from 'commander';
import { parseIp, parseRange } from '../../shared/addresses.ts';
import type { Job } from '../../shared/api/jobs.ts';
import type { ScanType } from '../../shared/api/trigger-scan.ts';
import type { NmapMode, NmapProtocol } from '../../shared/tools/nmap.ts';
import { NMAP_MODES, NMAP_PROTOCOLS, SCAN_TYPES } from '../../shared/words.ts';
import { Failure } from '../client/failure.ts';
import type { Session } from '../client/session.ts';
import { type Cell, muted, table } from '../client/text.ts';
import type { Command } from '../command.ts';
import { keyOf } from './device-names.ts';
import { foundBy, stateOf } from './jobs.ts';
import { untilEnded } from './nettools.ts';
import { wordsOf } from './run-text.ts';
import { isLarge, scanLarge } from './scans.ts';

interface ScanOptions {
  agent?: string;
  type?: ScanType;
  mode?: NmapMode;
  protocol?: NmapProtocol;
  wait: boolean;
}

export function addScanCommand(own: Command): void {
  own
    .argument(
      '[target]',
      'whose ports: an address, a network of up to a /16, or a device by its name or MAC; default: the whole LAN',
    )
    .addOption(new Option('--type <type>', 'default: NMAP for a target, else ARPSCAN').choices(SCAN_TYPES))
    .addOption(new Option('--mode <mode>', 'of NMAP; default: fast').choices(NMAP_MODES))
    .addOption(new Option('--protocol <protocol>', 'of NMAP; default: tcp').choices(NMAP_PROTOCOLS))
    .option('--no-wait', 'start it in the background')
    .withSite()
    .withAgent()
    .run(async (session, target: string | undefined, options: ScanOptions) => {
      const { client, show, note, site } = session;
      const { agent, mode, protocol, wait } = options;
      const how = { mode: mode ?? 'fast', protocol } as const;
      const isPorts = options.type === undefined || options.type === 'NMAP';
      if (isPorts && agent === undefined && isLarge(target, how)) {
        return scanLarge(session, { range: target ?? '', ...how, wait });
      }
      const scan = target === undefined ? undefined : await addressOf(session, target);
      const type = options.type ?? ((scan ?? mode ?? protocol) === undefined ? 'ARPSCAN' : 'NMAP');
      const body = { type, scan, mode, protocol };
      const answer = await client.ask('POST /nettools/trigger-scan', { site, query: { agent }, body });
      if (wait) note(`${answer.message}. To see it later: lanreach runs ${answer.scan_id}`);
      const jobs = wait ? await Promise.all(answer.jobs.map((job) => untilEnded(client, job.id))) : answer.jobs;
      await show({ ...answer, jobs }, () => table(['RUN', 'RESULT', 'FOUND', 'AGENT', 'ID'], jobs.map(row)));
      const failed = jobs.filter(({ state }) => wait && state !== 'succeeded');
      if (failed.length > 0) throw new Failure('failure', `${failed.length} of ${jobs.length} scans did not succeed`);
    });
}

/** What is to be scanned: the range itself, or the address at which a device was seen last. */
async function addressOf(session: Session, target: string): Promise<string> {
  if (parseRange(target) !== null) return target;
  const fault = faultOfNetwork(target);
  if (fault !== null) throw new Failure('usage', fault);
  const { client, site } = session;
  const { devLastIP } = await client.ask('GET /devices/{mac}', { site, params: { mac: await keyOf(session, target) } });
  if (devLastIP !== '') return devLastIP;
  throw new Failure('notFound', `No address of the device "${target}" is known`);
}

/** What is wrong with a text that looks like a network; null for one that may be the name of a device. */
export function faultOfNetwork(text: string): string | null {
  const [, address = '', prefix = ''] = /^([0-9a-f.:]*[.:][0-9a-f.:]*)\/(.*)$/i.exec(text) ?? [];
  if (address === '') return null;
  const looks = `"${text}" looks like a network, but`;
  const ip = parseIp(address);
  if (ip === null) return `${looks} ${address} is no IP address`;
  const longest = ip.family === 4 ? 32 : 128;
  if (/^\d+$/.test(prefix)) return `${looks} /${prefix} is above ${longest}`;
  return `${looks} after the slash stands no number from 0 to ${longest}`;
}

function row(job: Job): Cell[] {
  return [wordsOf(job), stateOf(job), job.message ?? foundBy(job), job.agent, muted(job.id)];
}
