/** The people who have signed in, with their roles. */
import texts from 'messages:people';
import { Plus, UserRound } from 'lucide-react';
import { useState } from 'react';
import { Link } from 'wouter';
import type { Person } from '../../../shared/api/records.ts';
import { useAnswer } from '../../api/queries.ts';
import { useRights } from '../../api/rights.ts';
import { Button, LinkButton } from '../../ui/button.tsx';
import { List } from '../../ui/list.tsx';
import type { Column } from '../../ui/table.tsx';
import { Time } from '../../ui/time.tsx';
import { AdminPage } from '../admin/admin-page.tsx';
import cards from '../admin/cards.module.css';
import { MakeToken } from '../tokens/invite.tsx';
import { Grants, PersonState, stateOf } from './person-state.tsx';
import { RolesDialog } from './roles-dialog.tsx';

export default function People() {
  const { data } = useAnswer('GET /sign-in', {}, { everyMs: 0 });
  const hasProvider = data?.provider !== null;
  const [isAdding, setAdding] = useState(false);
  const buttons = (
    <>
      <MakeToken kind="person" isPrimary={!hasProvider} />
      {hasProvider ? (
        <Button look="primary" onClick={() => setAdding(true)} icon={<Plus />}>
          {texts.add}
        </Button>
      ) : null}
    </>
  );
  return (
    <AdminPage tab="people" needs={texts.needsAdmin} actions={data === undefined ? undefined : buttons}>
      <PeopleList hasProvider={hasProvider} />
      {isAdding ? <RolesDialog person={null} onClose={() => setAdding(false)} /> : null}
    </AdminPage>
  );
}

function PeopleList({ hasProvider }: { hasProvider: boolean }) {
  const people = useAnswer('GET /people');
  return (
    <>
      <p className="text-muted">{texts.intro}</p>
      <div className={`${cards.cards} max-700:[&_table_td]:block max-700:[&_table_td]:h-auto ${cards.people}`}>
        <List
          of={people}
          pages={people.data && [people.data]}
          rows={({ people: all }) => inOrder(all)}
          keyOf={({ id }) => id}
          label={texts.list}
          columns={COLUMNS}
          empty={{
            title: hasProvider ? texts.none : texts.noProvider,
            hint: hasProvider ? texts.noneWhy : texts.noProviderWhy,
            icon: UserRound,
            action: hasProvider ? undefined : <LinkButton to="/admin/tokens">{texts.toTokens}</LinkButton>,
          }}
          unreadable={texts.unreadable}
        />
      </div>
    </>
  );
}

/** First those that wait for a role, then by name. */
function inOrder(people: readonly Person[]): Person[] {
  const isWaiting = (person: Person) => stateOf(person) === 'waiting';
  return [...people].sort((a, b) => Number(isWaiting(b)) - Number(isWaiting(a)) || a.name.localeCompare(b.name));
}

const COLUMNS: Column<Person>[] = [
  { heading: texts.name, cell: (person) => <Name person={person} /> },
  { heading: texts.roles, cell: ({ grants }) => <Grants grants={grants} /> },
  { heading: texts.state, cell: (person) => <PersonState person={person} /> },
  { heading: texts.lastSignIn, cell: ({ isInvited, lastSignInAt }) => (isInvited ? '–' : <Time at={lastSignInAt} />) },
];

function Name({ person: { id, name, email, grants, grantsBy, isInvited } }: { person: Person }) {
  const own = useRights().person;
  return (
    <div className="grid min-w-[14ch] [&_a]:font-[550] [&_a]:text-text [&_a]:no-underline [&_a:hover]:underline">
      <Link href={`/admin/people/${id}`} data-foreign>
        {name}
      </Link>
      <span className="text-muted wrap-anywhere">
        {[
          id === own ? texts.you : '',
          isInvited ? '' : (email ?? ''),
          isInvited || grants.length === 0 ? '' : texts.by[grantsBy],
        ]
          .filter((part) => part !== '')
          .join(' · ')}
      </span>
    </div>
  );
}
