/**
 * JSON Schema (2020-12, the dialect of OpenAPI 3.1) of zod schemas, with the named ones as shared components. By zod's own
 * converter: zod-openapi would save the fifty lines here that name components, but does not support AsyncAPI, and requires
 * Node.js 22.14; others, such as zod-to-openapi, have converters of their own, which lose patterns and bounds.
 */
import * as z from 'zod';

export type JsonSchema = z.core.JSONSchema.BaseSchema;

/** `input`: of requests. `output`: of answers. */
type Direction = 'input' | 'output';

/**
 * Marks a text or an object for which the service checks more than JSON Schema can express; the description has the rule.
 * Automatic for schemas with a transform or a refinement.
 */
const CHECKED_FURTHER = 'x-checked-further';

/** The components of one document. A schema with an id (`.meta({ id })`) becomes a component, and all others refer to it. */
export class SchemaComponents {
  readonly schemas: Record<string, JsonSchema> = {};

  /** The schema, or a reference to it if it has an id. */
  of(schema: z.core.$ZodType, direction: Direction): JsonSchema {
    // In an object, because zod never references the outermost schema.
    const { $defs = {}, properties } = convert(z.object({ it: schema }), direction);
    for (const [name, definition] of Object.entries($defs)) this.add(name, definition as JsonSchema);
    return withComponentRefs(properties?.it) as JsonSchema;
  }

  /** A reference to the schema as a component: under its own id, or else under this name. */
  named(name: string, schema: z.core.$ZodType, direction: Direction): JsonSchema {
    const json = this.of(schema, direction);
    if (Object.keys(json).join() === '$ref') return json;
    const text = JSON.stringify(json);
    const same = Object.entries(this.schemas).find(([, known]) => JSON.stringify(known) === text);
    if (same === undefined) this.add(name, json);
    return { $ref: `#/components/schemas/${same?.[0] ?? name}` };
  }

  /** @throws {Error} if another schema has this name, or if zod chose it: client generators name classes by it */
  add(name: string, schema: JsonSchema): void {
    if (name.startsWith('__')) throw new Error('A schema refers to itself, and has no id');
    const component = withComponentRefs(schema) as JsonSchema;
    const known = this.schemas[name];
    if (known !== undefined && JSON.stringify(known) !== JSON.stringify(component)) {
      throw new Error(`Two schemas are called ${name}, or it differs in requests and answers: give one another id`);
    }
    this.schemas[name] = component;
  }
}

function convert(schema: z.core.$ZodType, direction: Direction): JsonSchema {
  return z.toJSONSchema(schema, {
    target: 'draft-2020-12',
    io: direction,
    unrepresentable: 'any',
    override: (found) => adapt(found.zodSchema, found.jsonSchema, direction),
  });
}

/** Corrects the output of zod for one schema, in place. */
function adapt(schema: z.core.$ZodTypes, json: JsonSchema, direction: Direction): void {
  const { def } = schema._zod;
  if (def.type === 'pipe' && def.out._zod.def.type === 'transform' && direction === 'output') {
    // In answers, the result of a transform is a text again.
    const { $schema: _, ...before } = convert(def.in, 'output');
    Object.assign(json, before, { ...json });
  }
  if (def.type === 'pipe' && def.out._zod.def.type === 'number') {
    // A number in a query, which is a text there.
    const { $schema: _, ...number } = convert(def.out, direction);
    for (const key of ['type', 'pattern', 'maxLength'] as const) delete json[key];
    Object.assign(json, number);
  }
  if (direction === 'input' && isCheckedFurther(schema)) Object.assign(json, { [CHECKED_FURTHER]: true });
  // Clients must expect new fields in answers. zod itself would drop them.
  if (def.type === 'object' && direction === 'output' && def.catchall === undefined) delete json.additionalProperties;
  if (def.type === 'object' && direction === 'input') {
    // zod treats a field with a preprocess as optional, because that might supply a value.
    const required = Object.entries(def.shape).filter(([, field]) => !z.safeParse(field, undefined).success);
    if (required.length > 0) json.required = required.map(([name]) => name);
  }
  // Client generators treat a field with a default as always present, and require it in requests.
  if (def.type === 'object') Object.values(json.properties ?? {}).forEach(describeDefault);
  // The bounds of numbers in JavaScript matter only in requests.
  if (direction === 'output' && json.maximum === Number.MAX_SAFE_INTEGER) delete json.maximum;
  if (direction === 'output' && json.minimum === Number.MIN_SAFE_INTEGER) delete json.minimum;
  if (def.type === 'tuple' && def.rest === null) {
    const [first, ...others] = json.prefixItems ?? [];
    Object.assign(json, { minItems: def.items.length, maxItems: def.items.length });
    // Most tools do not support `prefixItems`.
    if (others.every((other) => JSON.stringify(other) === JSON.stringify(first))) {
      delete json.prefixItems;
      json.items = first as JsonSchema;
    }
  }
  if (def.type === 'union' && def.options.every((option) => option._zod.def.type === 'literal')) {
    const values = (json.anyOf ?? []).map((option) => (option as JsonSchema).const);
    if (values.length > 0 && values.every((value) => typeof value === 'number')) {
      delete json.anyOf;
      Object.assign(json, { type: 'integer', enum: values });
    }
  }
}

function describeDefault(field: JsonSchema | boolean): void {
  if (typeof field === 'boolean' || field.default === undefined) return;
  const { description, default: value } = field;
  delete field.default;
  field.description = [description, `Default: \`${JSON.stringify(value)}\`.`].filter(Boolean).join(' ');
}

function isCheckedFurther({ _zod: { def } }: z.core.$ZodTypes): boolean {
  if (def.type === 'pipe' && def.out._zod.def.type === 'transform') return def.in._zod.def.type === 'string';
  return def.checks?.some((check) => check._zod.def.check === 'custom') ?? false;
}

/** A copy with `#/$defs/<name>` replaced by `#/components/schemas/<name>`. */
function withComponentRefs(json: unknown): unknown {
  if (Array.isArray(json)) return json.map(withComponentRefs);
  if (typeof json !== 'object' || json === null) return json;
  return Object.fromEntries(
    Object.entries(json).map(([key, value]) => [
      key,
      key === '$ref' && typeof value === 'string'
        ? value.replace(/^#\/\$defs\//, '#/components/schemas/')
        : withComponentRefs(value),
    ]),
  );
}
