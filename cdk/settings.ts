/** What can be chosen for a deployment: context values, given as `-c name=value` or in cdk.json. */
import * as z from 'zod';

const Rate = z.coerce.number().int().positive();
const Choice = z
  .union([z.boolean(), z.stringbool({ truthy: ['yes', 'true'], falsy: ['no', 'false'] })], {
    error: 'expected yes or no',
  })
  .default(true);

const Settings = z.object({
  /** One deployment among several in the same account and region; part of the URL and of the stack's name. */
  stage: z
    .string()
    .regex(/^[a-z][a-z0-9]{0,15}$/, { error: 'expected up to 16 lower-case letters and digits' })
    .default('prod'),
  /** Web origins whose pages may call the API, separated by commas; `*` for all. */
  corsOrigins: z.string().default(''),
  /** What the gateway lets through in all, before a token is looked at. */
  requestsPerSecond: Rate.default(50),
  burst: Rate.default(100),
  /** Whether the table and the identities of the agents outlive the stack. */
  keepData: Choice,
});
export type Settings = z.infer<typeof Settings>;

/** @throws {Error} that names every value that cannot be used */
export function readSettings(context: (name: string) => unknown): Settings {
  const given = Object.keys(Settings.shape).map((name) => [name, context(name)]);
  const parsed = Settings.safeParse(Object.fromEntries(given.filter(([, value]) => value !== undefined)));
  if (parsed.success) return parsed.data;
  throw new Error(parsed.error.issues.map(({ path, message }) => `-c ${path.join('.')}: ${message}`).join('\n'));
}
