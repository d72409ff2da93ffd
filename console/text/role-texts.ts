/** What the roles are called, and what each may do. */
import type { Role } from '../../shared/roles.ts';
import { inLanguage } from './language.ts';
import { german } from './role-texts.de.ts';

export const roleTexts = inLanguage(
  {
    names: { viewer: 'Viewer', operator: 'Operator', admin: 'Admin' } satisfies Record<Role, string>,
    hints: {
      viewer: 'Sees devices, events and sites. Changes nothing.',
      operator: 'Also edits devices, wakes them and runs scans.',
      admin: 'Does everything, also tokens, agents and settings.',
    } satisfies Record<Role, string>,
    at: (role: string, sites: string) => `${role} · ${sites}`,
    none: 'No role',
  },
  german,
);
