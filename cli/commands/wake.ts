/** `lanreach wake`: by name, MAC or IP address, and with --wait only done when the device is awake. */
import { ApiError } from '../../client/errors.ts';
import { parseIp, parseMac } from '../../shared/addresses.ts';
import { wakeOnLan } from '../../shared/tools/wake-on-lan.ts';
import { nameFields } from '../client/failure.ts';
import type { Command } from '../command.ts';
import { keyMeant } from './device-names.ts';
import { runTool } from './nettools.ts';

interface WakeOptions {
  agent?: string;
  wait?: boolean;
}

export function addWakeCommand(own: Command): void {
  nameFields(own, new Map(['devMac', 'devLastIP', 'devName'].map((field) => [field, '<device>'])));
  own
    .argument('<device>', 'its name, its MAC address, or the IP address at which it was seen last')
    .option('--wait', 'watch it for up to two minutes; exit code 1 if there is no sign of it')
    .withSite()
    .withAgent()
    .run(async (session, device: string, { agent, wait = false }: WakeOptions) => {
      const wake = (named: object) => runTool(session, wakeOnLan, agent, { ...named, verify: wait });
      try {
        await wake(namedBy(device));
      } catch (error) {
        const isUnknown = error instanceof ApiError && error.code === 'not_found' && 'devName' in namedBy(device);
        if (!isUnknown) throw error;
        await wake({ devMac: await keyMeant(session, device) });
      }
    });
}

/** The field of the request that names the device. */
function namedBy(device: string): { devMac: string } | { devLastIP: string } | { devName: string } {
  if (parseMac(device) !== null) return { devMac: device };
  return parseIp(device) === null ? { devName: device } : { devLastIP: device };
}
