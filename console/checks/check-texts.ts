/** The texts of checks, wherever they are shown. */
import type { Check, CheckKind } from '../../shared/api/checks.ts';
import { measuredText, percentText } from '../text/format.ts';
import { inLanguage } from '../text/language.ts';
import { german } from './check-texts.de.ts';

const english = {
  kinds: {
    ping: 'Ping',
    tcp: 'TCP port',
    http: 'Web page',
    dns: 'DNS',
    internet: 'Internet',
    site: 'Another site',
  } satisfies Record<CheckKind, string>,
  states: {
    up: 'answers',
    down: 'does not answer',
    unknown: 'not known',
  } satisfies Record<Check['state'], string>,
  paused: 'paused',
  latency: 'Latency',
  latencyOf: (label: string) => `Latency: ${label}`,
  loss: 'Loss',
  lossOf: (label: string) => `Loss: ${label}`,
  ms: (value: number) => `${measuredText(value)} ms`,
  percent: (value: number) => `${percentText(value)} %`,
  nothing: '–',
  summary: (span: string, uptime: number | null, rtt: number | null, loss: number | null) => {
    if (uptime === null) return `Nothing was measured in ${span}.`;
    const parts = [
      `Answered ${percentText(uptime)} % of the time in ${span}`,
      ...(rtt === null ? [] : [`${measuredText(rtt)} ms on average`]),
      ...(loss === null ? [] : [`${percentText(loss)} % lost`]),
    ];
    return `${parts.join(', ')}.`;
  },
  lossSummary: (span: string) => `What got no answer in ${span}.`,
  day: (label: string, uptime: number | null) =>
    uptime === null
      ? `${label}, last 24 hours: not measured`
      : `${label}, last 24 hours: answered ${percentText(uptime)} % of the time`,
  compared: (name: string, rtt: number | null) =>
    `${name}: ${rtt === null ? 'not measured' : `${measuredText(rtt)} ms on average`}.`,
  compare: 'Compare with …',
  compareOf: (label: string) => `Compare ${label} with`,
  before: 'The period before',
  noPath: 'The path is not known yet.',
  silentHop: 'a host that does not answer',
};

export const checkTexts = inLanguage(english, german);
