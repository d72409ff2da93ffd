/** What speaks the REST API of NetBox, with its refusals, in memory. */

type Stored = { id: number } & Record<string, unknown>;

interface Kind {
  /** Fields without which NetBox makes none. */
  required: readonly string[];
  /** Fields that refer to another object, and its list. */
  refers?: Readonly<Record<string, string>>;
  /** Fields that no two have alike, in any letter case. */
  unique?: readonly (readonly string[])[];
  /** What NetBox gives to a new one. */
  defaults?: object;
}

const KINDS: Readonly<Record<string, Kind>> = {
  'extras/tags': { required: ['name', 'slug'], unique: [['name'], ['slug']] },
  'extras/custom-fields': { required: ['name', 'type', 'object_types'], unique: [['name']] },
  'dcim/sites': { required: ['name', 'slug'], unique: [['name'], ['slug']] },
  'dcim/manufacturers': { required: ['name', 'slug'], unique: [['name'], ['slug']] },
  'dcim/device-roles': { required: ['name', 'slug'], unique: [['name'], ['slug']] },
  'dcim/device-types': {
    required: ['manufacturer', 'model', 'slug'],
    refers: { manufacturer: 'dcim/manufacturers' },
    unique: [
      ['manufacturer', 'model'],
      ['manufacturer', 'slug'],
    ],
  },
  'dcim/devices': {
    required: ['device_type', 'role', 'site'],
    refers: {
      ...{ device_type: 'dcim/device-types', role: 'dcim/device-roles', site: 'dcim/sites' },
      ...{ primary_ip4: 'ipam/ip-addresses', primary_ip6: 'ipam/ip-addresses' },
    },
    unique: [['name', 'site']],
    defaults: { name: null, primary_ip4: null, primary_ip6: null, status: 'active' },
  },
  'dcim/interfaces': {
    required: ['device', 'name', 'type'],
    refers: { device: 'dcim/devices', primary_mac_address: 'dcim/mac-addresses' },
    unique: [['device', 'name']],
    defaults: { primary_mac_address: null },
  },
  'dcim/mac-addresses': {
    required: ['mac_address'],
    defaults: { assigned_object_type: null, assigned_object_id: null },
  },
  'ipam/vrfs': { required: ['name'] },
  'ipam/ip-addresses': {
    required: ['address'],
    refers: { vrf: 'ipam/vrfs' },
    unique: [['address', 'vrf']],
    defaults: { vrf: null, assigned_object_type: null, assigned_object_id: null },
  },
};

export class FakeNetBox {
  readonly token = '0123456789abcdef0123456789abcdef01234567';
  version = '4.2.3';
  /** Fewer than anybody asks for. */
  maxPage = 7;
  /** Answers that are given first, in their place. */
  readonly instead: (() => Response)[] = [];
  /** Requests that have changed something. */
  writes = 0;
  readonly #lists = new Map<string, Stored[]>(Object.keys(KINDS).map((list) => [list, []]));
  #lastId = 0;

  /** The objects of a list, as they are stored: references are ids. */
  all(list: string): Stored[] {
    return this.#lists.get(list)!;
  }

