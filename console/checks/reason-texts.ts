/**
 * Why a check fails, a site has lost the internet or devices are gone, in the language of the page. Agents and the API
 * say it in English; a reason that is not among these stays as it is, such as one of an agent of another version.
 */
import { spoken } from '../text/language.ts';
import { byRules, type Rule } from '../text/sentence-rules.ts';

const RULES: readonly Rule[] = [
  [/^port (\d+) does not answer within (\d+) s$/, 'Port $1 antwortet nicht innerhalb von $2 s'],
  [/^port (\d+): (.+)$/, (port, why) => `Port ${port}: ${germanReason(why)}`],
  [/^the connection was refused$/, 'die Verbindung wurde abgelehnt'],
  [/^the connection was reset$/, 'die Verbindung wurde abgebrochen'],
  [/^the connection was closed$/, 'die Verbindung wurde geschlossen'],
  [/^the host cannot be reached$/, 'der Host ist nicht erreichbar'],
  [/^the network cannot be reached$/, 'das Netz ist nicht erreichbar'],
  [/^no answer$/, 'keine Antwort'],
  [/^no answer within (\d+) s$/, 'keine Antwort innerhalb von $1 s'],
  [/^no whole answer within (\d+) s$/, 'keine vollständige Antwort innerhalb von $1 s'],
  [/^no answer to (\d+) pings(.*)$/, 'keine Antwort auf $1 Pings$2'],
  [/^no anchor answers$/, 'kein Ziel im Internet antwortet'],
  [/^it answers with status (\d+)$/, 'antwortet mit Status $1'],
  [/^it answers with another protocol$/, 'antwortet mit einem anderen Protokoll'],
  [/^its answer does not contain the text$/, 'die Antwort enthält den Text nicht'],
  [/^the name does not exist \(NXDOMAIN\)$/, 'den Namen gibt es nicht (NXDOMAIN)'],
  [/^the name has no record of this type$/, 'der Name hat keinen Eintrag dieser Art'],
  [/^the name server failed \(SERVFAIL\)$/, 'Fehler des Nameservers (SERVFAIL)'],
  [/^the name server refuses to answer \(REFUSED\)$/, 'der Nameserver verweigert die Antwort (REFUSED)'],
  [/^the name server does not answer$/, 'der Nameserver antwortet nicht'],
  [/^the name server cannot be reached$/, 'der Nameserver ist nicht erreichbar'],
  [/^the host of the agent has no name server$/, 'der Host des Agents hat keinen Nameserver'],
  [/^the look-up failed \((.+)\)$/, 'die Namensauflösung schlug fehl ($1)'],
  [/^none of the answers is (.+?): (.+)$/, 'keine der Antworten ist $1: $2'],
  [/^(\S+) has no address$/, '$1 hat keine Adresse'],
  [/^(\S+) could not be looked up: no name server answers$/, '$1 nicht auflösbar: kein Nameserver antwortet'],
  [/^(\S+) could not be looked up: no name server knows it$/, '$1 nicht auflösbar: kein Nameserver kennt den Namen'],
  [/^the gateway answers, the internet behind it does not$/, 'das Gateway antwortet, das Internet dahinter nicht'],
  [/^the gateway does not answer$/, 'das Gateway antwortet nicht'],
  [
    /^the gateway answers: the provider, or the line to it$/,
    'das Gateway antwortet: der Anbieter oder die Leitung zu ihm',
  ],
  [
    /^the gateway does not answer: the router, or the wire to it$/,
    'das Gateway antwortet nicht: der Router oder das Kabel zu ihm',
  ],
  [/^the agent was not running$/, 'der Agent lief nicht'],
  [/^the agent was busy with other commands$/, 'der Agent war mit anderen Befehlen beschäftigt'],
  [/^the run before had not ended$/, 'die vorige Ausführung war noch nicht beendet'],
  [
    /^(the gateway )?(.+) is gone, and (\d+) devices? behind it$/,
    (gateway, name, count) => `${gateway === '' ? '' : 'das Gateway '}${name} ist weg, dahinter ${devices(count)}`,
  ],
  [
    /^(\d+) of (\d+) devices behind (.+) are gone: the switch, its power or its cable$/,
    '$1 von $2 Geräten hinter $3 sind weg: der Switch, sein Strom oder sein Kabel',
  ],
  [
    /^(\d+) of the (\d+) devices that were there are gone: power, or the wire to them$/,
    '$1 der $2 Geräte, die da waren, sind weg: der Strom oder das Kabel zu ihnen',
  ],
  [/^(\d+) of (\d+) devices were seen last at the same time$/, '$1 von $2 Geräten wurden zuletzt gleichzeitig gesehen'],
  [
    /^(\d+) of (\d+) devices were seen last within (\d+) s$/,
    '$1 von $2 Geräten wurden zuletzt innerhalb von $3 s gesehen',
  ],
  [
    /^no other site has gone dark within 3 minutes, so it is its uplink, its power or the host of its agent$/,
    'kein anderer Standort fiel innerhalb von 3 Minuten aus: also Leitung, Strom oder der Host des Agents',
  ],
  [
    /^(\d+) other sites? (?:has|have) gone dark within 3 minutes(?:, (all|\d+) of the same provider, (.+))?$/,
    (count, same, provider) =>
      `innerhalb von 3 Minuten auch ausgefallen: ${count} ${count === '1' ? 'anderer Standort' : 'andere Standorte'}${
        provider === '' ? '' : `, ${same === 'all' ? 'alle' : same} beim selben Anbieter, ${provider}`
      }`,
  ],
];

const devices = (count: string) => (count === '1' ? '1 Gerät' : `${count} Geräte`);

export function reasonText(reason: string): string {
  return spoken === 'de' ? germanReason(reason) : reason;
}

export function germanReason(reason: string): string {
  return byRules(reason, RULES);
}
