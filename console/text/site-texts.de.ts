import { numberText, plural } from './format.ts';

export const german = {
  all: 'Alle Standorte, auch künftige',
  allNow: 'Alle Standorte',
  byTagNow: 'Nach Schlagwort',
  chosen: 'Nur diese',
  chosenOnes: 'Ausgewählt',
  byTag: 'Nach Schlagwort, auch künftige Standorte',
  single: 'Einzelne Standorte',
  sitesOf: (count: number) => plural(count, 'Standort', 'Standorte'),
  find: 'Standort oder Schlagwort suchen',
  more: (count: number) => `und ${numberText(count)} weitere: Suchen Sie nach dem Namen`,
  noMatch: 'Kein Standort oder Schlagwort passt.',
  remove: (name: string) => `${name} entfernen`,
  everywhere: 'alle Standorte',
  tag: (tag: string) => `Schlagwort ${tag}`,
  tags: 'Schlagwörter',
  addTag: 'Schlagwort hinzufügen',
  tagHint: 'Kleinbuchstaben, Ziffern und Bindestriche. Die Eingabetaste fügt es hinzu.',
  tagWrong: 'Ein Schlagwort hat 1 bis 32 Kleinbuchstaben, Ziffern und Bindestriche im Inneren.',
  anyTag: 'Alle Schlagwörter',
  missing: 'Wählen Sie mindestens einen Standort oder ein Schlagwort.',
};
