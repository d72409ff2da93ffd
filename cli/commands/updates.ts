/** `lanreach update …` */
import type { AnswerOf } from '../../client/routes.ts';
import { type Cell, type Fields, fields, time } from '../client/text.ts';
import type { Command } from '../command.ts';

const RINGS = { 1: 'one agent', 2: 'a tenth of the agents', 3: 'all agents' };

export function addUpdateCommands(update: Command): void {
  update
    .part('show', 'show the release, its roll-out and its failures')
    .run(({ request }) => request('GET /updates', {}, described));

  const change = (name: string, state: 'going' | 'given-up', what: string) =>
    update
      .part(name, what)
      .argument('<version>', 'as "update show" shows it')
      .run(({ request }, version: string) => request('PATCH /updates', { body: { version, state } }, described));
  change('continue', 'going', 'continue a roll-out that a failure has stopped').alias('go-on');
  change('give-up', 'given-up', 'abandon a release: no further agent installs it');
}

function described({ release, rollOut }: AnswerOf<'GET /updates'>): Fields {
  if (rollOut === null) return fields({ release: release ?? '-' });
  const { version, state, ring, since, underWay, failures } = rollOut;
  return fields({
    release: release ?? '-',
    'rolled out': `${version}, ${state}`,
    ring: [`${ring} of 3, ${RINGS[ring]}, since `, time(since)],
    'under way': underWay,
    ...Object.fromEntries(
      failures.map(({ agent, reason, at }): [string, Cell] => [agent, ['failed at ', time(at), `: ${reason}`]]),
    ),
  });
}
