/** `lanreach devices …` */
import { writeFile } from 'node:fs/promises';
import type { Command } from 'commander';
import { devices } from '../../shared/api/devices.ts';
import { TOTALS_ORDER } from '../../shared/device.ts';
import { Failure } from '../client/failure.ts';
import { openSession } from '../client/session.ts';
import { fields, table } from '../client/text.ts';
import { addExplainCommand } from './explain.ts';
import { addImportCommand } from './import.ts';
import { addJoinCommands } from './join.ts';
import { addListCommand } from './list-devices.ts';
import { addOneDeviceCommands } from './one-device.ts';
import { addPlaceCommands } from './place.ts';
import { addSetCommand } from './set.ts';
import { siteOption } from './site-option.ts';

/** A hundred thousand devices are 13 MB. */
const BULK_TIMEOUT_MS = 120_000;

interface SiteOptions {
  site?: string;
}

interface ExportOptions extends SiteOptions {
  output?: string;
  allColumns?: boolean;
  json?: boolean;
}

export function addDeviceCommands(program: Command): void {
  const command = program.command('devices').description('the devices of a site');

  addListCommand(command);

  command
    .command('totals')
    .description('count the devices by category')
    .addOption(siteOption())
    .action(async ({ site }: SiteOptions, command: Command) => {
      const { client, show } = openSession(command);
      const answer = await client.ask(devices.countDevices, { site });
      show(answer, () => fields(Object.fromEntries(TOTALS_ORDER.map((name, i) => [name, String(answer[i])]))));
    });

  command
    .command('search')
    .description('find devices by a part of their name, MAC or IP address')
    .argument('<text>')
    .addOption(siteOption())
    .action(async (query: string, { site }: SiteOptions, command: Command) => {
      const { client, show } = openSession(command);
      const answer = await client.ask(devices.searchDevices, { site, body: { query } });
      show(answer, () =>
        table(
          ['MAC', 'IP', 'NAME'],
          answer.devices.map(({ devMac, devLastIP, devName }) => [devMac, devLastIP, devName]),
        ),
      );
    });

  command
    .command('export')
    .description('write the devices as CSV, or as JSON with --json')
    .option('--output <file>', 'write to a file; default: standard output')
    .option('--all-columns', 'every field, for a lossless copy')
    .addOption(siteOption())
    .action(async ({ site, output, allColumns }: ExportOptions, command: Command) => {
      const { client, note, write } = openSession(command);
      const format = command.optsWithGlobals<ExportOptions>().json ? 'json' : 'csv';
      const query = { format, columns: allColumns ? ('all' as const) : undefined };
      const text = await client.fetchText(devices.exportDevices, { site, query, timeoutMs: BULK_TIMEOUT_MS });
      if (output === undefined) return write(text, format === 'json');
      await writeFile(output, text).catch((error: Error) => {
        throw new Failure('failure', `Cannot write ${output}: ${error.message}`, { cause: error });
      });
      note(`The devices are in ${output}.`);
    });

  addImportCommand(command);
  addOneDeviceCommands(command);
  addExplainCommand(command);
  addJoinCommands(command);
  addSetCommand(command);
  addPlaceCommands(command);
}
