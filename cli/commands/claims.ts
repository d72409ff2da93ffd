/** `lanreach agent claim-key …`, `claims`, `approve` and `refuse`: many agents with one line. */
import { type Command, Option } from 'commander';
import type { AnswerOf } from '../../client/routes.ts';
import type { Claim, ClaimKey } from '../../shared/api/claims.ts';
import { APPROVALS, CLAIM_STATES } from '../../shared/words.ts';
import { Failure } from '../client/failure.ts';
import { confirm } from '../client/question.ts';
import { noteUnreadable, openSession, type Session } from '../client/session.ts';
import { type Cell, muted, state, table, time } from '../client/text.ts';
import { toSeconds } from './duration-option.ts';
import { noteHowToInstall, showLine } from './install-note.ts';
import { type YesOption, yesOption } from './yes-option.ts';

interface CreateOptions {
  name: string;
  uses: number;
  expires: number;
  site?: string;
  siteFromHostName?: boolean;
  tag?: string[];
  approve?: (typeof APPROVALS)[number];
  from?: string[];
  network?: string[];
}

interface ListOptions {
  state?: (typeof CLAIM_STATES)[number];
  key?: string;
}

interface ApproveOptions {
  all?: boolean;
  key?: string;
  site?: string;
  name?: string;
}

/** As many as one request takes. */
const AT_ONCE = 100;
const PAGE = '500';

export function addClaimCommands(agent: Command): void {
  const key = agent.command('claim-key').description('claim keys: one line that many hosts run to become agents');
  key
    .command('create')
    .description('make a key, and show the line to run on each host')
    .requiredOption('--name <name>', 'name that says what the key is for')
    .requiredOption('--uses <number>', 'how many hosts may claim with it', Number)
    .addOption(
      new Option('--expires <time>', 'how long it holds, such as 12h or 30d, which is the longest')
        .argParser(toSeconds)
        .default(7 * 86_400, '7d'),
    )
    .option('--site <site>', 'the site on whose LAN all the hosts are')
    .option('--site-from-host-name', 'instead: each host gets a new site that is named after it')
    .option('--tag <tag...>', 'tags of these new sites, such as that of a template')
    .addOption(new Option('--approve <how>', 'whether a person has to approve each host').choices(APPROVALS))
    .option('--from <CIDR...>', 'only requests from these networks, as the service sees them')
    .option('--network <CIDR...>', 'only hosts that are attached to one of these networks, as they say themselves')
    .action(async (options: CreateOptions, command: Command) => {
      const session = openSession(command);
      const made = await session.client.ask('POST /claim-keys', { body: requestFor(options) });
      const url = await showLine(session, made, made.secret, made.release);
      const whom = made.site === null ? 'the agent of a site of its own' : `an agent of ${made.site}`;
      session.note(`Run this as root on up to ${made.uses} hosts: each becomes ${whom}.`);
      noteHowToInstall(session, made.release, url);
      if (made.approve === 'by hand') session.note('They wait until somebody approves them: lanreach agent claims');
      session.note(`It is not shown again. The key ${made.id} holds until ${made.expiresAt}.`);
    });
  key
    .command('list')
    .description('list the claim keys, and how often they were used')
    .action(async (_options: object, command: Command) => {
      const session = openSession(command);
      const answer = await session.client.ask('GET /claim-keys');
      const headings = ['NAME', 'STATE', 'USED', 'SITE', 'APPROVE', 'EXPIRES', 'ID'];
      await session.show(answer, () => table(headings, answer.keys.map(keyRow)));
      noteUnreadable(session, answer.unreadable);
    });
  key
    .command('revoke')
    .description('revoke a claim key: hosts that wait are refused, agents stay')
    .argument('<key>', 'its name or its id, as "claim-key list" shows them')
    .addOption(yesOption())
    .action(async (named: string, { yes }: YesOption, command: Command) => {
      const session = openSession(command);
      const { id, name } = await keyNamed(session, named);
      await confirm(session.world, `Revoke the claim key "${name}"? Hosts that wait are refused.`, yes);
      const answer = await session.client.ask('DELETE /claim-keys/{id}', { params: { id } });
      await session.show(answer, () => '');
      session.note(`The claim key "${name}" is revoked.`);
    });

  agent
    .command('claims')
    .description('list the hosts that have claimed with a key')
    .addOption(new Option('--state <state>', 'those only').choices(CLAIM_STATES))
    .option('--key <key>', 'with this key only: its name or its id')
    .action(async ({ state, key: named }: ListOptions, command: Command) => {
      const session = openSession(command);
      const claims = await claimsOf(session, named, state);
      await session.show({ success: true, claims }, () =>
        table(['HOST', 'STATE', 'CLAIMED', 'FROM', 'NETWORKS', 'AGENT', 'ID'], claims.map(claimRow)),
      );
    });
  agent
    .command('approve')
    .description('let hosts in that have claimed: each becomes an agent when it asks next, within some minutes')
    .argument('[claim...]', 'as "agent claims" shows them')
    .option('--all', 'every host that waits, with --key')
    .option('--key <key>', 'of this key: its name or its id')
    .option('--site <site>', 'another site than the key says')
    .option('--name <name>', 'name of the agent within the site; default: after the host')
    .action(async (given: string[], { all, key: named, site, name }: ApproveOptions, command: Command) => {
      if (given.length > 0 === (all === true)) throw new Failure('usage', 'Name the claims, or use --all --key <key>');
      if (all && named === undefined) throw new Failure('usage', '--all is for one key: add --key <key>');
      const session = openSession(command);
      const ids = all ? (await claimsOf(session, named, 'waiting')).map(({ id }) => id) : given;
      const about = { ...(site === undefined ? {} : { site }), ...(name === undefined ? {} : { name }) };
      await decide(session, ids, (some) =>
        session.client.ask('POST /claims/approve', { body: { ids: some, ...about } }),
      );
    });
  agent
    .command('refuse')
    .description('refuse hosts that have claimed and are no agents yet')
    .argument('<claim...>', 'as "agent claims" shows them')
    .action(async (ids: string[], _options: object, command: Command) => {
      const session = openSession(command);
      await decide(session, ids, (some) => session.client.ask('POST /claims/refuse', { body: { ids: some } }));
    });
}

