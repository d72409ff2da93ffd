import { describe, expect, test } from 'vitest';
import type { Operation } from '../../../shared/api/operation.ts';
import type { AuditEntry } from '../../../shared/api/records.ts';
import { tables } from '../../../shared/api/tables.ts';
import { messagesIn } from '../../build/messages.ts';
import { changesOf, detailsOf, type Names, sentenceOf } from './detail.ts';

const names: Names = { site: (id) => id, actor: (id) => id };

const entry = (action: string, detail: object, changes?: AuditEntry['changes']) => ({
  ...{ action, detail: detail as AuditEntry['detail'] },
  ...(changes === undefined ? {} : { changes }),
});

/** What is shown beside a sentence, as one text. */
const shown = (pairs: ReturnType<typeof detailsOf>) => pairs.map(({ name, value }) => `${name}: ${value}`).join('; ');

describe('details', () => {
  test.each([
    // Without what the sentence says already.
    ['tool.nmap', { tool: 'nmap', target: '192.168.1.0/24', mode: 'fast' }, 'mode: fast'],
    ['devices.delete', { what: 'macs', deleted: 3 }, 'selection: by MAC'],
    ['device.edit', { fields: 'devOwner, devLastIP, what comes later' }, 'fields: owner, IP address, what comes later'],
    ['token.create', { sites: 'home office' }, 'sites: home, office'],
    // And the id of what has a name.
    ['check.add', { check: 'k3j', kind: 'tcp', label: 'nas', enabled: true }, 'kind: TCP port; active: yes'],
    ['check.add', { check: 'k3j', label: '', everySeconds: 60 }, 'check: k3j; interval: every minute'],
    ['template.apply', { done: '+ check Resolver, ~ timeZone' }, 'changes: added check Resolver, Time zone'],
    // What is empty is left out, and everything else is shown, whatever it is.
    ['tool.wake', { a: null, b: '', c: false, d: ['x', 1] }, 'c: no; d: x, 1'],
    ['tool.wake', { e: { f: 2 }, constructor: 'y' }, 'e: {"f":2}; constructor: y'],
  ])('of %s with %j are words', (action, detail, text) => {
    expect(shown(detailsOf(entry(action, detail), names))).toBe(text);
  });

  test('name times, services, roles and sites as other screens do', () => {
    const known: Names = { site: (id) => (id === 'home' ? 'Home' : id), actor: () => 'Anna' };
    const detail = {
      ...{ when: 'every 21600 s', format: 'json', roles: 'operator: home tag:customers, viewer: *' },
      ...{ sites: 'home', createdBy: '0123456789abcdef', agent: 'home:main', skipped: 0 },
    };
    expect(shown(detailsOf(entry('schedule.add', { schedule: 'k', name: 'x', ...detail }), known))).toBe(
      'time: Every 6 hours; service: Webhook; roles: Operator Home, tag customers, Viewer all sites; sites: Home; ' +
        'code created by: Anna; agent: main',
    );
  });
});

test('changes are values before and after; what many devices had before is unknown', () => {
  const edit = entry(
    'device.edit',
    { device: '00:1E:06:AA:BB:01', name: 'nas', fields: 'devName, devOwner' },
    { devName: { from: 'old', to: 'nas' }, devOwner: { from: '', to: 'Ada' }, devGroup: { from: null, to: '' } },
  );
  expect(changesOf(edit, names)).toEqual([
    { name: 'name', from: 'old', to: 'nas' },
    { name: 'owner', from: 'nothing', to: 'Ada' },
    { name: 'group', from: '', to: 'nothing' },
  ]);
  expect(detailsOf(edit, names)).toEqual([]);
});

test.each([
  ['tool.nmap', { target: '192.168.1.5' }, 'Ran “Scan ports” on [192.168.1.5]'],
  ['tool.later', { tool: 'later' }, 'Ran “later”'],
  ['devices.import', { inserted: 3, updated: 1 }, 'Imported 3 devices'],
  ['device.edit', { device: '00:1E:06:AA:BB:01', name: 'nas' }, 'Edited [nas]'],
  ['device.delete', { device: '00:1E:06:AA:BB:01' }, 'Deleted [00:1E:06:AA:BB:01]'],
  ['hook.change', { host: 'ntfy.sh', hook: 'k3j' }, 'Changed the notification [ntfy.sh]'],
  ['batch.cancel', { batch: 'x', tool: 'nmap' }, 'Stopped a fleet run of “[Scan ports]”'],
  ['what.comes.later', {}, 'what.comes.later'],
  ['constructor', {}, 'constructor'],
])('the action %s with %j is the sentence %j', (action, detail, text) => {
  const { before, name, after } = sentenceOf(entry(action, detail), names);
  expect(before + (name === '' ? '' : `[${name}]`) + after).toBe(text);
});

const declared = Object.values(tables)
  .flatMap((table): Operation[] => Object.values(table))
  .flatMap((operation) => ('audit' in operation && operation.audit) || []);
/** Those that no request makes, or one of this machine alone. */
const OWN = ['template.apply', 'site.erase', 'backup.make'];

test.each(['en', 'de'])('every action has a sentence in the language %s, and no other has', (language) => {
  const { actions = {} } = messagesIn(language).audit as Record<string, object>;
  expect(Object.keys(actions).sort()).toEqual([...new Set([...declared, ...OWN])].sort());
});
