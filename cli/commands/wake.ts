/** `lanreach wake`: by name, MAC or IP address, and with --wait only done when the device is awake. */
import type { Command } from 'commander';
import { ApiError } from '../../client/errors.ts';
import { parseIp, parseMac } from '../../shared/addresses.ts';
import { wakeOnLan } from '../../shared/tools/wake-on-lan.ts';
import { nameFields } from '../client/failure.ts';
import { openSession } from '../client/session.ts';
import { keyMeant } from './device-names.ts';
import { runTool } from './nettools.ts';
import { agentOption, siteOption } from './site-option.ts';

interface WakeOptions {
  site?: string;
  agent?: string;
  wait?: boolean;
}

export function addWakeCommand(own: Command): void {
  nameFields(
    own,
    new Map([
      ['devMac', '<device>'],
      ['devLastIP', '<device>'],
      ['devName', '<device>'],
    ]),
  );
  own
    .argument('<device>', 'its name, its MAC address, or the IP address at which it was seen last')
    .option('--wait', 'watch it for up to two minutes; exit code 1 if there is no sign of it')
    .addOption(siteOption())
    .addOption(agentOption())
    .action(async (device: string, { site, agent, wait = false }: WakeOptions, command: Command) => {
      const session = openSession(command);
      const wake = (body: object) => runTool(session, wakeOnLan, { tool: wakeOnLan.name, site, agent, body });
      try {
        await wake({ ...namedBy(device), verify: wait });
      } catch (error) {
        const isUnknown = error instanceof ApiError && error.code === 'not_found' && 'devName' in namedBy(device);
        if (!isUnknown) throw error;
        await wake({ devMac: await keyMeant(session, device, site), verify: wait });
      }
    });
}

/** The field of the request that names the device. */
function namedBy(device: string): { devMac: string } | { devLastIP: string } | { devName: string } {
  if (parseMac(device) !== null) return { devMac: device };
  return parseIp(device) === null ? { devName: device } : { devLastIP: device };
}
