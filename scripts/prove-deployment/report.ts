/** The report of a run, in Markdown, without anything that has to stay secret. */
import { parseIp } from '../../shared/network.ts';
import type { Result } from './checks.ts';

export interface Heading {
  phase: string;
  version: string;
  at: Date;
  region: string;
}

/**
 * @param secrets texts that are removed wherever they occur, such as the token
 * @param site the site whose agents were asked; its id and theirs are removed from the facts
 */
export function report(
  heading: Heading,
  results: readonly Result[],
  secrets: readonly string[],
  site: string | null,
): string {
  const { phase, version, at, region } = heading;
  const count = (outcome: string) => results.filter((result) => result.outcome === outcome).length;
  const lines = [
    `# Proof of a deployment: ${phase}`,
    '',
    `LanReach ${version}, region ${region}, ${at.toISOString()}, Node.js ${process.version}`,
    '',
    `${count('passed')} passed, ${count('failed')} failed, ${count('unclear')} unclear.`,
    ...results.flatMap(({ title, outcome, facts, durationMs }) => [
      '',
      `## ${outcome}: ${title}`,
      '',
      ...facts.map((fact) => `- ${withoutSite(withoutSecrets(fact, secrets), site).replace(/\s+/g, ' ').trim()}`),
      `- took ${durationMs / 1000} s`,
    ]),
  ];
  return `${withoutSecrets(lines.join('\n'), secrets)}\n`;
}

/** What identifies an account, a person or an agent, and what gives access to something, by its form. */
const SENSITIVE: readonly (readonly [RegExp, string])[] = [
  [/lre?_[\w.~-]+/g, '<token>'],
  [/whsec_[\w+/=]+/g, '<secret>'],
  [/\b(?:AKIA|ASIA|AROA|AIDA)[A-Z0-9]{8,}/g, '<access key>'],
  [/\b[a-z0-9]{10}(?=\.execute-api\.)/g, '<api>'],
  [/\b[a-z0-9]{10,}-ats(?=\.iot\.)/g, '<account>-ats'],
  [/\b[0-9a-f]{64}\b/g, '<certificate>'],
  [/(?<!\d)\d{12}(?!\d)/g, '<account>'],
  [/(?<=:)(user|assumed-role|role)\/[\w+=,.@/-]+/g, '$1/<name>'],
  [/[\w.+-]+@[\w-]+(?:\.[\w-]+)+/g, '<mail>'],
  [/\b(?:[0-9a-f]{2}[:-]){5}[0-9a-f]{2}\b/gi, '<address>'],
];
/** May be an IPv6 address, with the full stop or the colon of the sentence around it. */
const COLONS = /(?<!\w)([0-9a-f]*:[0-9a-f]*:[0-9a-f:.]*)(%[\w.-]*\w)?(?!\w)/gi;
const IPV4 = /(?<!\d)(?:\d{1,3}\.){3}\d{1,3}(?!\d)/g;

export function withoutSecrets(text: string, secrets: readonly string[]): string {
  const known = secrets.filter((secret) => secret !== '').sort((a, b) => b.length - a.length);
  const cut = known.reduce((rest, secret) => rest.replaceAll(secret, '<secret>'), text);
  return withoutAddresses(SENSITIVE.reduce((rest, [pattern, name]) => rest.replace(pattern, name), cut));
}

function withoutAddresses(text: string): string {
  const withoutIpv6 = text.replace(COLONS, (whole: string, candidate: string) => {
    const ends = [
      candidate,
      candidate.replace(/\.+$/, ''),
      candidate.replace(/[.:]$/, ''),
      candidate.replace(/[.:]+$/, ''),
    ];
    const address = ends.find((end) => parseIp(end) !== null);
    // `::` alone stands in many ARNs and identifies nothing.
    if (address === undefined || address === '::') return whole;
    return `<address>${candidate.slice(address.length)}`;
  });
  return withoutIpv6.replace(IPV4, '<address>');
}

/** Without the id of the site, and those of its agents: `<site>:<name>`. */
export function withoutSite(text: string, site: string | null): string {
  if (site === null) return text;
  return text.replace(new RegExp(`(?<![\\w-])${site}(:[a-z0-9-]{1,32})?(?![\\w-])`, 'g'), (_, agent?: string) =>
    agent === undefined ? '<site>' : '<agent>',
  );
}
