/**
 * What the API says of changes, in the language of the page. It says it in English sentences of a few patterns, and so
 * German is made of those; a sentence of another pattern stays as it is.
 */
import { DEVICE_FIELDS } from '../../../shared/device.ts';
import { germanReason } from '../../checks/reason-texts.ts';
import { fieldName } from '../../text/device-fields.ts';
import { plural } from '../../text/format.ts';
import { spoken } from '../../text/language.ts';
import { byRules, type Rule } from '../../text/sentence-rules.ts';

/** `1 device`, `2 devices`, as the API counts: with commas at thousands. */
const counted = (count: string, one: string, many: string) => plural(Number(count.replaceAll(',', '')), one, many);
const device = (count: string) => counted(count, 'Gerät', 'Geräte');
const DID: Record<string, string> = {
  imported: 'importiert',
  deleted: 'gelöscht',
  restored: 'wiederhergestellt',
  archived: 'archiviert',
  edited: 'bearbeitet',
  renamed: 'umbenannt',
  'changed at once': 'auf einmal geändert',
  'found by the first look at a network': 'beim ersten Scan gefunden',
};

const OFTEN: Rule = [/^(.+) (\d+) times$/, (said, times) => `${germanPart(said)}, ${times}-mal`];
const RULES: readonly Rule[] = [
  [/^appeared$/, 'erstmals gesehen'],
  [/^came online$/, 'online gekommen'],
  [/^went offline$/, 'offline gegangen'],
  [/^went down$/, 'ausgefallen'],
  [/^is (offline|down) again$/, (state) => `wieder ${state === 'down' ? 'ausgefallen' : 'offline'}`],
  [/^was (archived|deleted|restored|imported)$/, (did) => DID[did] ?? did],
  [/^was offline for (.+)$/, 'offline für $1'],
  [/^was offline (\d+) times, (.+) in all$/, '$1-mal offline, insgesamt $2'],
  [/^did not answer for (.+)$/, 'keine Antwort für $1'],
  [/^did not answer (\d+) times, (.+) in all$/, '$1-mal keine Antwort, insgesamt $2'],
  [/^was not connected for (.+)$/, 'nicht verbunden für $1'],
  [/^was not connected (\d+) times, (.+) in all$/, '$1-mal nicht verbunden, insgesamt $2'],
  [/^had no agent that was connected for (.+)$/, 'kein Agent verbunden für $1'],
  [/^had no agent that was connected (\d+) times, (.+) in all$/, '$1-mal kein Agent verbunden, insgesamt $2'],
  [/^had no internet for (.+)$/, 'kein Internet für $1'],
  [/^had no internet (\d+) times, (.+) in all$/, '$1-mal kein Internet, insgesamt $2'],
  [/^was slow for (.+)$/, 'langsam für $1'],
  [/^was slow (\d+) times, (.+) in all$/, '$1-mal langsam, insgesamt $2'],
  [/^([\d,]+) devices? (?:was|were) gone(?: at once)? for (.+)$/, (count, time) => `${device(count)} weg für ${time}`],
  [
    /^([\d,]+) devices? (?:is|are) gone at once(.*)$/,
    (count, why) => `${device(count)} auf einmal weg${reasonIn(why)}`,
  ],
  [/^opened ports? (.+?)( and closed again| more than once)?$/, (ports, again) => portsText('geöffnet', ports, again)],
  [
    /^closed ports? (.+?)( and opened again| more than once)?$/,
    (ports, again) => portsText('geschlossen', ports, again),
  ],
  [/^(public )?address (.+)$/, (own, chain) => `${own ? 'öffentliche Adresse' : 'Adresse'} ${chain}`],
  [/^is named (.+)$/, 'heißt jetzt $1'],
  [/^was renamed: (.+)$/, (chain) => `umbenannt: ${chain.replaceAll('no name', 'kein Name')}`],
  [/^has no conflict any more$/, 'kein Konflikt mehr'],
  [/^has a conflict: (.+)$/, 'Konflikt: $1'],
  [/^was edited: other columns$/, 'bearbeitet: andere Spalten'],
  [/^was edited: (.+)$/, (fields) => `bearbeitet: ${fieldsText(fields)}`],
  [/^([\d,]+) devices? (?:was|were) (.+?)(?:, in (\d+) changes)?$/, manyText],
  [/^is connected again(?: after (.+))?$/, (time) => `wieder verbunden${time ? ` nach ${time}` : ''}`],
  [/^is not connected any more$/, 'nicht mehr verbunden'],
  [/^answers again(?: after (.+))?$/, (time) => `antwortet wieder${time ? ` nach ${time}` : ''}`],
  [/^does not answer(: .*)?$/, (why) => `antwortet nicht${reasonIn(why)}`],
  [
    /^has the internet again(?: after ([^:]+))?(.*)$/,
    (time, why) => `wieder Internet${time ? ` nach ${time}` : ''}${reasonIn(why)}`,
  ],
  [/^has lost the internet(.*)$/, (why) => `kein Internet mehr${reasonIn(why)}`],
  [/^has gone dark: none of its agents is connected(.*)$/, (why) => `kein Agent mehr verbunden${reasonIn(why)}`],
  [/^has an agent again(?: after (.+))?$/, (time) => `wieder ein Agent verbunden${time ? ` nach ${time}` : ''}`],
  [/^was joined with (.+)$/, 'mit $1 verbunden'],
  [/^is not joined with (.+) any more$/, 'nicht mehr mit $1 verbunden'],
  [
    /^was not run (?:at its time|at (\d+) of its times)(.*)$/,
    (count, why) => `nicht gelaufen${count ? `, ${count}-mal` : ''}${reasonIn(why)}`,
  ],
  // A check of a device is told with its label.
  [/^(.+?): ((?:does not answer|answers again|did not answer).*)$/, (label, said) => `${label}: ${germanPart(said)}`],
  OFTEN,
];

