/** `lanreach people …`: who signs in with the identity provider, and their roles. */
import { Option } from 'commander';
import type { Client } from '../../client/client.ts';
import type { BodyOf } from '../../client/routes.ts';
import type { Grant, Person } from '../../shared/api/records.ts';
import { ROLES } from '../../shared/words.ts';
import { Failure } from '../client/failure.ts';
import { type Cell, type Fields, fields, muted, state, table, time } from '../client/text.ts';
import type { Command } from '../command.ts';

interface RoleOptions {
  role: Grant['role'];
  sites: string;
}

type Change = NonNullable<BodyOf<'PATCH /people/{id}'>>;

export function addPeopleCommands(people: Command): void {
  people
    .part('list', 'list the people who have signed in or were added, with their roles; "people" alone does the same', {
      isDefault: true,
    })
    .run(({ request }) =>
      request('GET /people', {}, (answer) =>
        table(['NAME', 'EMAIL', 'ROLES', 'STATE', 'LAST SIGN-IN', 'ID'], answer.people.map(row)),
      ),
    );

  const onOne = (name: string, description: string) =>
    people.part(name, description).argument('<person>', 'an id, e-mail address or name');

  people
    .part('add', 'give a person a role before their first sign-in; the provider must have verified the address')
    .argument('<email>', 'their email address')
    .addOption(new Option('--role <role>').choices(ROLES).makeOptionMandatory())
    .requiredOption('--sites <sites>', SITES)
    .run(async ({ client, show }, email: string, { role: given, sites }: RoleOptions) => {
      const { person } = await client.ask('POST /people', { body: { email, grants: [grantOf(given, sites)] } });
      await show(person, () => described(person));
    });

  onOne('show', 'show a person').run(async ({ client, show }, person: string) => {
    const found = await find(client, person);
    await show(found, () => described(found));
  });

  const change = (command: Command, changeOf: (found: Person, options: RoleOptions) => Change) =>
    command.run(async ({ client, show }, named: string, options: RoleOptions) => {
      const found = await find(client, named);
      const question = { params: { id: found.id }, body: changeOf(found, options) };
      const { person } = await client.ask('PATCH /people/{id}', question);
      await show(person, () => described(person));
    });
  const role = (command: Command) =>
    command.addOption(new Option('--role <role>').choices(ROLES).makeOptionMandatory());

  change(
    role(onOne('grant', 'give a person a role, in place of the sites that the role had'))
      .requiredOption('--sites <sites>', SITES)
      .addHelpText('after', '\nRoles that you give stay when the provider sends others: see "people follow-provider".'),
    ({ grants }, { role: given, sites }) => ({
      was: grants,
      grants: [...without(grants, given), grantOf(given, sites)],
    }),
  );
  change(role(onOne('revoke', 'take a role from a person')), ({ grants }, { role: taken }) => ({
    was: grants,
    grants: without(grants, taken),
  }));
  change(onOne('follow-provider', 'let the claims of the provider decide again, from the next sign-in'), () => ({
    grants: null,
  }));
  change(onOne('disable', 'refuse all requests of a person from now on'), () => ({ isDisabled: true }));
  change(onOne('enable', 'accept requests of a person again'), () => ({ isDisabled: false }));

  onOne('remove', 'forget a person and revoke their tokens; to keep them out, disable them instead')
    .withYes()
    .run(async ({ client, confirm, request, note }, person: string) => {
      const { id, name } = await find(client, person);
      await confirm(`Remove ${name} and revoke their tokens?`);
      const { revoked } = await request('DELETE /people/{id}', { params: { id } });
      note(`${name} is removed; tokens and sessions revoked: ${revoked}.`);
    });
}

async function find(client: Client, wanted: string): Promise<Person> {
  const { people } = await client.ask('GET /people');
  const is = (text: string | null) => text?.toLowerCase() === wanted.toLowerCase();
  const found = people.filter(({ id, email, name }) => is(id) || is(email) || is(name));
  if (found.length === 1) return found[0]!;
  if (found.length === 0) throw new Failure('notFound', `No person has the id, e-mail address or name "${wanted}"`);
  throw new Failure('usage', `Several people match "${wanted}": name one by its id, as "people list" shows it`);
}

const SITES = 'where: ids and tags, such as home,tag:customers, or all';

const grantOf = (role: Grant['role'], sites: string): Grant => ({
  role,
  sites: sites === 'all' ? '*' : sites.split(','),
});

const without = (grants: readonly Grant[], role: Grant['role']) => grants.filter((grant) => grant.role !== role);

function rolesText(grants: readonly Grant[]): string {
  return grants.map(({ role, sites }) => `${role} at ${sites === '*' ? 'all' : sites.join(',')}`).join('; ') || '-';
}

const stateOf = ({ isDisabled, isInvited, grants }: Person) =>
  isDisabled ? 'disabled' : grants.length === 0 ? 'no role' : isInvited ? 'invited' : 'active';

function row(person: Person): Cell[] {
  const { id, name, email, grants, isInvited, lastSignInAt } = person;
  const seen = isInvited ? '-' : time(lastSignInAt);
  return [name, email ?? '-', rolesText(grants), state(stateOf(person)), seen, muted(id)];
}

function described(person: Person): Fields {
  const { id, name, email, grants, grantsBy, issuer, subject, createdAt, lastSignInAt } = person;
  return fields({
    ...{ name, email: email ?? '-', state: state(stateOf(person)), roles: rolesText(grants) },
    'roles by': grantsBy === 'claims' ? 'the provider' : 'hand',
    ...{ issuer, subject, 'first sign-in': time(createdAt), 'last sign-in': time(lastSignInAt), id: muted(id) },
  });
}
