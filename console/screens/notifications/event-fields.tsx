/** The events of a notification: a preset or single ones, and the filters and times. */
import eventNames from 'messages:eventNames';
import texts from 'messages:notifications';
import { useState } from 'react';
import type { EventType } from '../../../shared/api/events.ts';
import { KINDS } from '../../../shared/recognition/kind-table.ts';
import { EVENT_TYPES } from '../../../shared/words.ts';
import { useAnswer } from '../../api/queries.ts';
import { EVENT_GROUPS } from '../../text/event-groups.ts';
import { kindText } from '../../text/kind-texts.ts';
import { Chip } from '../../ui/chip.tsx';
import { Combobox, type Suggestion } from '../../ui/combobox.tsx';
import { CheckField, CheckGroup, CheckList, SelectField, TextField } from '../../ui/field.tsx';
import type { Form } from '../../ui/form.tsx';
import { Options } from '../../ui/options.tsx';
import { useSettled } from '../../ui/use-settled.ts';
import { eventsOf, PRESET_IDS, type Preset } from './chosen-events.ts';
import type { Values } from './values.ts';

/** Folded fields. */
export const MORE =
  'border border-line rounded-card [&_summary]:px-3 [&_summary]:py-1.5 [&_summary]:min-h-control [&_summary]:text-sm [&_summary]:font-medium [&_summary]:cursor-pointer';
const PAIR = 'flex flex-wrap gap-3 [&>div]:flex-[1_1_120px]';

export function EventFields({ form }: { form: Form<Values> }) {
  const { preset, events } = form.values;
  // Choosing single events starts from those of the preset.
  const choose = (next: Preset) =>
    form.set({ preset: next, ...(next === 'custom' ? { events: [...eventsOf(preset, events)] } : {}) });
  return (
    <>
      <CheckGroup label={texts.events} error={preset === 'custom' ? undefined : form.errorOf('events')}>
        <div className="grid w-full border border-line rounded-card">
          {PRESET_IDS.map((id) => (
            <label
              key={id}
              className={`flex items-baseline gap-2 min-h-control px-3 py-1.5 cursor-pointer has-checked:bg-selected first:rounded-t-card last:rounded-b-card not-first:border-t not-first:border-line [&_small]:block [&_small]:text-muted [&_small]:text-xs [&_input]:translate-y-0.75`}
            >
              <input type="radio" name="preset" checked={preset === id} onChange={() => choose(id)} />
              <span>
                {texts.presets[id]}
                {texts.presetHints[id] === '' ? null : <small>{texts.presetHints[id]}</small>}
              </span>
            </label>
          ))}
        </div>
      </CheckGroup>
      {preset === 'custom' ? <Types form={form} /> : null}
      {eventsOf(preset, events).includes('new') ? (
        <CheckField label={texts.skipRandomMacs} {...form.check('skipRandomMacs')} />
      ) : null}
    </>
  );
}

function Types({ form }: { form: Form<Values> }) {
  const { value, error, onChange } = form.list('events');
  return (
    <CheckGroup label={texts.chooseEvents} error={error}>
      {EVENT_GROUPS.map(({ label, types }) => {
        const own: readonly EventType[] = types;
        return (
          <fieldset
            key={label}
            className="w-full min-w-0 m-0 px-0 pt-1 pb-0 border-0 [&_legend]:text-muted [&_legend]:text-sm"
          >
            <legend>{label}</legend>
            <div className="grid grid-cols-[repeat(auto-fill,minmax(200px,1fr))] w-full">
              <CheckList
                options={own}
                value={value}
                onChange={(chosen) =>
                  onChange(EVENT_TYPES.filter((type) => (own.includes(type) ? chosen : value).includes(type)))
                }
                labelOf={(type) => eventNames[type]}
              />
            </div>
          </fieldset>
        );
      })}
    </CheckGroup>
  );
}

/** When a report is sent by e-mail. */
export function ReportFields({ form }: { form: Form<Values> }) {
  return (
    <>
      <SelectField label={texts.mailReport} hint={texts.mailReportHint} {...form.text('report')}>
        <Options of={texts.mailReports} />
      </SelectField>
      {form.values.report === 'none' ? null : (
        <div className={PAIR}>
          <TextField label={texts.reportAt} type="time" {...form.text('reportAt')} />
          <SelectField label={texts.reportLanguage} {...form.text('reportLanguage')}>
            <Options of={texts.languages} />
          </SelectField>
        </div>
      )}
    </>
  );
}

/** The rarer options; open if one is set. */
export function MoreFields({ site, form }: { site: string; form: Form<Values> }) {
  const { isQuiet, isOnly, digest } = form.values;
  return (
    <details className={MORE} open={isQuiet || isOnly || digest !== 'none' || undefined}>
      <summary>{texts.more}</summary>
      <div className="grid gap-3 px-3 pt-1 pb-3">
        <CheckField label={texts.quiet} hint={texts.quietHint} {...form.check('isQuiet')} />
        {isQuiet ? (
          <div className="grid gap-2 ps-7.75">
            <div className={PAIR}>
              <TextField label={texts.quietFrom} type="time" {...form.text('from')} />
              <TextField label={texts.quietTo} type="time" {...form.text('to')} />
            </div>
            <CheckField label={texts.quietExcept} {...form.check('exceptUrgent')} />
          </div>
        ) : null}
        <CheckField label={texts.only} {...form.check('isOnly')} />
        {isOnly ? (
          <div className="grid gap-2 ps-7.75">
            <OnlyField site={site} {...form.list('only')} />
          </div>
        ) : null}
        <SelectField label={texts.digest} hint={texts.digestHint} {...form.text('digest')}>
          <Options of={texts.digests} />
        </SelectField>
        {digest === 'none' ? null : (
          <div className={PAIR}>
            {digest === 'week' ? (
              <SelectField label={texts.weekday} {...form.text('weekday')}>
                <Options of={texts.weekdays} />
              </SelectField>
            ) : null}
            <TextField label={texts.digestAt} type="time" {...form.text('digestAt')} />
          </div>
        )}
      </div>
    </details>
  );
}

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

/** The devices that a notification is limited to: kinds, groups and single devices, each a token that can be removed. */
function OnlyField({ site, value, error, onChange }: Props) {
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
