/** The state and the roles of a person, in words. */
import texts from 'messages:people';
import roleTexts from 'messages:roles';
import type { Person } from '../../../shared/api/records.ts';
import { useKnownSites } from '../../api/known-sites.ts';
import { selectionText } from '../../text/site-texts.ts';
import { Status, type Tone } from '../../ui/status.tsx';

type State = keyof typeof texts.states;

const TONES: Readonly<Record<State, Tone>> = { active: 'good', invited: 'calm', waiting: 'warn', disabled: 'bad' };

export function stateOf({ isDisabled, isInvited, grants }: Pick<Person, 'isDisabled' | 'isInvited' | 'grants'>): State {
  if (isDisabled) return 'disabled';
  if (grants.length === 0) return 'waiting';
  return isInvited ? 'invited' : 'active';
}

export function PersonState({ person }: { person: Person }) {
  const state = stateOf(person);
  return <Status tone={TONES[state]}>{texts.states[state]}</Status>;
}

/** Each role with its sites. */
export function Grants({ grants }: Pick<Person, 'grants'>) {
  const { nameOf } = useKnownSites();
  if (grants.length === 0) return <span className="text-muted">{roleTexts.none}</span>;
  return (
    <ul className="grid gap-0.5 [&_strong]:font-[550]">
      {grants.map((grant) => (
        <li key={`${grant.role} ${String(grant.sites)}`}>
          <strong>{roleTexts.names[grant.role]}</strong>{' '}
          <span className="text-muted" data-foreign>
            {selectionText(grant.sites, nameOf)}
          </span>
        </li>
      ))}
    </ul>
  );
}
