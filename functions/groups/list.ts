/** Every group. The local server, the stack and the tests of the built functions read this list. */
import type { tables } from '../../shared/api/tables.ts';
import { accessGroup } from './access.ts';
import { commandsGroup } from './commands.ts';
import { consoleGroup } from './console.ts';
import { dataGroup } from './data.ts';

export const groups = {
  data: dataGroup,
  commands: commandsGroup,
  access: accessGroup,
  console: consoleGroup,
} as const;

type Groups = typeof groups;
type ServedTable = { [Name in keyof Groups]: keyof Groups[Name]['routes'] }[keyof Groups];
/** A table of operations that no group serves does not compile. */
({}) satisfies Record<Exclude<keyof typeof tables, ServedTable>, never>;
