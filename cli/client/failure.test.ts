import { Command } from 'commander';
import { expect, test } from 'vitest';
import { ApiError, ConnectionError, InvalidInputError, UnexpectedAnswerError } from '../../client/errors.ts';
import type { ErrorCode, FieldError } from '../../shared/errors.ts';
import { failureOf, nameFields, unreadableFile } from './failure.ts';

function refusal(code: ErrorCode, message: string, fields: FieldError[] = [], fieldsOmitted = 0): ApiError {
  return new ApiError(message, { status: 400, code, fields, fieldsOmitted, requestId: 'r' });
}

test.each([
  ['site_forbidden', 'auth'],
  ['target_not_allowed', 'failure'],
  ['not_found', 'notFound'],
  ['validation_failed', 'usage'],
  ['agent_offline', 'agentOffline'],
  ['agent_silent', 'agentOffline'],
  ['command_failed', 'failure'],
] as const)('%s is told in the words of the API', (code, ending) => {
  expect(failureOf(refusal(code, 'What is wrong.'))).toMatchObject({ message: 'What is wrong.', ending });
});

test('a token that is not valid, and one that lacks a scope, are told in words', () => {
  const refused = (fields: FieldError[]) => failureOf(refusal('forbidden', 'ERROR: Not authorized', fields));
  expect(refused([])).toMatchObject({
    ending: 'auth',
    message: 'This token is unknown here, or was revoked. Sign in again: lanreach login',
  });
  expect(refused([{ path: 'header.authorization', message: 'the token lacks the scope admin' }])?.message).toBe(
    'This token may not manage sites, agents and tokens: it lacks the scope admin. What it may do: lanreach whoami',
  );
});

test('a refused field is called as the command line calls it', () => {
  const command = new Command('x').argument('<target>').option('--every <time>').option('--network <CIDR...>');
  const told = (path: string) => {
    const refused = refusal('validation_failed', `${path}: expected another one`, [
      { path, message: 'expected another one' },
    ]);
    return failureOf(refused, command);
  };
  expect(told('devLastIP')).toMatchObject({ ending: 'usage', message: 'devLastIP: expected another one' });
  nameFields(command, new Map([['devLastIP', '<ip>']]));
  expect(told('devLastIP')?.message).toBe('<ip>: expected another one');
  expect(told('body.target')?.message).toBe('<target>: expected another one');
  expect(told('everySeconds')?.message).toBe('--every: expected another one');
  expect(told('discovery.networks.0')?.message).toBe('--network: expected another one');
});

test('a file that is not there is told in words', () => {
  const missing = Object.assign(new Error('ENOENT: no such file or directory, open'), { code: 'ENOENT' });
  expect(unreadableFile('/nonexistent.csv', missing).message).toBe('There is no file /nonexistent.csv');
  expect(unreadableFile('x', new Error('odd')).message).toBe('Cannot read x: odd');
});

test('fields that were refused are named, once', () => {
  const fields = [
    { path: 'name', message: 'expected a text' },
    { path: '', message: 'is too long' },
  ];
  expect(failureOf(refusal('validation_failed', 'Two fields are wrong', fields, 4))?.message).toBe(
    'Two fields are wrong\n  name: expected a text\n  body: is too long\n  … and 4 more',
  );
  const precise = 'name: expected a text; is too long';
  expect(failureOf(refusal('validation_failed', precise, fields))?.message).toBe(precise);
});

test('a gateway that refuses the token is a matter of authorization; an id that is none is wrong usage; a defect is no failure', () => {
  expect(failureOf(new UnexpectedAnswerError('no', 401))?.ending).toBe('auth');
  expect(failureOf(new UnexpectedAnswerError('no', 502))?.ending).toBe('failure');
  expect(failureOf(new InvalidInputError('id: no'))?.ending).toBe('usage');
  expect(failureOf(new TypeError('undefined is not a function'))).toBeNull();
});

test.each([
  ['http://127.0.0.1:8787', 'ECONNREFUSED', 'is it running? Start it with: npm start'],
  ['https://api.example.com', 'ECONNREFUSED', 'is the URL correct'],
  ['https://127.0.0.1:1', 'ERR_SSL_WRONG_VERSION_NUMBER', 'does not speak TLS at that port; should the URL begin with'],
])('of %s that fails with %s it says what to look at', (url, code, message) => {
  const error = new ConnectionError(`Cannot reach ${url}: ${code}`, { url, code, cause: null });
  expect(failureOf(error)?.message).toContain(message);
});
