/** `lanreach devices …` */
import { writeFile } from 'node:fs/promises';
import { TOTALS_ORDER } from '../../shared/words.ts';
import { Failure } from '../client/failure.ts';
import { fields, muted, table } from '../client/text.ts';
import type { Command } from '../command.ts';
import { addEventCommands } from './device-events.ts';
import { addExplainCommand } from './explain.ts';
import { addImportCommand } from './import.ts';
import { addJoinCommands } from './join.ts';
import { addListCommand } from './list-devices.ts';
import { addOneDeviceCommands } from './one-device.ts';
import { addPlaceCommands } from './place.ts';
import { addSetCommand } from './set.ts';

/** A hundred thousand devices are 13 MB. */
const BULK_TIMEOUT_MS = 120_000;

interface ExportOptions {
  output?: string;
  allColumns?: boolean;
  netalertx?: boolean;
}

export function addDeviceCommands(command: Command): void {
  addListCommand(command);

  command
    .part('totals', 'count the devices by category')
    .withSite()
    .run(({ request, site }) =>
      request('GET /devices/totals', { site }, (answer) =>
        fields(Object.fromEntries(TOTALS_ORDER.map((name, i) => [name, answer[i]]))),
      ),
    );

  command
    .part('search', 'find devices by a part of their name, MAC or IP address')
    .argument('<text>')
    .withSite()
    .run(({ request, site }, query: string) =>
      request('POST /devices/search', { site, body: { query } }, ({ devices }) =>
        table(
          ['NAME', 'IP', 'MAC'],
          devices.map(({ devMac, devLastIP, devName }) => [devName, devLastIP, muted(devMac)]),
        ),
      ),
    );

  command
    .part('export', 'write the devices as CSV, or as JSON with --json')
    .option('--output <file>', 'write to a file; default: standard output')
    .option('--all-columns', 'every field, for a lossless copy')
    .option('--netalertx', 'the columns that NetAlertX imports')
    .withSite()
    .run(async ({ client, note, write, isJson, site }, { output, allColumns, netalertx }: ExportOptions) => {
      const format = isJson ? 'json' : 'csv';
      const columns = netalertx ? ('netalertx' as const) : allColumns ? ('all' as const) : undefined;
      const query = { format, columns };
      const text = await client.fetchText('GET /devices/export', { site, query, timeoutMs: BULK_TIMEOUT_MS });
      if (output === undefined) return write(text, isJson);
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
