/** `lanreach update …` */
import type { Command } from 'commander';
import type * as z from 'zod';
import { updates } from '../../shared/api/updates.ts';
import { openSession } from '../client/session.ts';
import { fields } from '../client/text.ts';

const RINGS = { 1: 'one agent', 2: 'a tenth of the agents', 3: 'all agents' };

export function addUpdateCommands(program: Command): void {
  const update = program.command('update').description('the release of the agent that sites with updates "auto" get');

  update
    .command('show')
    .description('show the release, how far it has come, and who has failed')
    .action(async (_options: object, command: Command) => {
      const { client, show } = openSession(command);
      const answer = await client.ask(updates.getUpdates);
      show(answer, () => fields(described(answer)));
    });

  for (const { name, state, what } of [
    { name: 'go-on', state: 'going', what: 'go on with a release that a failure has stopped' },
    { name: 'give-up', state: 'given-up', what: 'give a release up: no agent is told to become it any more' },
  ] as const) {
    update
      .command(name)
      .description(what)
      .argument('<version>', 'as "update show" shows it')
      .action(async (version: string, _options: object, command: Command) => {
        const { client, show } = openSession(command);
        const answer = await client.ask(updates.changeUpdates, { body: { version, state } });
        show(answer, () => fields(described(answer)));
      });
  }
}

function described({ release, rollOut }: z.output<typeof updates.getUpdates.response>): Record<string, string> {
  return {
    release: release ?? '-',
    ...(rollOut === null
      ? {}
      : {
          'rolled out': `${rollOut.version}, ${rollOut.state}`,
          ring: `${rollOut.ring} of 3, ${RINGS[rollOut.ring]}, since ${rollOut.since}`,
          'under way': String(rollOut.underWay),
          ...Object.fromEntries(rollOut.failures.map(({ agent, reason, at }) => [agent, `failed at ${at}: ${reason}`])),
        }),
  };
}
