import { measuredText, percentText } from '../text/format.ts';

export const german = {
  kinds: {
    ping: 'Ping',
    tcp: 'TCP-Port',
    http: 'Webseite',
    dns: 'DNS',
    internet: 'Internet',
    site: 'Anderer Standort',
  },
  states: {
    up: 'antwortet',
    down: 'antwortet nicht',
    unknown: 'unbekannt',
  },
  paused: 'angehalten',
  latency: 'Latenz',
  latencyOf: (label: string) => `Latenz: ${label}`,
  loss: 'Verlust',
  lossOf: (label: string) => `Verlust: ${label}`,
  ms: (value: number) => `${measuredText(value)} ms`,
  percent: (value: number) => `${percentText(value)} %`,
  nothing: '–',
  summary: (span: string, uptime: number | null, rtt: number | null, loss: number | null) => {
    if (uptime === null) return `Nichts gemessen (${span}).`;
    const parts = [
      `Antwort in ${percentText(uptime)} % der Zeit (${span})`,
      ...(rtt === null ? [] : [`im Mittel ${measuredText(rtt)} ms`]),
      ...(loss === null ? [] : [`${percentText(loss)} % verloren`]),
    ];
    return `${parts.join(', ')}.`;
  },
  lossSummary: (span: string) => `Was ohne Antwort blieb (${span}).`,
  day: (label: string, uptime: number | null) =>
    uptime === null
      ? `${label}, letzte 24 Stunden: nicht gemessen`
      : `${label}, letzte 24 Stunden: Antwort in ${percentText(uptime)} % der Zeit`,
  compared: (name: string, rtt: number | null) =>
    `${name}: ${rtt === null ? 'nicht gemessen' : `im Mittel ${measuredText(rtt)} ms`}.`,
  compare: 'Vergleichen mit …',
  compareOf: (label: string) => `${label} vergleichen mit`,
  before: 'Zeitraum davor',
  noPath: 'Der Weg ist noch unbekannt.',
  silentHop: 'ein Rechner, der nicht antwortet',
};
