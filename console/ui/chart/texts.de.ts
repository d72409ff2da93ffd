import { plural } from '../../text/format.ts';

export const german = {
  span: 'Zeitraum',
  spans: {
    '1h': '1 Stunde',
    '24h': '24 Stunden',
    '7d': '7 Tage',
    '30d': '30 Tage',
    '1y': '1 Jahr',
  },
  lastSpans: {
    '1h': 'letzte Stunde',
    '24h': 'letzte 24 Stunden',
    '7d': 'letzte 7 Tage',
    '30d': 'letzte 30 Tage',
    '1y': 'letztes Jahr',
  },
  chart: (title: string) => `${title}; die Pfeiltasten gehen von einer Zeit zur nächsten`,
  nobody: 'niemand hat gemessen',
  nothing: 'In dieser Zeit wurde nichts gemessen.',
  noAnswer: 'keine Antwort',
  range: (low: string, high: string) => `${low} bis ${high}`,
  asChart: 'Diagramm',
  table: 'Tabelle',
  tableOf: (title: string) => `${title}, das Neueste zuerst`,
  when: 'Wann',
  leftOut: (count: number) => `${plural(count, 'frühere Zeile', 'frühere Zeilen')} nicht gezeigt.`,
};
