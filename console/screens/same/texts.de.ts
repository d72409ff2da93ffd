import { numberText, plural } from '../../text/format.ts';

export const german = {
  title: 'Dasselbe Gerät?',
  what: 'Handys wählen ab und zu eine neue MAC-Adresse, und ein Computer hat für jede Netzwerkkarte eine. Verbinden Sie, was zusammengehört: Dann bleibt es ein Verlauf.',
  candidates: 'Geräte, die eines zu sein scheinen',
  none: 'Keine Doppelten gefunden',
  noneHint: 'Hier stehen Geräte, die eines zu sein scheinen: gleicher Name, und nie zugleich da.',
  toDevices: 'Alle Geräte',
  line: (count: number) =>
    count === 1 ? '1 Gerät ist vielleicht doppelt.' : `${numberText(count)} Geräte sind vielleicht doppelt.`,
  look: 'Ansehen',
  group: (name: string, others: number) => `${name} und ${plural(others, 'weiteres', 'weitere')}`,
  stays: 'bleibt',
  joinsIt: 'wird Teil davon',
  join: 'Verbinden',
  joinOf: (name: string, others: number) => `Verbinden: ${plural(others, 'Gerät', 'Geräte')} mit ${name}`,
  notTheSame: 'Verschiedene Geräte',
  notTheSameOf: (name: string) => `Verschiedene Geräte: ${name} und die anderen`,
  joined: (name: string, others: number) => `${plural(others, 'Gerät', 'Geräte')} mit ${name} verbunden.`,
  apart: (name: string) => `${name} wird nicht mehr vorgeschlagen.`,
  takenApart: (count: number) => `${plural(count, 'Gerät', 'Geräte')} wieder da.`,
  otherMacs: 'Weitere MAC-Adressen',
  now: 'jetzt',
  split: 'Trennen',
  splitOf: (mac: string) => `${mac} von diesem Gerät trennen`,
  splitAll: 'Alle trennen',
  wasSplit: (count: number) =>
    `${plural(count, 'MAC-Adresse', 'MAC-Adressen')} getrennt: Jede ist wieder ein eigenes Gerät.`,
};
