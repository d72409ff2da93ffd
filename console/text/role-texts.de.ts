export const german = {
  names: { viewer: 'Betrachten', operator: 'Bedienen', admin: 'Verwalten' },
  hints: {
    viewer: 'Sieht Geräte, Ereignisse und Standorte. Ändert nichts.',
    operator: 'Bearbeitet auch Geräte, weckt sie auf und startet Scans.',
    admin: 'Darf alles, auch Tokens, Agenten und Einstellungen.',
  },
  at: (role: string, sites: string) => `${role} · ${sites}`,
  none: 'Keine Rolle',
};
