import fc from 'fast-check';
import { expect, test } from 'vitest';
import type { RunProcess } from '../host/run-process.ts';
import { strangersIn, strangersInSddl } from './windows-acl.ts';

const OWN = 'S-1-5-21-1-2-3-1001';
const ACE = (sid: string, type = 'A') => `(${type};OICI;FA;;;${sid})`;

test.each([
  ['as it is installed', `O:BAG:SYD:PAI${ACE('SY')}${ACE('BA')}(A;OICI;0x1301bf;;;LS)`, []],
  ['of a user alone', `O:${OWN}D:${ACE(OWN)}${ACE('SY')}${ACE('CO')}`, []],
  [
    'of %ProgramData%, where users may write',
    `O:BAD:AI${ACE('SY')}(A;OICIID;0x1200a9;;;BU)(A;CIID;DCLCRPCR;;;BU)`,
    ['BU'],
  ],
  ['for everyone, and another user', `D:${ACE('WD')}${ACE('S-1-5-21-1-2-3-1002')}`, ['S-1-5-21-1-2-3-1002', 'WD']],
  ['with what is denied and audited', `D:${ACE('BU', 'D')}${ACE('BA')}S:${ACE('WD', 'AU')}`, []],
  ['without a list', 'O:BAG:SY', ['WD']],
  ['with an empty one', 'O:BAG:SYD:NO_ACCESS_CONTROL', ['WD']],
])('a folder %s', (_, sddl, strangers) => {
  expect(strangersInSddl(sddl, OWN)).toEqual(strangers);
});

test('a name with a quote stays a name', async () => {
  let script = '';
  const run: RunProcess = async (_program, args) => {
    script = args.at(-1) ?? '';
    const stdout = `D:${ACE(OWN)}\r\n${OWN}\r\n`;
    return { stdout, stderr: '', code: 0, signal: null, timedOut: false, aborted: false, truncated: false };
  };
  expect(await strangersIn(run, "C:\\O'Hara")).toEqual([]);
  expect(script).toContain("-LiteralPath 'C:\\O''Hara')");
});

test('whatever is printed is read without a fault', () => {
  fc.assert(fc.property(fc.string(), (text) => void strangersInSddl(`D:${text}`, OWN)));
});
