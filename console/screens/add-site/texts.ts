/** The texts of adding a site. */
export const texts = {
  title: 'Add a site',
  intro: 'A site is one LAN, with its own devices, jobs and events.',
  name: 'Name',
  nameHint: 'As people know it, such as “Cabin by the lake”.',
  id: 'ID',
  idHint: 'Lower-case letters, digits and hyphens, such as “cabin”. It is part of addresses and cannot be changed.',
  submit: 'Add the site',
  needsAllSites: 'Only a token for all sites can add a site.',
};
