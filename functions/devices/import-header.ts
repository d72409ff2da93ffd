/** What the columns of an imported file mean. */
import { DEVICE_FIELDS, type DeviceField } from '../../shared/device.ts';
import { ServiceError } from '../../shared/errors.ts';

/** The meaning of a column: a field of the record, or the status word, which sets several of them. */
export type Column = DeviceField | 'devStatus';

/** Lower-case names: those of the record, and those of the six-column export. */
const OWN_NAMES = new Map<string, Column>([
  ...DEVICE_FIELDS.map((field) => [field.toLowerCase(), field] as const),
  ['devip', 'devLastIP'],
  ['devstatus', 'devStatus'],
]);

/** Other programs' names, in letters and digits. The first matching pattern gets the field; other columns are extra ones. */
const FOREIGN_NAMES: readonly (readonly [Column, RegExp])[] = [
  [
    'devMac',
    /^(?:(?:device|client|host|node|station)?(?:mac|(?:mac|hw|hardware|physical|ether|ethernet|linklayer)(?:addr|address|addresses|adress[ae]?|adres)|macid)|lladdr|ether|physi(?:sche|kalische)adresse|adresse(?:mac|physique)|(?:direcci[oó]n|indirizzo|endere[cç]o)(?:mac|f[ií]sic[oa])|mac(?:地址|アドレス|адрес))$/u,
  ],
  [
    'devLastIP',
    /^(?:(?:device|client|host|node|last|primary|current|internet)?(?:ip|ipv4)(?:addr|address|addresses|adress[ae]?|adres)?|internetaddress|inet|(?:adresse|direcci[oó]n|indirizzo|endere[cç]o)ip(?:v4)?|ip(?:地址|アドレス|адрес))$/u,
  ],
  ['devLastIP', /^addr(?:ess)?$/],
  ['devName', /^(?:name|nom|nombre|nome|naam|имя|名称|名前)$/u],
  [
    'devName',
    /^(?:(?:device|asset|display|friendly|custom|client|computer|machine|system|node)name|alias|ger[äa]e?tename|bezeichnung)$/u,
  ],
  ['devName', /^(?:host|hostname|dnsname|netbiosname|rechnername)$/],
  ['devVendor', /^(?:mac|hw|hardware|device|nic|oui)?vendor(?:name)?$/],
  [
    'devVendor',
    /^(?:mac|hw|hardware|device|nic)?(?:manufacturer|maker|brand|hersteller|fabrikant|fabricant|fabricante|produttore)(?:name)?$/,
  ],
];

/** Of two columns for a field, the one with the smaller rank wins. */
interface Meaning {
  column: Column;
  rank: number;
}

function meaningOf(name: string): Meaning | null {
  const own = OWN_NAMES.get(name.toLowerCase());
  if (own !== undefined) return { column: own, rank: 0 };
  const letters = name.toLowerCase().replace(/[^\p{L}\p{N}]/gu, '');
  const alike = OWN_NAMES.get(letters); // Such as dev_MAC.
  if (alike !== undefined) return { column: alike, rank: 1 };
  const at = FOREIGN_NAMES.findIndex(([, pattern]) => pattern.test(letters));
  const found = FOREIGN_NAMES[at];
  return found === undefined ? null : { column: found[0], rank: 2 + at };
}

interface Header {
  /** Null for a column that is no field. */
  columns: readonly (Column | null)[];
  /** Whether cells have the apostrophes that our exports put in front of formulas. */
  isTamed: boolean;
}

/**
 * @param names without blanks around them
 * @throws {ServiceError} `malformed_csv` when none is known, or two mean the same field
 */
export function headerOf(names: readonly string[]): Header {
  const meanings = names.map(meaningOf);
  const best = new Map<Column, number>();
  for (const one of meanings)
    if (one !== null) best.set(one.column, Math.min(one.rank, best.get(one.column) ?? one.rank));
  const columns = meanings.map((one) => (one !== null && one.rank === best.get(one.column) ? one.column : null));
  if (columns.every((column) => column === null)) throw withoutHeader();
  const twice = columns.find((column, i) => column !== null && columns.indexOf(column) !== i);
  if (twice) {
    const both = names.filter((_, i) => columns[i] === twice).slice(0, 2);
    const message = `The columns ${both.map((name) => JSON.stringify(name.slice(0, 40))).join(' and ')} of the file both mean ${twice}: rename or remove one`;
    throw new ServiceError('malformed_csv', message);
  }
  const isOurs = [...best.values()].every((rank) => rank === 0);
  return { columns, isTamed: isOurs && isOwnLayout(columns.filter((_, at) => names[at] !== '')) };
}

export function withoutHeader(): ServiceError {
  const message = 'The first line of the file names no known column, such as devName and devMac, or Name, MAC and IP';
  return new ServiceError('malformed_csv', message);
}

/**
 * Whether a header may be that of one of our exports: nothing but fields, or fields in the order of our exports and other
 * columns after them. Some may be missing, because people remove columns. In a file of another system, with another order,
 * an apostrophe is part of the text.
 */
function isOwnLayout(columns: readonly (Column | null)[]): boolean {
  const others = columns.indexOf(null);
  if (others === -1) return true;
  const places = columns.slice(0, others).map((column) => FIELD_NAMES.indexOf(String(column)));
  const isInOrder = places.every((place, i) => place > (places[i - 1] ?? -1));
  return isInOrder && columns.slice(others).every((column) => column === null);
}

const FIELD_NAMES: readonly string[] = DEVICE_FIELDS;
