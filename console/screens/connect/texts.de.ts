export const german = {
  title: 'Verbinden',
  titleOf: (name: string) => `${name} verbinden`,
  intro: 'Die Kommandozeile zeigt einen Code. Geben Sie ihn hier ein, um sie als Sie anzumelden.',
  code: 'Code',
  codeHint: 'Acht Buchstaben, etwa BCDF-GHJK.',
  codeError: 'Der Code hat acht Buchstaben.',
  next: 'Weiter',

  gone: 'Diese Anfrage gibt es nicht',
  goneWhy:
    'Vielleicht ist sie älter als zehn Minuten, schon beantwortet, oder der Code enthält einen Tippfehler. Beginnen Sie dort neu.',
  enter: 'Code eingeben',

  kinds: {
    assistant: 'Ein Assistent möchte verbunden werden',
    device: 'Eine Kommandozeile möchte angemeldet werden',
  },
  leadsTo: (host: string) => `Die Antwort geht an ${host}`,
  from: (address: string) => `Angefragt von ${address}`,
  nameWarning: 'So nennt sich das Programm selbst.',
  warning: {
    assistant: 'Erlauben Sie das nur, wenn Sie es gerade selbst begonnen haben.',
    device: 'Erlauben Sie das nur, wenn Sie gerade lanreach login eingegeben haben und dort derselbe Code steht.',
  },
  may: 'Was es darf',
  mayNot: (scopes: string) => `Es bat auch um ${scopes}; das können Sie nicht geben.`,
  nothing: 'Es bittet nur um etwas, das Sie nicht geben können.',
  mayMissing: 'Wählen Sie mindestens eines.',
  where: 'Wo',
  ends: 'Es handelt in Ihrem Namen und kann nie mehr als Sie. Es endet nach 30 Tagen oder wenn Sie es widerrufen.',
  allow: 'Erlauben',
  deny: 'Ablehnen',

  allowed: (name: string) => `${name} ist verbunden`,
  allowedDevice: 'Zurück zur Kommandozeile: Sie macht von selbst weiter. Diese Seite können Sie schließen.',
  denied: (name: string) => `${name} wurde abgelehnt`,
  deniedWhat: 'Das Programm bekommt nichts. Diese Seite können Sie schließen.',
  leaving: 'Sie werden zurückgeführt …',
};
