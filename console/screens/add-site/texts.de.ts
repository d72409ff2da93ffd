export const german = {
  title: 'Standort hinzufügen',
  intro: 'Ein Standort ist ein LAN mit eigenen Geräten. Ein Agent auf einem seiner Rechner beobachtet es.',
  name: 'Name',
  nameHint: 'Wie Menschen ihn nennen, etwa „Hütte am See“.',
  id: 'ID',
  idHint: 'Kleinbuchstaben, Ziffern und Bindestriche. Sie steht in Adressen und lässt sich nicht ändern.',
  watch: 'Dieses LAN beobachten, sobald der Agent online ist',
  watchHint: 'Der Agent scannt einmal je Minute. Die Richtlinie auf seinem Rechner begrenzt, was er darf.',
  submit: 'Hinzufügen und Befehl zeigen',
  needsAllSites: 'Nur ein Token für alle Standorte kann einen hinzufügen.',
};
