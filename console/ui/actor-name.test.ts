import { expect, test } from 'vitest';
import { actorName } from './actor-name.ts';

const known = { own: 'fedcba9876543210', tokens: new Map([['0123456789abcdef', 'dashboard']]), site: 'home' };

test.each([
  ['fedcba9876543210', 'you'],
  ['0123456789abcdef', 'dashboard'],
  ['00000000000000aa', 'token 00000000000000aa'],
  ['home:main', 'agent main'],
  ['cabin:attic', 'agent attic of cabin'],
  ['enrolment', 'an enrolment code'],
  ['deployment', 'the deployment'],
  ['anything else', 'anything else'],
  ['', ''],
])('the name of %j is %j', (actor, name) => expect(actorName(actor, known)).toBe(name));

test('while the own token is loading, no actor is you', () => {
  expect(actorName('', { ...known, own: '' })).toBe('');
});
