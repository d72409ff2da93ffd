import { numberText, plural } from '../../../text/format.ts';

const geraete = (count: number) => plural(count, 'Gerät', 'Geräte');

export const importTexts = {
  import: 'Importieren',
  export: 'Exportieren',
  title: 'Geräte importieren',
  file: 'CSV-Datei',
  hint: 'Eine CSV-Datei mit Kopfzeile, etwa ein Export von LanReach oder NetAlertX. Sie können sie auch auf die Seite ziehen.',
  choose: 'Datei wählen',
  chooseOther: 'Andere Datei',
  drop: 'CSV-Datei hier ablegen: Was sie ändern würde, wird zuerst gezeigt',
  mode: 'Was mit den anderen Geräten geschieht',
  modes: {
    merge: 'Ergänzen: Geräte, die die Datei nicht nennt, bleiben',
    replace: 'Ersetzen: Geräte, die die Datei nicht nennt, werden gelöscht, sobald jede Zeile lesbar ist',
  },
  replaceNevertheless: 'Trotzdem ersetzen: Geräte auf den ausgelassenen Zeilen werden vielleicht gelöscht',
  reading: 'Liest die Datei …',
  added: 'Neu',
  updated: 'Geändert',
  deleted: 'Gelöscht',
  skipped: 'Ausgelassene Zeilen',
  adjusted: 'Angepasste Zeilen',
  skippedLines: 'Ausgelassene Zeilen',
  adjustedLines: 'Angepasste Zeilen',
  line: (line: number) => `Zeile ${numberText(line)}`,
  moreLines: (count: number) => `und ${numberText(count)} weitere`,
  ignoredColumns: 'Spalten, die nicht behalten werden:',
  importNow: ({ inserted, deleted }: { inserted: number; deleted: number }) =>
    deleted === 0
      ? `${geraete(inserted)} importieren`
      : `${numberText(inserted)} importieren und ${numberText(deleted)} löschen`,
  importing: 'Importiert …',
  done: ({ inserted, deleted }: { inserted: number; deleted: number }) =>
    deleted === 0
      ? `${geraete(inserted)} importiert`
      : `${geraete(inserted)} importiert, ${numberText(deleted)} gelöscht`,
  exportTitle: 'Geräte exportieren',
  exportAll:
    'Alle Felder und Zusatzspalten aller Geräte des Standorts: eine Kopie ohne Verlust, die sich importieren lässt.',
  exportAllNow: 'Alles speichern',
  exportShort: 'Name, MAC, IP-Adresse, Art, Favorit und Status: für eine Tabellenkalkulation.',
  exportShortNow: 'Kurze Liste speichern',
};
