/** What belongs to several sites: people, tags and a template. */

import { personId } from '../../functions/access/people/person-store.ts';
import type { Person } from '../../shared/api/records.ts';
import { type FilledSystem, succeed } from './filled-system.ts';

const ISSUER = 'https://login.example.org/realms/office';

/** A provider without a server: the button shows its name. */
export const PROVIDER = { OIDC_ISSUER: ISSUER, OIDC_CLIENT_ID: 'lanreach', OIDC_NAME: 'Example Ltd' };

const TAGS = {
  home: ['private'],
  office: ['customers', 'north'],
  workshop: ['customers'],
  'holiday-flat': ['private'],
};

const PEOPLE: readonly (Pick<Person, 'name' | 'grants'> & { disabled?: true })[] = [
  { name: 'Anna Berger', grants: [{ role: 'admin', sites: '*' }] },
  {
    name: 'Ben Okafor',
    grants: [
      { role: 'operator', sites: ['tag:customers'] },
      { role: 'viewer', sites: ['home'] },
    ],
  },
  { name: 'Carla Neumann', grants: [] },
  { name: 'Dora Weiß', grants: [{ role: 'viewer', sites: '*' }], disabled: true },
];

/** @returns the id of a person */
export async function addFleet(lanreach: FilledSystem): Promise<string> {
  for (const [site, tags] of Object.entries(TAGS))
    await succeed(lanreach, 'PATCH', `/sites/${site}`, { body: { tags } });
  const { people } = lanreach.context;
  const ids = PEOPLE.map(({ name }) => personId(ISSUER, name));
  const lastSignInAt = new Date(Date.now() - 3 * 3_600_000).toISOString();
  for (const [i, { name, grants, disabled = false }] of PEOPLE.entries()) {
    const id = ids[i] ?? '';
    const email = `${name.split(' ')[0]?.toLowerCase()}@example.org`;
    const about = { id, issuer: ISSUER, subject: name, name, email, grants, isDisabled: disabled, lastSignInAt };
    await people.change(id, () => ({ ...about, grantsBy: i === 1 ? 'hand' : 'claims', createdAt: lastSignInAt }));
  }
  const checks = [{ label: 'Resolver', kind: 'dns', name: 'intranet.example.org' }];
  await succeed(lanreach, 'PUT', '/templates/rented', {
    body: { tags: ['private'], settings: { timeZone: 'Europe/Berlin', updates: { mode: 'auto' } }, checks },
  });
  return ids[1] ?? '';
}