function requestFor(options: CreateOptions) {
  const { name, uses, expires, site, siteFromHostName, tag, approve, from, network } = options;
  return {
    name,
    uses,
    expiresAt: new Date(Date.now() + expires * 1000).toISOString(),
    ...(site === undefined ? {} : { site }),
    ...(siteFromHostName ? { siteFrom: 'host name' as const } : {}),
    ...(tag === undefined ? {} : { tags: tag }),
    ...(approve === undefined ? {} : { approve }),
    ...(from === undefined ? {} : { from }),
    ...(network === undefined ? {} : { networks: network }),
  };
}

async function keyNamed({ client }: Session, named: string): Promise<ClaimKey> {
  const { keys } = await client.ask('GET /claim-keys');
  const found = keys.filter(({ id, name }) => id === named || name === named);
  const open = found.filter(({ state }) => state === 'open' || state === 'used up');
  const meant = found.length === 1 ? found : open;
  if (meant.length === 1) return meant[0]!;
  if (meant.length > 1)
    throw new Failure('usage', `There are ${meant.length} claim keys "${named}": use the id of one`);
  throw new Failure('notFound', `There is no claim key "${named}": lanreach agent claim-key list`);
}

async function claimsOf(session: Session, named: string | undefined, state: ListOptions['state']): Promise<Claim[]> {
  const key = named === undefined ? undefined : (await keyNamed(session, named)).id;
  const claims: Claim[] = [];
  let cursor: string | undefined;
  do {
    const query = { limit: PAGE, key, state, cursor };
    const page: AnswerOf<'GET /claims'> = await session.client.ask('GET /claims', { query });
    claims.push(...page.claims);
    noteUnreadable(session, page.unreadable);
    cursor = page.nextCursor ?? undefined;
  } while (cursor !== undefined);
  return claims;
}

async function decide(
  session: Session,
  ids: readonly string[],
  ask: (ids: string[]) => Promise<AnswerOf<'POST /claims/approve'>>,
): Promise<void> {
  const claims: Claim[] = [];
  const failed: { id: string; message: string }[] = [];
  for (let at = 0; at < ids.length; at += AT_ONCE) {
    const answer = await ask(ids.slice(at, at + AT_ONCE));
    claims.push(...answer.claims);
    failed.push(...answer.failed);
  }
  await session.show({ success: true, claims, failed }, () => table(['HOST', 'STATE', 'ID'], claims.map(decidedRow)));
  for (const { id, message } of failed) session.note(`${id}: ${message}`);
  if (failed.length > 0) throw new Failure('failure', `${failed.length} of ${ids.length} claims were left as they are`);
}

function keyRow({ name, state: stands, used, uses, site, approve, expiresAt, id }: ClaimKey): Cell[] {
  return [name, state(stands), `${used} of ${uses}`, site ?? 'one for each', approve, time(expiresAt), muted(id)];
}

function claimRow({ host, state: stands, claimedAt, sourceAddress, agent, id }: Claim): Cell[] {
  const networks = host.networks.join(' ') || '-';
  return [host.name, state(stands), time(claimedAt), sourceAddress ?? '-', networks, agent ?? '-', muted(id)];
}

function decidedRow({ host, state: stands, id }: Claim): Cell[] {
  return [host.name, state(stands), muted(id)];
}
