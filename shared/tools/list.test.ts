import { expect, test } from 'vitest';
import { TOOL_COMMANDS } from './commands.ts';
import { Command, TOOL, TOOLS } from './list.ts';

/** The command of a tool's example, as a caller writes it. */
function exampleOf(tool: (typeof TOOLS)[number]): object {
  const { arguments: declared, example } = TOOL[tool];
  const fields = new Map(Object.entries(example.request));
  const values = Object.entries(declared).map(([name, { field }]) => [name, fields.get(field)]);
  return { tool, ...Object.fromEntries(values) };
}

test.each(TOOLS)('a command of %s is the same command after its way as JSON', (tool) => {
  const json = JSON.parse(JSON.stringify(Command.parse(exampleOf(tool))));
  expect(TOOL[tool].commandJson.strict().parse(json)).toEqual(json);
  expect(JSON.parse(JSON.stringify(Command.parse(json)))).toEqual(json);
});

test('no two tools share a name or a word of the command line', () => {
  const words = Object.values(TOOL_COMMANDS).map(({ command }) => command);
  expect(new Set(TOOLS).size).toBe(TOOLS.length);
  expect(new Set(words).size).toBe(words.length);
});
