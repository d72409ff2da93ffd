export const german = {
  title: 'Verbinden',
  titleOf: (name: string) => `${name} verbinden`,

  gone: 'Diese Anfrage gibt es nicht',
  goneWhy: 'Vielleicht ist sie älter als zehn Minuten oder schon beantwortet. Beginnen Sie dort neu, woher Sie kamen.',

  kinds: {
    assistant: 'Ein Assistent möchte verbunden werden',
    device: 'Eine Kommandozeile möchte angemeldet werden',
  },
  leadsTo: (host: string) => `Die Antwort geht an ${host}`,
  from: (address: string) => `Angefragt von ${address}`,
  nameWarning: 'So nennt sich das Programm selbst.',
  warning: {
    assistant: 'Erlauben Sie das nur, wenn Sie es gerade selbst begonnen haben.',
    device: 'Erlauben Sie das nur, wenn Sie gerade auf diesem Rechner lanreach login eingegeben haben.',
  },
  may: 'Was es darf',
  mayNot: (scopes: string) => `Es bat auch um ${scopes}; das können Sie nicht geben.`,
  nothing: 'Es bittet nur um etwas, das Sie nicht geben können.',
  mayMissing: 'Wählen Sie mindestens eines.',
  where: 'Wo',
  ends: 'Es handelt in Ihrem Namen und kann nie mehr als Sie. Es endet nach 30 Tagen oder wenn Sie es widerrufen.',
  allow: 'Erlauben',
  deny: 'Ablehnen',

  leaving: 'Sie werden zurückgeführt …',
};
