import { describe, expect, test } from 'vitest';
import type { AuditEntry } from '../../../shared/api/records.ts';
import { actionText, detailsOf } from './detail.ts';

const details = (action: string, detail: object) => detailsOf({ action, detail: detail as AuditEntry['detail'] });

describe('details', () => {
  test('are pairs of words, without what the action says already', () => {
    expect(details('tool.nmap', { tool: 'nmap', target: '192.168.1.0/24', mode: 'fast' })).toEqual([
      { name: 'target', value: '192.168.1.0/24' },
      { name: 'mode', value: 'fast' },
    ]);
    expect(details('devices.delete', { what: 'macs', deleted: 3 })).toEqual([
      { name: 'which', value: 'macs' },
      { name: 'deleted', value: '3' },
    ]);
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
      { name: 'name', value: 'nas' },
      { name: 'interval (s)', value: 'every minute' },
      { name: 'enabled', value: 'yes' },
    ]);
    expect(details('check.add', { check: 'k3j', label: '' })).toEqual([{ name: 'check', value: 'k3j' }]);
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

test.each([
  ['tool.nmap', 'Ran “Scan ports”'],
  ['tool.later', 'Ran “later”'],
  ['devices.import', 'Imported devices'],
  ['what.comes.later', 'what.comes.later'],
  ['constructor', 'constructor'],
])('the action %s is called %j', (action, text) => expect(actionText(action)).toBe(text));
