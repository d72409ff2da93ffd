/** The texts of what a device is, and of the addresses that are one device. */
import { plural } from '../../text/format.ts';

export const identityTexts = {
  title: 'What it is',
  notKnown: 'not known',
  byPerson: 'set by a person',
  byPersonHint: 'Set by a person: recognition and discovery leave it alone. Emptied, it is recognised again.',
  editField: (field: string) => `Edit: ${field}`,
  evidenceSays: (value: string, confidence: string) => `The evidence says: ${value} (${confidence}).`,
  why: 'Why',
  nothingObserved: 'Nothing was observed of it yet by which it could be told.',
  observations: (count: number) => plural(count, 'observation'),
  ownWords: 'These are the device’s own words, as agents and scans have heard them. A device can say what it likes.',
  source: 'What',
  says: 'It says',
  byScans: 'a scan',
  looksLike: (what: string, sites: number) => `Looks like “${what}”, named so at ${plural(sites, 'site')}.`,
  alikeBecause: (what: string) => `In common: ${what}.`,
  takeOver: 'Call it so',
  takenOver: (what: string) => `It is now “${what}”.`,
};
