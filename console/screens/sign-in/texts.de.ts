export const german = {
  title: 'Anmelden',
  token: 'Token',
  hint: 'Es beginnt mit lr_.',
  keep: 'Auf diesem Gerät angemeldet bleiben',
  tabHint: 'Sonst sind Sie abgemeldet, sobald dieser Tab geschlossen wird.',
  keptHint: 'Dieser Browser behält das Token, bis Sie sich abmelden. Nicht für Geräte, die auch andere benutzen.',
  signIn: 'Anmelden',
  how: 'Woher bekomme ich ein Token?',
  ways: {
    link: 'Auf dem Rechner, auf dem LanReach läuft: den ausgegebenen Link öffnen. Er meldet Sie an.',
    commandLine: 'Auf der Kommandozeile:',
    person: 'Sonst fragen Sie, wer diesen Dienst betreibt. Tokens gibt es unter Verwaltung › Tokens.',
  },
  refusals: {
    refused: 'Sie wurden abgemeldet: Das Token wurde widerrufen, ist abgelaufen oder hier nicht mehr bekannt.',
    unknown: 'Dieses Token ist hier unbekannt. Prüfen Sie, ob Sie es ganz kopiert haben.',
  },
  replaceTitle: 'Mit einem anderen Token anmelden?',
  replaceWhat:
    'Dieser Link meldet mit einem anderen Token an. Kam er von jemandem, den Sie nicht kennen? Dann bleiben Sie angemeldet: Er könnte alles lesen, was Sie eingeben.',
  replace: 'Mit dem Link anmelden',
  stay: 'Angemeldet bleiben',
  invalid: 'Das ist kein Token: Es enthält Zeichen, die Tokens nie haben.',
};
