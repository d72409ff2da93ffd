/** `lanreach changes` */
import type { ChangeGroup } from '../../shared/api/changes.ts';
import { oneLine } from '../../shared/text.ts';
import { localTime } from '../client/relative-time.ts';
import type { Text } from '../client/text.ts';
import type { Command } from '../command.ts';
import { TIME_EXAMPLES, toTime } from '../option-values.ts';

export function addChangesCommand(own: Command): void {
  own
    .option('--since <time>', `since this time: ${TIME_EXAMPLES}; default: a day before`, toTime)
    .option('--until <time>', 'before this time; default: now', toTime)
    .option('--limit <number>', 'how many devices and other subjects to show; default: 200')
    .withSite()
    .run(async ({ request, note, site }, options: Partial<Record<'since' | 'until' | 'limit', string>>) => {
      const { since, until, limit } = options;
      const answer = await request('GET /changes', { site, query: { since, until, limit } }, ({ summary, changes }) => [
        `${oneLine(summary)}\n`,
        ...changes.flatMap((one): Text[] => ['\n', groupText(one)]),
      ]);
      if (answer.truncated) note('There are more changes: use a shorter span, or a higher --limit.');
    });
}

function groupText({ device, subject, sentences }: ChangeGroup): string {
  const title =
    device === null
      ? subject === null
        ? 'Many devices'
        : `${subject.kind} ${subject.name}`
      : [device.name, device.mac && `(${device.mac})`].filter(Boolean).join(' ') || device.key;
  const lines = sentences.map(({ at, text }) => `  ${localTime(new Date(at))}  ${oneLine(text)}\n`);
  return `${oneLine(title)}\n${lines.join('')}`;
}