  /** What a person enters. */
  enter(list: string, object: Record<string, unknown>): Stored {
    const refusal = this.#refusal(list, object, null);
    if (refusal !== null) throw new Error(JSON.stringify(refusal));
    const made = { tags: [], custom_fields: {}, ...KINDS[list]!.defaults, ...object, id: ++this.#lastId };
    this.all(list).push(made);
    return made;
  }

  fetch = async (request: Request): Promise<Response> => {
    const instead = this.instead.shift();
    if (instead !== undefined) return instead();
    if (request.headers.get('authorization') !== `Token ${this.token}`) return json(403, { detail: 'Invalid token' });
    const { pathname, searchParams } = new URL(request.url);
    if (pathname === '/netbox/api/status/') return json(200, { 'netbox-version': this.version });
    const [, list = ''] = /^\/netbox\/api\/(\w+\/[\w-]+)\/$/.exec(pathname) ?? [];
    if (!this.#lists.has(list)) return new Response('<h1>Not found</h1>', { status: 404 });
    if (request.method === 'GET') return this.#page(list, searchParams);
    this.writes++;
    const objects = (await request.json()) as Record<string, unknown>[];
    return request.method === 'POST' ? this.#create(list, objects) : this.#change(list, objects);
  };

  #page(list: string, query: URLSearchParams): Response {
    const paging = new Set(['limit', 'offset', 'ordering', 'exclude', 'brief']);
    const names = [...new Set(query.keys())].filter((name) => !paging.has(name));
    const found = this.all(list).filter((one) =>
      names.every((name) => query.getAll(name).some((value) => this.#matches(list, one, name, value))),
    );
    const offset = Number(query.get('offset') ?? 0);
    const limit = Math.min(Number(query.get('limit') ?? 50), this.maxPage);
    const results = found.slice(offset, offset + limit).map((one) => this.#shown(list, one));
    return json(200, { count: found.length, next: 'http://elsewhere.invalid/', previous: null, results });
  }

  #matches(list: string, one: Stored, name: string, value: string): boolean {
    const shown = this.#shown(list, one);
    if (name === 'interface_id') return String(one.assigned_object_id) === value;
    if (name === 'address') return String(one.address).split('/')[0] === value.split('/')[0];
    if (name === 'vrf_id') return String(one.vrf) === value;
    const field = name.replace(/_id$/, '');
    if (field !== name) return String(one[field]) === value;
    if (!(name in shown)) throw new Error(`unknown filter ${name}`);
    return String(one[name]).toLowerCase() === value.toLowerCase();
  }

  #shown(list: string, one: Stored): Stored {
    const shown: Stored = { ...one };
    for (const [field, other] of Object.entries(KINDS[list]!.refers ?? {})) {
      const object = this.all(other).find(({ id }) => id === one[field]);
      shown[field] = object === undefined ? null : { id: object.id, name: object.name, slug: object.slug };
    }
    if (list === 'dcim/interfaces') {
      const mac = this.all('dcim/mac-addresses').find(({ id }) => id === one.primary_mac_address);
      shown.mac_address = mac?.mac_address ?? null;
    }
    const on = this.all('dcim/interfaces').find(({ id }) => id === one.assigned_object_id);
    if ('assigned_object_id' in one) shown.assigned_object = on ? this.#shown('dcim/interfaces', on) : null;
    return shown;
  }

  /** All of them or none. */
  #create(list: string, objects: readonly Record<string, unknown>[]): Response {
    const before = [...this.all(list)];
    const refusals: object[] = [];
    const made: Stored[] = [];
    for (const object of objects) {
      const refusal = this.#refusal(list, object, null);
      refusals.push(refusal ?? {});
      if (refusal === null) made.push(this.enter(list, object));
    }
    if (made.length === objects.length)
      return json(
        201,
        made.map((one) => this.#shown(list, one)),
      );
    this.#lists.set(list, before);
    return json(400, refusals);
  }

  #change(list: string, objects: readonly Record<string, unknown>[]): Response {
    const before = this.all(list).map((one) => ({ ...one }));
    for (const object of objects) {
      const one = this.all(list).find(({ id }) => id === object.id);
      const refusal =
        one === undefined ? { id: ['Object not found.'] } : this.#refusal(list, { ...one, ...object }, one);
      if (refusal !== null) {
        this.#lists.set(list, before);
        return json(400, refusal);
      }
      const { custom_fields: fields, ...rest } = object;
      Object.assign(
        one!,
        rest,
        fields === undefined ? {} : { custom_fields: { ...(one!.custom_fields as object), ...(fields as object) } },
      );
    }
    return json(
      200,
      objects.map(({ id }) => this.#shown(list, this.all(list).find((one) => one.id === id)!)),
    );
  }

  /** What is wrong with an object, by its fields; null when nothing is. */
  #refusal(list: string, object: Record<string, unknown>, own: Stored | null): Record<string, string[]> | null {
    const { required, refers = {}, unique = [] } = KINDS[list]!;
    for (const field of required) if (object[field] === undefined) return { [field]: ['This field is required.'] };
    for (const [field, other] of Object.entries(refers)) {
      const id = object[field] ?? null;
      if (id !== null && !this.all(other).some((one) => one.id === id)) {
        return { [field]: [`Related object not found using the provided numeric ID: ${id}`] };
      }
    }
    for (const tag of (object.tags ?? []) as { slug: string }[]) {
      if (!this.all('extras/tags').some(({ slug }) => slug === tag.slug)) return { tags: ['Related object not found'] };
    }
    for (const field of Object.keys((object.custom_fields ?? {}) as object)) {
      const isKnown = this.all('extras/custom-fields').some(({ name }) => name === field);
      if (!isKnown) return { custom_fields: [`Unknown field name '${field}' in custom field data.`] };
    }
    if (String(object.name ?? '').length > 64) return { name: ['Ensure this field has no more than 64 characters.'] };
    for (const fields of unique) {
      const keyOf = (one: Record<string, unknown>) =>
        fields.map((field) => String(one[field] ?? null).toLowerCase()).join('\n');
      const same = this.all(list).some((one) => one !== own && keyOf(one) === keyOf(object));
      if (same) return { __all__: [`${fields.join(' and ')} must be unique.`] };
    }
    return null;
  }
}

function json(status: number, body: unknown): Response {
  return new Response(JSON.stringify(body), { status, headers: { 'content-type': 'application/json' } });
}
