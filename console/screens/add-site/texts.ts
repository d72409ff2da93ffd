/** The texts of adding a site. */
export const texts = {
  title: 'Add a site',
  intro: 'A site is one LAN, with its own devices, jobs and events.',
  name: 'Name',
  nameHint: 'For people, such as “Cabin by the lake”.',
  id: 'Id',
  idHint: 'Lower-case letters, digits and hyphens, such as “cabin”. It stands in addresses and cannot be changed.',
  submit: 'Add the site',
  needsAllSites: 'Only a token for all sites may add one.',
};
