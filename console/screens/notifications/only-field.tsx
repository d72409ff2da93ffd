/** The devices that a notification is limited to: kinds, groups and single devices, each a token that can be removed. */
import texts from 'messages:notifications';
import { useState } from 'react';
import { KINDS } from '../../../shared/recognition/kind-table.ts';
import { useAnswer } from '../../api/queries.ts';
import { kindText } from '../../text/kind-texts.ts';
import { Chip } from '../../ui/chip.tsx';
import { Combobox, type Suggestion } from '../../ui/combobox.tsx';
import { useSettled } from '../../ui/use-settled.ts';

interface Props {
  site: string;
  value: readonly string[];
  error: string | undefined;
  onChange: (value: string[]) => void;
}

const PAUSE_MS = 150;
const MAX_DEVICES = 8;
const MAX_KINDS = 5;
/** Limit of the API for each kind. */
const MAX_TOKENS = 100;

export function OnlyField({ site, value, error, onChange }: Props) {
  const [typed, setTyped] = useState('');
  const [names, setNames] = useState<ReadonlyMap<string, string>>(new Map());
  const text = useSettled(typed.trim(), PAUSE_MS);
  const { data } = useAnswer(
    'GET /devices',
    { site, query: { text, limit: MAX_DEVICES } },
    { everyMs: 0, when: text !== '' && text.length <= 256 },
  );
  const devices = (text === '' ? undefined : data?.devices)?.flatMap((device) =>
    'devMAC' in device && typeof device.devMAC === 'string' && device.devMAC !== ''
      ? [{ value: `device:${device.devMAC}`, label: String(device.devName), about: texts.onlyDevices }]
      : [],
  );
  const query = typed.trim();
  const fitting = (word: string) => word.toLowerCase().includes(query.toLowerCase());
  const kinds = Object.values(KINDS)
    .map(({ label }) => ({ value: `type:${label}`, label: kindText(label), about: texts.onlyTypes }))
    .filter(({ label }) => fitting(label));
  const suggestions: Suggestion[] = [
    ...(fitting(texts.onlyFavourites) ? [{ value: 'favourites', label: texts.onlyFavourites }] : []),
    ...kinds.slice(0, query === '' ? Infinity : MAX_KINDS),
    ...(devices ?? []),
    ...(query === '' ? [] : [{ value: `group:${query}`, label: query, about: texts.onlyGroups }]),
  ].filter((one) => !value.includes(one.value));

  return (
    <div className="grid gap-2 min-w-0">
      <Combobox
        label={texts.onlyAdd}
        hint={texts.onlyHint}
        error={error}
        maxLength={200}
        value={typed}
        onChange={setTyped}
        suggestions={value.length < MAX_TOKENS ? suggestions : []}
        onTake={(taken) => {
          setTyped('');
          setNames(new Map([...names, [taken.value, String(taken.label)]]));
          onChange([...value, taken.value]);
        }}
      />
      {value.length === 0 ? null : (
        <div className="flex flex-wrap gap-1">
          {value.map((token) => (
            <Chip
              key={token}
              removeLabel={texts.onlyRemove({ what: nameOf(token, names) })}
              onRemove={() => onChange(value.filter((one) => one !== token))}
            >
              {nameOf(token, names)}
            </Chip>
          ))}
        </div>
      )}
    </div>
  );
}

function nameOf(token: string, names: ReadonlyMap<string, string>): string {
  if (token === 'favourites') return texts.onlyFavourites;
  const [, kind, rest = ''] = /^(\w+):(.*)$/s.exec(token) ?? [];
  return kind === 'type' ? kindText(rest) : (names.get(token) ?? rest);
}
