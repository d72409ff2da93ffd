/** The English sentences of codes. The console has its own, in each language. */
import type { Reason } from './reasons.ts';

export type ValuesOf<Coded, Code> = Coded extends { code: infer Codes; values: infer Values }
  ? Code extends Codes
    ? Values
    : never
  : never;

/** A text for each code, made of its values where it has some. */
export type TextsOf<Coded extends { code: string }> = {
  readonly [Code in Coded['code']]: [ValuesOf<Coded, Code>] extends [never]
    ? string
    : (values: ValuesOf<Coded, Code>) => string;
};
type AnyTexts = Readonly<Record<string, string | ((values: never) => string)>>;

/** Null for a code without a text: one of a newer version. */
export function textOfCode(texts: AnyTexts, { code, values }: { code: string; values?: object }): string | null {
  const text = Object.hasOwn(texts, code) ? texts[code] : undefined;
  return typeof text === 'function' ? text(values as never) : (text ?? null);
}

const atPort =
  (said: string) =>
  ({ port }: { port?: number | undefined }) =>
    port === undefined ? said : `port ${port}: ${said}`;
const devices = (count: number) => (count === 1 ? '1 device' : `${count} devices`);

const ENGLISH_REASONS: TextsOf<Reason> = {
  'connection-refused': atPort('the connection was refused'),
  'connection-reset': atPort('the connection was reset'),
  'connection-closed': atPort('the connection was closed'),
  'connection-failed': ({ message, port }) => atPort(message)({ port }),
  'host-unreachable': atPort('the host cannot be reached'),
  'network-unreachable': atPort('the network cannot be reached'),
  'no-answer': atPort('no answer'),
  'no-answer-within': ({ seconds }) => `no answer within ${seconds} s`,
  'no-whole-answer-within': ({ seconds }) => `no whole answer within ${seconds} s`,
  'port-silent': ({ port, seconds }) => `port ${port} does not answer within ${seconds} s`,
  'pings-unanswered': ({ sent, complaint, end }) =>
    [`no answer to ${sent} pings`, complaint, end && `the way ends at ${end}`].filter(Boolean).join('; '),
  status: ({ status }) => `it answers with status ${status}`,
  'other-protocol': 'it answers with another protocol',
  'text-missing': 'its answer does not contain the text',
  'dns-no-name': 'the name does not exist (NXDOMAIN)',
  'dns-no-record': 'the name has no record of this type',
  'dns-failed': 'the name server failed (SERVFAIL)',
  'dns-refused': 'the name server refuses to answer (REFUSED)',
  'dns-silent': 'the name server does not answer',
  'dns-unreachable': 'the name server cannot be reached',
  'dns-no-server': 'the host of the agent has no name server',
  'dns-error': ({ error }) => `the look-up failed (${error})`,
  'dns-other-answers': ({ expected, answers }) => `none of the answers is ${expected}: ${answers}`,
  'no-address': ({ name }) => `${name} has no address`,
  'look-up-silent': ({ name }) => `${name} could not be looked up: no name server answers`,
  'look-up-unknown': ({ name }) => `${name} could not be looked up: no name server knows it`,
  'agent-defect': 'the check failed because of a defect in the agent',
  'internet-behind-gateway': 'the gateway answers, the internet behind it does not',
  'gateway-silent': 'the gateway does not answer',
  'provider-or-line': 'the gateway answers: the provider, or the line to it',
  'router-or-wire': 'the gateway does not answer: the router, or the wire to it',
  'agent-away': 'the agent was not running',
  'agent-busy': 'the agent was busy with other commands',
  'still-running': 'the run before had not ended',
  'gateway-gone': ({ device, behind }) => `the gateway ${device} is gone, and ${devices(behind)} behind it`,
  'device-gone': ({ device, behind }) => `${device} is gone, and ${devices(behind)} behind it`,
  'switch-or-cable': ({ gone, of, device }) =>
    `${gone} of ${of} devices behind ${device} are gone: the switch, its power or its cable`,
  'power-or-wire': ({ gone, of }) =>
    `${gone} of the ${of} devices that were there are gone: power, or the wire to them`,
  'gone-together': ({ gone, of, seconds }) =>
    `${gone} of ${of} devices were seen last ${seconds === 0 ? 'at the same time' : `within ${seconds} s`}`,
  'no-other-site-dark':
    'no other site has gone dark within 3 minutes, so it is its uplink, its power or the host of its agent',
  'other-sites-dark': ({ sites, same, provider }) => {
    const others = `${sites} other ${sites === 1 ? 'site has' : 'sites have'} gone dark within 3 minutes`;
    return same === 0 ? others : `${others}, ${same === sites ? 'all' : same} of the same provider, ${provider}`;
  },
  'two-hosts': ({ hosts }) => `two hosts use this identity: ${hosts}; enrol one of them under another name`,
};

/** The sentence that stands beside a code. */
export function reasonSentence(reason: Reason): string {
  return textOfCode(ENGLISH_REASONS, reason) ?? reason.code;
}
