/** The texts of many agents with one key. */
import type { ClaimKey } from '../../../shared/api/claims.ts';
import { numberText, plural } from '../../text/format.ts';
import { inLanguage } from '../../text/language.ts';
import { german } from './texts.de.ts';

export const texts = inLanguage(
  {
    needs: 'This token may not let agents in: that needs the scope admin.',
    title: 'Many agents at once',
    intro: 'One line for many hosts: whoever runs it asks to become an agent, and waits until somebody lets it in.',
    make: 'Make a claim key',
    hosts: 'Hosts that asked',
    state: 'State',
    states: { waiting: 'Waiting', approved: 'Let in', enrolled: 'Enrolled', refused: 'Refused' },
    noneOf: {
      waiting: 'No host waits',
      approved: 'None is about to come for its certificate',
      enrolled: 'None has enrolled with a key yet',
      refused: 'None was refused',
    },
    noneWhy: 'Hosts appear here as soon as somebody runs the line of a claim key on them.',
    unreadable: 'These are stored but cannot be read:',
    host: 'Host',
    networks: 'Networks',
    from: 'Came from',
    key: 'Key',
    site: 'Site',
    ownSite: 'one of its own',
    claimed: 'When',
    decide: 'What is to happen with the chosen hosts',
    all: (count: number) => `All ${numberText(count)}`,
    letIn: (count: number) => (count < 2 ? 'Let in' : `Let ${numberText(count)} in`),
    letInTitle: (count: number) => (count === 1 ? 'Let this host in?' : `Let ${numberText(count)} hosts in?`),
    letInWhat: 'Each becomes an agent when it asks next, within some minutes. Agents run tools in their LAN.',
    asKeySays: 'As their key says',
    agentName: 'Name of the agent (optional)',
    agentNameHint: 'Otherwise it is named after the host.',
    nameWrong: '1 to 32 lower-case letters, digits and inner hyphens.',
    isIn: (count: number) => `${plural(count, 'host')} ${count === 1 ? 'was' : 'were'} let in.`,
    refuse: 'Refuse',
    refused: (count: number) => `${plural(count, 'host')} ${count === 1 ? 'was' : 'were'} refused.`,

    keys: 'Claim keys',
    noKeys: 'No claim key yet',
    noKeysWhy: 'A key is for a number of hosts and for some days, and can be revoked.',
    where: 'Where',
    used: 'Used',
    usedOf: (used: number, uses: number) => `${numberText(used)} of ${numberText(uses)}`,
    ends: 'Ends',
    keyStates: { open: 'open', 'used up': 'used up', over: 'over', revoked: 'revoked' },
    actions: 'Actions',
    revoke: 'Revoke',
    revokeOf: (name: string) => `Revoke ${name}`,
    revokeWhat: 'Hosts that wait are refused. Agents that have enrolled with it stay.',
    revoked: (name: string) => `“${name}” was revoked.`,

    name: 'Name',
    nameHint: 'What it is for, such as “Branches, spring”.',
    nameMissing: 'Enter what it is for.',
    uses: 'For how many hosts',
    usesWrong: 'Enter a number from 1 to 10,000.',
    days: 'Works for',
    daysOf: { '1': 'a day', '3': '3 days', '7': '7 days', '14': '14 days', '30': '30 days' },
    becomes: 'What becomes of a host',
    eachItsSite: 'Each gets a site of its own, named after it',
    allInOne: 'All become agents of one site',
    tags: 'Tags of the new sites',
    tagsHint: 'Such as that of a template, which then sets them up.',
    siteMissing: 'Choose a site.',
    approval: 'Who lets them in',
    approvals: { 'by hand': 'Somebody, by hand', 'at once': 'Nobody: whoever has the key is in' },
    limits: 'Only from certain networks',
    fromNetworks: 'Requests come from (optional)',
    ofNetworks: 'The host is attached to (optional)',
    networksHint: 'Such as 203.0.113.0/24, one per line.',
    networksWrong: 'Enter networks such as 203.0.113.0/24, one per line.',
    madeTitle: (name: string) => `The claim key “${name}”`,
    madeOnce: 'It is shown only once.',
    madeWhat: (uses: number) =>
      `The line is the same for ${uses === 1 ? 'the host' : `all ${numberText(uses)} hosts`}.`,
    worksUntil: 'The key works until',
    done: 'I have copied it',
    eachOwn: (tags: string) => (tags === '' ? 'a site for each host' : `a site for each host, tagged ${tags}`),
  },
  german,
);

/** Where the hosts of a key become agents. */
export function keyText({ site, tags }: Pick<ClaimKey, 'site' | 'tags'>, nameOf: (site: string) => string): string {
  return site === null ? texts.eachOwn(tags.join(', ')) : nameOf(site);
}
