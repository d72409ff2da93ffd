/** `lanreach site move`: a site goes to another deployment, with its agents. */
import { randomBytes } from 'node:crypto';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Command } from 'commander';
import { ApiError } from '../../client/errors.ts';
import type { Site } from '../../shared/api/records.ts';
import type { SiteId } from '../../shared/identity.ts';
import { type Api, openApi } from '../client/api.ts';
import { readAccess } from '../client/config.ts';
import { Failure } from '../client/failure.ts';
import { openSession, type Session } from '../client/session.ts';
import { putSite, type Read } from './restore.ts';

interface MoveOptions {
  toProfile: string;
  dryRun?: boolean;
  undo?: boolean;
}

/** An agent ends its commands first, for ten minutes at most. */
const FOLLOWED_WITHIN_MS = 15 * 60_000;
const LOOK_EVERY_MS = 2_000;

const HELP = `
The site can only be read where it was from the beginning, and what agents have to say waits until they have followed. When it
is interrupted, the same command goes on. Both tokens must have the scope admin for all sites; profiles lead to the deployments
themselves, not to a router. Agents go to the URL of the profile, which is https.`;

interface Move {
  site: SiteId;
  source: Api;
  target: Api;
}

export function addMoveSiteCommand(site: Command): void {
  site
    .command('move')
    .description('move a site to another deployment; its agents follow and need not be enrolled again')
    .argument('<site>', 'the id of the site')
    .requiredOption('--to-profile <profile>', 'the profile of the deployment to which it goes')
    .option('--dry-run', 'say what would be done')
    .option('--undo', 'the site stays, as long as no agent has left')
    .addHelpText('after', HELP)
    .action(async (id: string, options: MoveOptions, command: Command) => {
      const session = openSession(command);
      const { client: source, world } = session;
      const target = openApi(readAccess({ profile: options.toProfile }, world.env));
      if (target.url === source.url) throw new Failure('usage', `The site ${id} would go to where it is`);
      const move = { site: id, source, target };
      await (options.undo ? undo(move, session) : moveSite(move, options.dryRun === true, session));
    });
}

async function moveSite(move: Move, isDry: boolean, { note, show }: Session): Promise<void> {
  const { site, source, target } = move;
  const params = { site };
  const before = await source.ask('GET /sites/{site}', { params });
  const there = await siteAt(target, site);
  if (there !== null && before.movedTo !== target.url)
    throw new Failure('failure', `${target.url} has a site "${site}" already`);
  const agents = await onlineAt(source, site);
  if (isDry) {
    note(`${site} would go from ${source.url} to ${target.url}, and with it: ${agents.join(', ') || 'no agent'}`);
    return show({ site, to: target.url, agents, isDone: false }, () => `${site}\n`);
  }
  const tell = () => source.ask('POST /sites/{site}/move', { params, body: { to: target.url } });
  await tell();
  note(`Where it was, ${site} can only be read from now on`);
  if (there === null) {
    await carryOver(move, note);
    // They know of it, and have been refused until now.
    await tell();
  }
  const missing = await awaitAgents(move, agents);
  const isDone = missing.length === 0;
  await show({ site, to: target.url, agents, isDone }, () => `${site}\n`);
  if (!isDone) {
    const message = `These agents have not followed yet: ${missing.join(', ')}. They go on trying; the same command waits for them`;
    throw new Failure('failure', message);
  }
  note(`Agents that are away now follow as long as ${source.url} tells them. Then: lanreach site remove ${site}`);
}

/** By a backup, which is on this host meanwhile and which nobody else can read. */
async function carryOver({ site, source, target }: Move, note: Session['note']): Promise<void> {
  const { readBackupFile, writeBackupFile } = await import('../client/backup-file.ts');
  const folder = await mkdtemp(join(tmpdir(), 'lanreach-move-'));
  try {
    const file = join(folder, 'backup.tar.gz.age');
    const secret = { passphrase: randomBytes(32).toString('base64url') };
    await writeBackupFile(file, source.downloadBytes('POST /backup'), secret);
    const read: Read = () => readBackupFile(file, async () => secret);
    await putSite(target, read, { site, replace: false }, ({ ofSite }) => note(`${ofSite} rows go to ${target.url}`));
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

/** @returns those that have not come */
async function awaitAgents({ site, target }: Move, agents: readonly string[]): Promise<string[]> {
  const until = Date.now() + FOLLOWED_WITHIN_MS;
  for (;;) {
    const come = await onlineAt(target, site);
    const missing = agents.filter((agent) => !come.includes(agent));
    if (missing.length === 0 || Date.now() > until) return missing;
    await sleep(LOOK_EVERY_MS);
  }
}

async function undo({ site, source, target }: Move, { note, show }: Session): Promise<void> {
  const there = await siteAt(target, site);
  const left = there === null ? [] : await onlineAt(target, site);
  if (left.length > 0) {
    const message = `These agents have left already: ${left.join(', ')}. Move the site back instead, when it is removed here`;
    throw new Failure('failure', message);
  }
  const stays = await source.ask('DELETE /sites/{site}/move', { params: { site } });
  await show(stays, () => `${site}\n`);
  if (there !== null) note(`What ${target.url} has of it is to be removed there: lanreach site remove ${site}`);
}

async function siteAt(api: Api, site: SiteId): Promise<Site | null> {
  try {
    return await api.ask('GET /sites/{site}', { params: { site } });
  } catch (error) {
    if (error instanceof ApiError && error.code === 'site_forbidden') return null;
    throw error;
  }
}

async function onlineAt(api: Api, site: SiteId): Promise<string[]> {
  const { agents } = await api.ask('GET /sites/{site}/agents', { params: { site } });
  return agents.filter(({ state }) => state === 'online').map(({ id }) => id);
}
