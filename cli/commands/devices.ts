/** `lanreach devices …` */
import { writeFile } from 'node:fs/promises';
import type { Command } from 'commander';
import { TOTALS_ORDER } from '../../shared/words.ts';
import { Failure } from '../client/failure.ts';
import { openSession } from '../client/session.ts';
import { fields, muted, table } from '../client/text.ts';
import { addEventCommands } from './device-events.ts';
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
  netalertx?: boolean;
}

export function addDeviceCommands(command: Command): void {
  addListCommand(command);

  command
    .command('totals')
    .description('count the devices by category')
    .addOption(siteOption())
    .action(async ({ site }: SiteOptions, command: Command) => {
      const { client, show } = openSession(command);
      const answer = await client.ask('GET /devices/totals', { site });
      await show(answer, () => fields(Object.fromEntries(TOTALS_ORDER.map((name, i) => [name, String(answer[i])]))));
    });

  command
    .command('search')
    .description('find devices by a part of their name, MAC or IP address')
    .argument('<text>')
    .addOption(siteOption())
    .action(async (query: string, { site }: SiteOptions, command: Command) => {
      const { client, show } = openSession(command);
      const answer = await client.ask('POST /devices/search', { site, body: { query } });
      await show(answer, () =>
        table(
          ['NAME', 'IP', 'MAC'],
          answer.devices.map(({ devMac, devLastIP, devName }) => [devName, devLastIP, muted(devMac)]),
        ),
      );
    });

  command
    .command('export')
    .description('write the devices as CSV, or as JSON with --json')
    .option('--output <file>', 'write to a file; default: standard output')
    .option('--all-columns', 'every field, for a lossless copy')
    .option('--netalertx', 'the columns that NetAlertX imports')
    .addOption(siteOption())
    .action(async ({ site, output, allColumns, netalertx }: ExportOptions, command: Command) => {
      const { client, note, write, isJson } = openSession(command);
      const format = isJson ? 'json' : 'csv';
      const columns = netalertx ? ('netalertx' as const) : allColumns ? ('all' as const) : undefined;
      const query = { format, columns };
      const text = await client.fetchText('GET /devices/export', { site, query, timeoutMs: BULK_TIMEOUT_MS });
      if (output === undefined) return write(text, format === 'json');
      await writeFile(output, text).catch((error: Error) => {
        throw new Failure('failure', `Cannot write ${output}: ${error.message}`, { cause: error });
      });
      note(`The devices are in ${output}.`);
    });

  addImportCommand(command);
  addOneDeviceCommands(command);
  addEventCommands(command);
  addExplainCommand(command);
  addJoinCommands(command);
  addSetCommand(command);
  addPlaceCommands(command);
}
