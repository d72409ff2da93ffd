/** Validates the result of a tool in a message of an agent or a row, neither of which is trusted. */
import * as z from 'zod';
import { TOOL, type Tool, type ToolResult } from './list.ts';

/** The result without unknown fields; null means no result. @throws {TypeError} naming the first invalid field */
export function parseToolResult(tool: Tool, result: unknown): ToolResult | null {
  return result === null ? null : (parseUpToFirstError(TOOL[tool].result, result, 'result') as ToolResult);
}

/**
 * Equivalent to `schema.parse` for the kinds of schemas that tools use, but stops at the first error. zod collects all
 * errors: for a list of 700,000 empty objects, which an agent can send in 2 KB of gzip, that takes 17 seconds and more
 * memory than a function has.
 */
function parseUpToFirstError(schema: z.core.$ZodType, value: unknown, path: string): unknown {
  if (schema instanceof z.ZodNullable) return value === null ? null : parseUpToFirstError(schema.unwrap(), value, path);
  if (schema instanceof z.ZodArray && Array.isArray(value)) {
    return value.map((item, i) => parseUpToFirstError(schema.element, item, `${path}.${i}`));
  }
  if (schema instanceof z.ZodObject && isObject(value)) {
    const fields = Object.entries(schema.shape as z.core.$ZodShape);
    return Object.fromEntries(
      fields.map(([name, field]) => [name, parseUpToFirstError(field, value[name], `${path}.${name}`)]),
    );
  }
  if (schema instanceof z.ZodRecord && isObject(value)) {
    const entries = Object.entries(value).filter(([name]) => name !== '__proto__'); // As zod does.
    return Object.fromEntries(
      entries.map(([name, item]) => [name, parseUpToFirstError(schema.valueType, item, `${path}.${name}`)]),
    );
  }
  const parsed = z.safeParse(schema, value); // A scalar, or a value of the wrong type: one error at most.
  if (parsed.success) return parsed.data;
  const [issue] = parsed.error.issues;
  throw new TypeError(`${path}: ${issue?.message.replace(/^Invalid input: /, '')}`);
}

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
