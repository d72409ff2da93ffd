/** `lanreach people …`: who signs in with the identity provider, and their roles. */
import { type Command, Option } from 'commander';
import type { Grant, Person } from '../../shared/api/records.ts';
import { ROLES } from '../../shared/words.ts';
import type { Api } from '../client/api.ts';
import { Failure } from '../client/failure.ts';
import { confirm } from '../client/question.ts';
import { noteUnreadable, openSession } from '../client/session.ts';
import { type Cell, fields, muted, state, table, time } from '../client/text.ts';
import { type YesOption, yesOption } from './yes-option.ts';

interface RoleOptions {
  role: Grant['role'];
  sites: string;
}

type Change = { grants: Grant[] | null } | { isDisabled: boolean };

export function addPeopleCommands(people: Command): void {
  people
    .command('list', { isDefault: true })
    .description('list the people who have signed in or were added, with their roles; "people" alone does the same')
    .action(async (_options: object, command: Command) => {
      const session = openSession(command);
      const answer = await session.client.ask('GET /people');
      await session.show(answer, () =>
        table(['NAME', 'EMAIL', 'ROLES', 'STATE', 'LAST SIGN-IN', 'ID'], answer.people.map(row)),
      );
      noteUnreadable(session, answer.unreadable);
    });

  const onOne = (name: string, description: string) =>
    people.command(name).description(description).argument('<person>', 'an id, e-mail address or name');

  people
    .command('add')
    .description('give a person a role before their first sign-in; the provider must have verified the address')
    .argument('<email>', 'their email address')
    .addOption(new Option('--role <role>').choices(ROLES).makeOptionMandatory())
    .requiredOption('--sites <sites>', SITES)
    .action(async (email: string, { role: given, sites }: RoleOptions, command: Command) => {
      const { client, show } = openSession(command);
      const body = { email, grants: [grantOf(given, sites)] };
      const { person } = await client.ask('POST /people', { body });
      await show(person, () => fields(described(person)));
    });

  onOne('show', 'show a person').action(async (person: string, _options: object, command: Command) => {
    const { client, show } = openSession(command);
    const found = await find(client, person);
    await show(found, () => fields(described(found)));
  });

  const change = (command: Command, changeOf: (found: Person, options: RoleOptions) => Change) =>
    command.action(async (person: string, options: RoleOptions) => {
      const { client, show } = openSession(command);
      const found = await find(client, person);
      const body = changeOf(found, options);
      const answer = await client.ask('PATCH /people/{id}', { params: { id: found.id }, body });
      await show(answer.person, () => fields(described(answer.person)));
    });
  const role = (command: Command) =>
    command.addOption(new Option('--role <role>').choices(ROLES).makeOptionMandatory());

  change(
    role(onOne('grant', 'give a person a role, in place of the sites that the role had'))
      .requiredOption('--sites <sites>', SITES)
      .addHelpText('after', '\nRoles that you give stay when the provider sends others: see "people follow-provider".'),
    ({ grants }, { role: given, sites }) => ({
      grants: [...without(grants, given), grantOf(given, sites)],
    }),
  );
  change(role(onOne('revoke', 'take a role from a person')), ({ grants }, { role: taken }) => ({
    grants: without(grants, taken),
  }));
  change(onOne('follow-provider', 'let the claims of the provider decide again, from the next sign-in'), () => ({
    grants: null,
  }));
  change(onOne('disable', 'refuse all requests of a person from now on'), () => ({ isDisabled: true }));
  change(onOne('enable', 'accept requests of a person again'), () => ({ isDisabled: false }));

  onOne('remove', 'forget a person and revoke their tokens; to keep them out, disable them instead')
    .addOption(yesOption())
    .action(async (person: string, { yes }: YesOption, command: Command) => {
      const { client, show, note, world } = openSession(command);
      const { id, name } = await find(client, person);
      await confirm(world, `Remove ${name} and revoke their tokens?`, yes);
      const answer = await client.ask('DELETE /people/{id}', { params: { id } });
      await show(answer, () => '');
      note(`${name} is removed; tokens and sessions revoked: ${answer.revoked}.`);
    });
}

async function find(client: Api, wanted: string): Promise<Person> {
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

function described(person: Person): Record<string, Cell> {
  const { id, name, email, grants, grantsBy, issuer, subject, createdAt, lastSignInAt } = person;
  return {
    ...{ name, email: email ?? '-', state: state(stateOf(person)), roles: rolesText(grants) },
    'roles by': grantsBy === 'claims' ? 'the provider' : 'hand',
    ...{ issuer, subject, 'first sign-in': time(createdAt), 'last sign-in': time(lastSignInAt), id: muted(id) },
  };
}
