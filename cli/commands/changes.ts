/** `lanreach changes` */
import type { Command } from 'commander';
import type { ChangeGroup } from '../../shared/api/changes.ts';
import { oneLine } from '../../shared/text.ts';
import { noteUnreadable, openSession } from '../client/session.ts';
import type { Text } from '../client/text.ts';
import { siteOption } from './site-option.ts';
import { TIME_EXAMPLES, toTime } from './time-option.ts';

interface ChangesOptions {
  site?: string;
  since?: string;
  until?: string;
  limit?: string;
}

export function addChangesCommand(own: Command): void {
  own
    .option('--since <time>', `since this time: ${TIME_EXAMPLES}; default: a day before`, toTime)
    .option('--until <time>', 'before this time; default: now', toTime)
    .option('--limit <number>', 'how many devices and other subjects to show; default: 200')
    .addOption(siteOption())
    .action(async ({ site, since, until, limit }: ChangesOptions, command: Command) => {
      const session = openSession(command);
      const answer = await session.client.ask('GET /changes', { site, query: { since, until, limit } });
      await session.show(answer, () => [
        `${oneLine(answer.summary)}\n`,
        ...answer.changes.flatMap((one): Text[] => ['\n', groupText(one)]),
      ]);
      noteUnreadable(session, answer.unreadable);
      if (answer.truncated) session.note('There are more changes: use a shorter span, or a higher --limit.');
    });
}

function groupText({ device, subject, sentences }: ChangeGroup): string {
  const title =
    device === null
      ? subject === null
        ? 'Many devices'
        : `${subject.kind} ${subject.name}`
      : [device.name, device.mac && `(${device.mac})`].filter(Boolean).join(' ') || device.key;
  const lines = sentences.map(({ at, text }) => `  ${localTime(at)}  ${oneLine(text)}\n`);
  return `${oneLine(title)}\n${lines.join('')}`;
}

/** By the clock of this computer, as the words of options are. */
function localTime(iso: string): string {
  const at = new Date(iso);
  const two = (n: number) => String(n).padStart(2, '0');
  const day = [at.getFullYear(), two(at.getMonth() + 1), two(at.getDate())].join('-');
  return `${day} ${two(at.getHours())}:${two(at.getMinutes())}`;
}
