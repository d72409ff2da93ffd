/** Names that only the API, or the file of profiles, knows. */
import type { Command } from 'commander';
import type { Client } from '../../client/client.ts';
import type { Facet } from '../../shared/api/device-list.ts';
import type { DeviceSummary } from '../../shared/device.ts';
import { configPath } from '../client/config.ts';
import { readProfiles } from '../client/profiles.ts';
import { openSession } from '../client/session.ts';
import { worldOf } from '../client/world.ts';
import type { Word } from './words.ts';

/** A person is waiting for the completion. */
const ANSWER_WITHIN_MS = 2_000;
const timeoutMs = ANSWER_WITHIN_MS;
/** More than fit on a screen. */
const MOST_DEVICES = 500;
const MOST_SITES = 20;
const MOST_JOBS = 20;

type Source = (client: Client, site: string | undefined, typed: string) => Promise<Word[]>;

/** By what stands in the angle brackets of an option or argument. */
const SOURCES: Readonly<Record<string, Source>> = {
  site: async (client) => (await sitesOf(client)).map(({ id, name }) => ({ word: id, about: name })),
  tag: async (client) => tagsOf(await sitesOf(client)),
  'tag-change': async (client) => tagsOf(await sitesOf(client)).map(({ word, about }) => ({ word: `+${word}`, about })),
  sites: async (client, _site, typed) => {
    const sites = await sitesOf(client);
    const tags = tagsOf(sites).map(({ word, about }) => ({ word: `tag:${word}`, about }));
    // What stands before the last comma stays.
    const before = typed.slice(0, typed.lastIndexOf(',') + 1);
    return [...sites.map(({ id, name }) => ({ word: id, about: name })), ...tags].map(({ word, about }) => ({
      word: before + word,
      about,
    }));
  },
  template: async (client) => {
    const { templates } = await client.ask('GET /templates', { timeoutMs });
    return templates.map(({ name, tags }) => ({ word: name, about: tags.join(' ') }));
  },
  agent: async (client, site) => (await agentsOf(client, site)).map(({ id, state }) => ({ word: id, about: state })),
  'agent-name': async (client, site) =>
    (await agentsOf(client, site)).map(({ id, state }) => ({ word: id.split(':')[1] ?? '', about: state })),
  device: async (client, site, typed) =>
    (await devicesOf(client, site, typed)).flatMap(({ mac, name, ip }) => [
      { word: name, about: ip || mac },
      { word: mac, about: name },
    ]),
  ip: async (client, site, typed) => addressesOf(await devicesOf(client, site, typed)),
  target: async (client, site, typed) => addressesOf(await devicesOf(client, site, typed)),
  'device-type': async (client, site) => valuesOf((await facetsOf(client, site)).type),
  'device-group': async (client, site) => valuesOf((await facetsOf(client, site)).group),
  vendor: async (client, site) => valuesOf((await facetsOf(client, site)).vendor),
  check: async (client, site) => {
    const answer = await client.ask('GET /checks', { site, timeoutMs });
    return answer.checks.map(({ label, kind, state }) => ({ word: label, about: `${kind}, ${state}` }));
  },
  tool: async () => (await import('../../shared/tools/list.ts')).TOOLS.map((word) => ({ word, about: '' })),
  run: async (client, site) => {
    const answer = await client.ask('GET /jobs', { site, query: { limit: String(MOST_JOBS) }, timeoutMs });
    return answer.jobs.map(({ id, tool, state }) => ({ word: id, about: `${tool}, ${state}` }));
  },
};

/**
 * The names that may stand there; none when the API does not answer in time, or knows no such names.
 * @param typed what is there of the name so far
 */
export async function namesOf(
  command: Command,
  of: string,
  options: Readonly<Record<string, string>>,
  typed: string,
): Promise<Word[]> {
  if (of === 'profile') {
    const { profiles } = readProfiles(configPath(worldOf(command).env));
    return Object.entries(profiles).map(([word, { url }]) => ({ word, about: url }));
  }
  const source = Object.hasOwn(SOURCES, of) ? SOURCES[of] : undefined;
  if (source === undefined) return [];
  const { url, profile, 'token-file': tokenFile } = options;
  const access = Object.entries({ url, profile, tokenFile }).filter(([, value]) => value !== undefined);
  for (const [name, value] of access) command.setOptionValue(name, value);
  const names = await source(openSession(command).client, options.site, typed);
  // Devices name themselves: a name must not become an option of the command.
  return names.filter(({ word }) => !word.startsWith('-'));
}

async function sitesOf(client: Client) {
  return (await client.ask('GET /sites', { timeoutMs })).sites;
}

function tagsOf(sites: readonly { tags: readonly string[] }[]): Word[] {
  const counts = new Map<string, number>();
  for (const tag of sites.flatMap(({ tags }) => tags)) counts.set(tag, (counts.get(tag) ?? 0) + 1);
  return [...counts].sort().map(([word, count]) => ({ word, about: `${count} sites` }));
}

async function agentsOf(client: Client, site: string | undefined) {
  const sites = site === undefined ? (await sitesOf(client)).map(({ id }) => id) : [site];
  const lists = sites
    .slice(0, MOST_SITES)
    .map((id) => client.ask('GET /sites/{site}/agents', { params: { site: id }, timeoutMs }));
  return (await Promise.all(lists)).flatMap(({ agents }) => agents);
}

interface Known {
  mac: string;
  name: string;
  ip: string;
}

/** Those that have the text in name, MAC or address; the shell keeps those that begin with it. */
async function devicesOf(client: Client, site: string | undefined, typed: string): Promise<Known[]> {
  if (typed !== '') {
    const answer = await client.ask('POST /devices/search', { site, body: { query: typed }, timeoutMs });
    const known = answer.devices.map(({ devMac, devName, devLastIP }) => ({
      mac: devMac,
      name: devName,
      ip: devLastIP,
    }));
    return known.slice(0, MOST_DEVICES);
  }
  const answer = await client.ask('GET /devices', { site, query: { limit: String(MOST_DEVICES) }, timeoutMs });
  return (answer.devices as DeviceSummary[]).map(({ devMAC, devName, devIP }) => ({
    mac: devMAC,
    name: devName,
    ip: devIP,
  }));
}

function facetsOf(client: Client, site: string | undefined) {
  return client.ask('GET /devices/facets', { site, timeoutMs });
}

/** Without the empty value, which is no word. */
function valuesOf({ values }: Facet): Word[] {
  const named = values.filter(({ value }) => value !== '');
  return named.map(({ value, count }) => ({ word: value, about: String(count) }));
}

function addressesOf(known: readonly Known[]): Word[] {
  return known.map(({ ip, name }) => ({ word: ip, about: name }));
}
