/** The events of a notification: a preset or single ones, and the filters and times. */
import eventNames from 'messages:eventNames';
import texts from 'messages:notifications';
import type { EventType } from '../../../shared/api/events.ts';
import { EVENT_TYPES } from '../../../shared/words.ts';
import { EVENT_GROUPS } from '../../text/event-groups.ts';
import { CheckField, CheckGroup, CheckList, SelectField, TextField } from '../../ui/field.tsx';
import type { Form } from '../../ui/form.tsx';
import { Options } from '../../ui/options.tsx';
import { eventsOf, PRESET_IDS, type Preset } from './chosen-events.ts';
import { OnlyField } from './only-field.tsx';
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
