export const german = {
  title: 'Anmelden',
  token: 'Token',
  hint: 'Es beginnt mit lr_.',
  keep: 'Auf diesem Gerät angemeldet bleiben',
  tabHint: 'Sonst sind Sie abgemeldet, sobald dieser Tab geschlossen wird.',
  keptHint: 'Dieser Browser behält das Token, bis Sie sich abmelden. Nicht für Geräte, die auch andere benutzen.',
  signIn: 'Anmelden',
  byProvider: (name: string) => `Mit ${name} anmelden`,
  byToken: 'Mit einem Token anmelden',
  pending: 'Sie werden angemeldet …',
  how: 'Woher bekomme ich ein Token?',
  ways: {
    link: 'Auf dem Rechner, auf dem LanReach läuft: den ausgegebenen Link öffnen. Er meldet Sie an.',
    commandLine: 'Auf der Kommandozeile:',
    person: 'Sonst fragen Sie, wer diesen Dienst betreibt. Tokens gibt es unter Verwaltung › Tokens.',
  },
  refusals: {
    refused:
      'Sie wurden abgemeldet: Die Sitzung ist zu Ende, oder das Token wurde widerrufen oder ist hier nicht mehr bekannt.',
    unknown: 'Dieses Token ist hier unbekannt. Prüfen Sie, ob Sie es ganz kopiert haben.',
  },
  failures: {
    'no-role':
      'Sie wurden erkannt, haben hier aber noch keine Rolle. Bitten Sie jemanden aus der Verwaltung, Ihnen unter Verwaltung › Personen eine zu geben, und melden Sie sich dann erneut an.',
    disabled: 'Ihr Zugang wurde gesperrt. Wenden Sie sich an die Verwaltung dieses Dienstes.',
    refused: 'Der Anbieter hat Sie nicht angemeldet, oder Sie haben abgebrochen.',
    expired: 'Das hat zu lange gedauert. Melden Sie sich erneut an.',
    forbidden: 'Die Anmeldung ist schon abgeschlossen oder hat zu lange gedauert. Melden Sie sich erneut an.',
    elsewhere: 'Diese Anmeldung wurde in einem anderen Tab oder Browser begonnen. Melden Sie sich hier erneut an.',
    unreachable: 'Der Anbieter ist gerade nicht erreichbar. Versuchen Sie es in einer Minute noch einmal.',
    invalid:
      'Die Antwort des Anbieters beweist nichts. Versuchen Sie es noch einmal; das Protokoll des Dienstes nennt den Grund.',
  },
  replaceTitle: 'Mit einem anderen Token anmelden?',
  replaceWhat:
    'Dieser Link meldet mit einem anderen Token an. Kam er von jemandem, den Sie nicht kennen? Dann bleiben Sie angemeldet: Er könnte alles lesen, was Sie eingeben.',
  replace: 'Mit dem Link anmelden',
  stay: 'Angemeldet bleiben',
  invalid: 'Das ist kein Token: Es enthält Zeichen, die Tokens nie haben.',
};
