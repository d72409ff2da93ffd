/** How an operation is declared as a tool for assistants (Model Context Protocol). */
import * as z from 'zod';

/** An operation as a tool of MCP. Scope, input validation, handler and response are those of the operation. */
export interface McpTool {
  name: string;
  title: string;
  /** For a language model: what it does, when to use it, and what its response means. */
  description: string;
  /** Hints by which a client decides whether to ask its user first (MCP, `ToolAnnotations`). Default: READ_ONLY, for GET. */
  annotations?: { readOnlyHint: boolean; destructiveHint: boolean; idempotentHint: boolean; openWorldHint: boolean };
  /**
   * Arguments that differ from the operation's fields, by name: they stand for another field (default: that of their
   * own name), or are checked by a narrower schema (default: that of the field). A field that another argument stands
   * for is not an argument itself, unless it is listed. All other fields are arguments as they are.
   */
  arguments?: Readonly<Record<string, { field?: string; schema?: z.ZodType }>>;
  /** Argument that names a device by its MAC address, and here also by the IP address at which it was seen last. */
  addressable?: string;
  /** Schema of the answer in the list of tools, where that of the operation is too long for it. */
  result?: z.ZodObject;
  /** Name of the list in the result, for an operation that responds with a bare array. A result must be an object. */
  wrap?: string;
}

export const READ_ONLY = { readOnlyHint: true, destructiveHint: false, idempotentHint: true, openWorldHint: false };

/** Size of a page for assistants, which pay for every device that they read. */
export const McpLimit = z.int().min(1).max(500).default(50).describe('Entries a page.');
