/** The values of attributes as they are in the JSON of DynamoDB: each in an object whose name says the type. */

/** The types that our items consist of. */
export type Scalar = string | number | Uint8Array;

/** A text, a number in decimal notation, or bytes in base64. */
export type AttributeValue = { S: string } | { N: string } | { B: string };
export type Attributes = Record<string, AttributeValue>;

/** @throws {TypeError} for a value that DynamoDB could not store, or not give back as it was */
export function toAttributes(values: Readonly<Record<string, Scalar>>): Attributes {
  const attributes: Attributes = {};
  for (const name of Object.keys(values)) attributes[name] = toAttribute(name, values[name]);
  return attributes;
}

function toAttribute(name: string, value: unknown): AttributeValue {
  if (typeof value === 'string') return { S: value };
  // Beyond that, different numbers become the same one in JavaScript.
  if (typeof value === 'number' && Math.abs(value) <= Number.MAX_SAFE_INTEGER) return { N: String(value) };
  if (value instanceof Uint8Array) {
    return { B: Buffer.from(value.buffer, value.byteOffset, value.byteLength).toString('base64') };
  }
  throw new TypeError(`the attribute ${name} has a value that cannot be stored: ${typeof value}`);
}

/** The values of an item that was read. Attributes of other types, which we never write, are left out. */
export function fromAttributes(attributes: Readonly<Attributes>): Record<string, Scalar> {
  const values: Record<string, Scalar> = {};
  for (const name of Object.keys(attributes)) {
    const value = attributes[name];
    if (value === undefined) continue;
    if ('S' in value) values[name] = value.S;
    else if ('N' in value) values[name] = Number(value.N);
    else if ('B' in value) values[name] = bytes(value.B);
  }
  return values;
}

function bytes(base64: string): Uint8Array {
  const { buffer, byteOffset, byteLength } = Buffer.from(base64, 'base64');
  return new Uint8Array(buffer, byteOffset, byteLength);
}
