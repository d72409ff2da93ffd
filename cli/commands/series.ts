/** `lanreach series` */
import { type Command, Option } from 'commander';
import { RESOLUTIONS, type Resolution, series } from '../../shared/api/series.ts';
import { Failure } from '../client/failure.ts';
import { openSession } from '../client/session.ts';
import { table } from '../client/text.ts';
import { DEVICE, keyOf } from './one-device.ts';
import { siteOption } from './site-option.ts';
import { TIME_EXAMPLES, toTime } from './time-option.ts';

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
  site?: string;
}

export function addSeriesCommand(program: Command): void {
  program
    .command('series')
    .description('show what was measured over time; what is missing was not measured')
    .option('--check <id>', 'latency and loss of this check')
    .option('--device <device>', `percent of the time that this device was online: ${DEVICE}`)
    .option('--speed', 'the speed tests of the site')
    .option('--addresses', 'the public addresses of the site')
    .option('--agent <agent-name>', 'only what this agent has measured')
    .option('--since <time>', `since this time: ${TIME_EXAMPLES}; default: a day ago`, toTime)
    .option('--until <time>', 'before this time; default: now', toTime)
    .addOption(
      new Option('--resolution <resolution>', 'how fine; default: by the span').choices(Object.keys(RESOLUTIONS)),
    )
    .option('--csv', 'print it as CSV')
    .addOption(siteOption())
    .action(async ({ check, device, speed, addresses, csv, site, ...rest }: SeriesOptions, command: Command) => {
      const given = [check, device, speed, addresses].filter((one) => one !== undefined);
      if (given.length !== 1) throw new Failure('usage', 'Give one of --check, --device, --speed and --addresses.');
      const { client, show, note, write } = openSession(command);
      const of = speed ? ('speed' as const) : addresses ? ('address' as const) : undefined;
      const mac = device === undefined ? undefined : await keyOf(client, device, site);
      const question = { site, query: { ...rest, check, device: mac, of } };
      if (csv) {
        for await (const piece of client.download(series.exportSeries, question)) write(piece, false);
        return;
      }
      const answer = await client.ask(series.getSeries, question);
      const columns = answer.series[0]?.columns ?? [];
      const headings = columns.map(({ name, unit }) => (unit === '' ? name : `${name} (${unit})`));
      const lines = answer.series.flatMap(({ agent, times, columns: measured }) =>
        times.map((time, i) => [
          new Date(time * 1000).toISOString(),
          agent ?? '-',
          ...measured.map(({ values }) => String(values[i] ?? '-')),
        ]),
      );
      show(answer, () =>
        lines.length === 0 ? 'Nothing was measured.\n' : table(['TIME', 'AGENT', ...headings], lines),
      );
      const summary = Object.entries(answer.summary).filter(([, value]) => value !== null);
      if (lines.length > 0) note(summary.map(([name, value]) => `${name} ${value}`).join(', '));
    });
}
