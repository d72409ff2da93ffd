/** `lanreach series` */
import { Option } from 'commander';
import type { Resolution } from '../../shared/api/series.ts';
import { RESOLUTION_NAMES } from '../../shared/words.ts';
import { Failure } from '../client/failure.ts';
import { table, time } from '../client/text.ts';
import type { Command } from '../command.ts';
import { TIME_EXAMPLES, toTime } from '../option-values.ts';
import { DEVICE, keyOf } from './device-names.ts';

interface SeriesOptions {
  check?: string;
  device?: string;
  speed?: boolean;
  addresses?: boolean;
  agent?: string;
  since?: string;
  until?: string;
  resolution?: Resolution;
  csv?: boolean;
}

export function addSeriesCommand(own: Command): void {
  own
    .option('--check <id>', 'latency and loss of this check')
    .option('--device <device>', `percent of the time that this device was online: ${DEVICE}`)
    .option('--speed', 'the speed tests of the site')
    .option('--addresses', 'the public addresses of the site')
    .option('--agent <agent-name>', 'only what this agent has measured')
    .option('--since <time>', `since this time: ${TIME_EXAMPLES}; default: a day ago`, toTime)
    .option('--until <time>', 'before this time; default: now', toTime)
    .addOption(new Option('--resolution <resolution>', 'how fine; default: by the span').choices(RESOLUTION_NAMES))
    .option('--csv', 'print it as CSV')
    .withSite()
    .run(async (session, { check, device, speed, addresses, csv, agent, since, until, resolution }: SeriesOptions) => {
      const given = [check, device, speed, addresses].filter((one) => one !== undefined);
      if (given.length !== 1) throw new Failure('usage', 'Give one of --check, --device, --speed and --addresses.');
      const { client, show, note, write, site } = session;
      const of = speed ? ('speed' as const) : addresses ? ('address' as const) : undefined;
      const mac = device === undefined ? undefined : await keyOf(session, device);
      const question = { site, query: { agent, since, until, resolution, check, device: mac, of } };
      if (csv) {
        for await (const piece of client.download('GET /series/export', question)) write(piece, false);
        return;
      }
      const answer = await client.ask('GET /series', question);
      const columns = answer.series[0]?.columns ?? [];
      const headings = columns.map(({ name, unit }) => (unit === '' ? name : `${name} (${unit})`));
      const lines = answer.series.flatMap(({ agent, times, columns: measured }) =>
        times.map((at, i) => [
          time(new Date(at * 1000).toISOString()),
          agent ?? '-',
          ...measured.map(({ values }) => values[i] ?? '-'),
        ]),
      );
      await show(answer, () =>
        lines.length === 0 ? 'Nothing was measured.\n' : table(['TIME', 'AGENT', ...headings], lines),
      );
      const summary = Object.entries(answer.summary).filter(([, value]) => value !== null);
      if (lines.length > 0) note(summary.map(([name, value]) => `${name} ${value}`).join(', '));
    });
}
