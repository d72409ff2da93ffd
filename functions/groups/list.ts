/** Every group. The local server, the stack and the tests of the built functions read this list. */
import type { tables } from '../../shared/api/tables.ts';
import { adminGroup } from './admin.ts';
import { consoleGroup } from './console.ts';
import { devicesGroup } from './devices.ts';
import { mcpGroup } from './mcp.ts';
import { monitorsGroup } from './monitors.ts';
import { nettoolsGroup } from './nettools.ts';
import { signInGroup } from './sign-in.ts';

export const groups = {
  devices: devicesGroup,
  nettools: nettoolsGroup,
  monitors: monitorsGroup,
  admin: adminGroup,
  mcp: mcpGroup,
  signin: signInGroup,
  console: consoleGroup,
} as const;

type Groups = typeof groups;
type ServedTable = { [Name in keyof Groups]: keyof Groups[Name]['routes'] }[keyof Groups];
/** A table of operations that no group serves does not compile. */
({}) satisfies Record<Exclude<keyof typeof tables, ServedTable>, never>;
