/** `lanreach update …` */
import type { Command } from 'commander';
import type { AnswerOf } from '../../client/routes.ts';
import { openSession } from '../client/session.ts';
import { type Cell, fields, time } from '../client/text.ts';

const RINGS = { 1: 'one agent', 2: 'a tenth of the agents', 3: 'all agents' };

export function addUpdateCommands(update: Command): void {
  update
    .command('show')
    .description('show the release, its roll-out and its failures')
    .action(async (_options: object, command: Command) => {
      const { client, show } = openSession(command);
      const answer = await client.ask('GET /updates');
      await show(answer, () => fields(described(answer)));
    });

  for (const { name, alias, state, what } of [
    { name: 'continue', alias: 'go-on', state: 'going', what: 'continue a roll-out that a failure has stopped' },
    {
      name: 'give-up',
      alias: null,
      state: 'given-up',
      what: 'abandon a release: no further agent installs it',
    },
  ] as const) {
    const own = update.command(name);
    if (alias !== null) own.alias(alias);
    own
      .description(what)
      .argument('<version>', 'as "update show" shows it')
      .action(async (version: string, _options: object, command: Command) => {
        const { client, show } = openSession(command);
        const answer = await client.ask('PATCH /updates', { body: { version, state } });
        await show(answer, () => fields(described(answer)));
      });
  }
}

function described({ release, rollOut }: AnswerOf<'GET /updates'>): Record<string, Cell> {
  return {
    release: release ?? '-',
    ...(rollOut === null
      ? {}
      : {
          'rolled out': `${rollOut.version}, ${rollOut.state}`,
          ring: [`${rollOut.ring} of 3, ${RINGS[rollOut.ring]}, since `, time(rollOut.since)],
          'under way': String(rollOut.underWay),
          ...Object.fromEntries(
            rollOut.failures.map(({ agent, reason, at }) => [agent, ['failed at ', time(at), `: ${reason}`]]),
          ),
        }),
  };
}
