/** What an answer to a hostile request must be: one that the contract allows. */
import { ERRORS } from '../../../functions/http/errors.ts';
import type { Operation } from '../../../shared/api/operation.ts';
import { ErrorBody, type ErrorCode } from '../../../shared/errors.ts';
import type { Answer, Exchange } from './raw-http.ts';

export interface Expectation {
  /** One of these codes must be answered; without it, any answer that the contract allows. */
  codes?: readonly ErrorCode[];
  /** No request of HTTP/1.1: the parser may refuse it before its path is known, or end the connection. */
  isMalformed?: boolean;
  /** How many answers there must be; default: one or more. */
  count?: number;
}

/** What every operation may answer in an outage, or when there is too much to do. */
const SHARED: readonly ErrorCode[] = ['unavailable', 'busy'];
/** Traces of a defect, which no answer may show. */
const INSIDES = /\n\s+at \S|node:internal|node_modules|\bundefined\b.*is not|Cannot read propert/;

/** What is wrong with how an attack was answered; null when nothing is. */
export function faultOf(operation: Operation, { answers, end }: Exchange, expected: Expectation): string | null {
  if (end === 'late') return `no end of the answer in time; until then ${JSON.stringify(answers.map(brief))}`;
  if (answers.length === 0) {
    return expected.isMalformed === true ? null : `the connection was ${end} without an answer`;
  }
  if (expected.count !== undefined && answers.length !== expected.count) {
    return `expected ${expected.count} answers, got ${answers.length}`;
  }
  return answers.map((answer) => faultOfAnswer(operation, answer, expected)).find((fault) => fault !== null) ?? null;
}

function faultOfAnswer(operation: Operation, answer: Answer, { codes, isMalformed = false }: Expectation) {
  const { status, body } = answer;
  const say = (what: string) => `${what}: ${brief(answer)}`;
  if (status < 400) return codes === undefined || isMalformed ? null : say(`expected ${codes.join(' or ')}`);
  if (INSIDES.test(body)) return say('it shows the insides of the program');
  const code = codeOf(answer);
  if (code === null) {
    if (body === '' && answer.headers.get('x-request-id') !== undefined) return null; // The answer to HEAD.
    return say('the body is not the one of an error, with the code of this status');
  }
  if (status >= 500 && ![...(operation.errors ?? []), ...SHARED].includes(code)) {
    return say('a failure that the operation does not know');
  }
  if (codes !== undefined && !isMalformed && !codes.includes(code)) return say(`expected ${codes.join(' or ')}`);
  return null;
}

/** The code of a failure; null where the body is not ours, or has a code that goes with another status. */
export function codeOf({ status, body }: Answer): ErrorCode | null {
  try {
    const { code } = ErrorBody.parse(JSON.parse(body));
    return ERRORS[code][0] === status ? code : null;
  } catch {
    return null;
  }
}

/** Status, and the code of a failure. */
export function outcomeOf(answer: Answer): string {
  if (answer.status < 400) return String(answer.status);
  return `${answer.status} ${codeOf(answer) ?? (answer.body === '' ? '(no body)' : '(no code)')}`;
}

function brief({ status, body }: Answer): string {
  return `${status} ${body.length > 300 ? `${body.slice(0, 300)}… (${body.length} characters)` : body}`;
}