const SUMMARY: readonly Rule[] = [
  [/^Nothing changed$/, 'Nichts hat sich geändert'],
  [/^([\d,]+) new devices?$/, (count) => counted(count, 'neues Gerät', 'neue Geräte')],
  [/^([\d,]+) devices? found$/, (count) => `${device(count)} gefunden`],
  [/^([\d,]+) devices? (imported|deleted)$/, (count, did) => `${device(count)} ${DID[did] ?? did}`],
  [/^([\d,]+) devices? joined with other MACs$/, (count) => `${device(count)} mit anderen MACs verbunden`],
  [/^([\d,]+) devices? changed$/, (count) => `${device(count)} geändert`],
  [/^([\d,]+) devices? came or went$/, (count) => `${device(count)} gekommen oder gegangen`],
  [
    /^([\d,]+) ports? (opened|closed)$/,
    (count, did) => `${counted(count, 'Port', 'Ports')} ${did === 'opened' ? 'geöffnet' : 'geschlossen'}`,
  ],
  [/^([\d,]+) outages?( of .+)?$/, (count, time) => `${counted(count, 'Ausfall', 'Ausfälle')}${lengthText(time)}`],
  [/^([\d,]+) times? without internet( of .+)?$/, (count, time) => `${count}-mal kein Internet${lengthText(time)}`],
  [/^([\d,]+) times? without an agent( of .+)?$/, (count, time) => `${count}-mal kein Agent${lengthText(time)}`],
  [
    /^([\d,]+) agents? lost( of .+)?$/,
    (count, time) => `${counted(count, 'Agent', 'Agenten')} getrennt${lengthText(time)}`,
  ],
  [
    /^([\d,]+) failed checks?( of .+)?$/,
    (count, time) => `${counted(count, 'Prüfung', 'Prüfungen')} fehlgeschlagen${lengthText(time)}`,
  ],
  [/^([\d,]+) missed turns? of schedules$/, (count) => `${count}-mal ein Zeitplan ausgefallen`],
  [/^([\d,]+) other events?$/, (count) => counted(count, 'anderes Ereignis', 'andere Ereignisse')],
];

/** A sentence about a device, such as "was offline for 3 min; is down again". */
export function sentenceText(text: string): string {
  return spoken === 'de' ? germanSentence(text) : text;
}

export function summaryText(text: string): string {
  return spoken === 'de' ? germanSummary(text) : text;
}

export function germanSentence(text: string): string {
  return text.split('; ').map(germanPart).join('; ');
}

export function germanSummary(text: string): string {
  const parts = text.replace(/\.$/, '').split(/, (?=[\d,]+ )/);
  return `${parts.map((part) => byRules(part, SUMMARY)).join(', ')}.`;
}

/** What stands behind a sentence as its reason: nothing, or a colon and the reason. */
function reasonIn(why: string): string {
  return why.startsWith(': ') ? `: ${germanReason(why.slice(2))}` : why;
}

function germanPart(text: string): string {
  return byRules(text, RULES);
}

function lengthText(time = ''): string {
  return time.replace(/^ of (.+?)( in all)?$/, ' von $1');
}

function portsText(did: string, ports: string, again = ''): string {
  const more = { ' and closed again': ' und wieder geschlossen', ' and opened again': ' und wieder geöffnet' }[again];
  const said = ports.replace(/ and (\d+) more$/, ' und $1 weitere');
  return `${ports.includes(', ') ? 'Ports' : 'Port'} ${said} ${did}${more ?? (again === '' ? '' : ', mehrmals')}`;
}

function manyText(count: string, did: string, changes: string): string {
  return `${device(count)} ${DID[did] ?? did}${changes ? `, in ${changes} Änderungen` : ''}`;
}

/** By the name that the API makes of a field, such as `parent MAC`. */
const FIELDS = new Map(
  DEVICE_FIELDS.map((field) => {
    const words = field.replace(/^dev/, '').match(/[A-Z]+(?![a-z])|[A-Z][a-z]+|IPv\d/g) ?? [field];
    return [words.map((word) => (/^[A-Z][a-z]/.test(word) ? word.toLowerCase() : word)).join(' '), fieldName(field)];
  }),
);

function fieldsText(fields: string): string {
  return fields
    .split(/, (?=[a-z])/)
    .map((one) => {
      const name = [...FIELDS.keys()]
        .filter((field) => one.startsWith(`${field} `))
        .sort((a, b) => b.length - a.length)[0];
      if (name === undefined) return one;
      const value = one.slice(name.length + 1);
      const said = { yes: 'ja', no: 'nein', cleared: 'geleert', 'as before': 'wie zuvor' }[value] ?? value;
      return `${FIELDS.get(name)} ${said}`;
    })
    .join(', ');
}
