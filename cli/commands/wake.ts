/** `lanreach wake`: by name, MAC or IP address, and with --wait only done when the device is awake. */
import type { Command } from 'commander';
import { nettools } from '../../shared/api/nettools.ts';
import { parseIp, parseMac } from '../../shared/network.ts';
import { wakeOnLan } from '../../shared/tools/wake-on-lan.ts';
import { GROUP, runTool } from './nettools.ts';
import { agentOption, siteOption } from './site-option.ts';

interface WakeOptions {
  site?: string;
  agent?: string;
  wait?: boolean;
}

export function addWakeCommand(program: Command): void {
  program
    .command(wakeOnLan.cli.command)
    .description(wakeOnLan.cli.description)
    .argument('<device>', 'its name, its MAC address, or the IP address at which it was seen last')
    .option('--wait', 'watch it for up to two minutes; exit code 1 if there is no sign of it')
    .addOption(siteOption())
    .addOption(agentOption())
    .helpGroup(GROUP)
    .action(async (device: string, { site, agent, wait = false }: WakeOptions, command: Command) => {
      const question = { site, query: { agent }, body: { ...namedBy(device), verify: wait } };
      await runTool(command, wakeOnLan, nettools.wakeOnLan, question);
    });
}

/** The field of the request that names the device. */
function namedBy(device: string): { devMac: string } | { devLastIP: string } | { devName: string } {
  if (parseMac(device) !== null) return { devMac: device };
  return parseIp(device) === null ? { devName: device } : { devLastIP: device };
}
