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
const details = (action: string, detail: object) => detailsOf(entry(action, detail), names);

describe('details', () => {
  test('are pairs of words, without what the sentence says already', () => {
    expect(details('tool.nmap', { tool: 'nmap', target: '192.168.1.0/24', mode: 'fast' })).toEqual([
      { name: 'mode', value: 'fast' },
    ]);
    expect(details('devices.delete', { what: 'macs', deleted: 3 })).toEqual([{ name: 'selection', value: 'by MAC' }]);
  });

  test('call the fields of devices by words', () => {
    expect(details('device.edit', { fields: 'devOwner, devLastIP, what comes later' })).toEqual([
      { name: 'fields', value: 'owner, IP address, what comes later' },
    ]);
  });

  test('separate what is named together', () => {
    expect(details('token.create', { sites: 'home office' })).toEqual([{ name: 'sites', value: 'home, office' }]);
  });

  test('call values by words, and leave out the id of what has a name', () => {
    expect(details('check.add', { check: 'k3j', kind: 'tcp', label: 'nas', everySeconds: 60, enabled: true })).toEqual([
      { name: 'kind', value: 'TCP port' },
      { name: 'interval', value: 'every minute' },
      { name: 'active', value: 'yes' },
    ]);
    expect(details('check.add', { check: 'k3j', label: '' })).toEqual([{ name: 'check', value: 'k3j' }]);
  });

  test('name times, services, roles and sites as other screens do', () => {
    const known: Names = { site: (id) => (id === 'home' ? 'Home' : id), actor: () => 'Anna' };
    const detail = {
      ...{ when: 'every 21600 s', format: 'json', roles: 'operator: home tag:customers, viewer: *' },
      ...{ sites: 'home', createdBy: '0123456789abcdef', agent: 'home:main', skipped: 0 },
    };
    expect(detailsOf(entry('schedule.add', { schedule: 'k', name: 'x', ...detail }), known)).toEqual([
      { name: 'time', value: 'Every 6 hours' },
      { name: 'service', value: 'Webhook' },
      { name: 'roles', value: 'Operator Home, tag customers, Viewer all sites' },
      { name: 'sites', value: 'Home' },
      { name: 'code created by', value: 'Anna' },
      { name: 'agent', value: 'main' },
    ]);
  });

  test('say what a template has done, step by step', () => {
    expect(details('template.apply', { done: '+ check Resolver, ~ timeZone' })).toEqual([
      { name: 'changes', value: 'added check Resolver, Time zone' },
    ]);
  });

  test('leave out what is empty, and show everything else, whatever it is', () => {
    expect(details('tool.wake', { a: null, b: '', c: false, d: ['x', 1], e: { f: 2 }, constructor: 'y' })).toEqual([
      { name: 'c', value: 'no' },
      { name: 'd', value: 'x, 1' },
      { name: 'e', value: '{"f":2}' },
      { name: 'constructor', value: 'y' },
    ]);
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
