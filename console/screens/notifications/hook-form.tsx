/** Where a hook sends, in which form, and of which events. */
import { EventType } from '../../../shared/api/events.ts';
import { type Hook, HookFormat, hooks } from '../../../shared/api/hooks.ts';
import { WEEKDAYS } from '../../../shared/schedule-terms.ts';
import { ask } from '../../api/client.ts';
import { EVENT_GROUPS } from '../../text/event-groups.ts';
import { common } from '../../text/texts.ts';
import { CheckField, CheckGroup, CheckList, SelectField, TextField } from '../../ui/field.tsx';
import { type Form, FormDialog, useForm } from '../../ui/form.tsx';
import styles from './notifications.module.css';
import { texts } from './texts.ts';

interface Values {
  /** Empty for a hook that keeps the one that it has. */
  url: string;
  format: HookFormat;
  events: readonly EventType[];
  skipRandomMacs: boolean;
  enabled: boolean;
  digest: 'none' | 'day' | 'week';
  weekday: (typeof WEEKDAYS)[number];
  /** `07:00`. */
  digestAt: string;
}

const NO_DIGEST = { digest: 'none', weekday: 'monday', digestAt: '07:00' } as const;

/** With what most people want to hear of. */
const NEW: Values = {
  url: '',
  format: 'json',
  events: ['new', 'down'],
  skipRandomMacs: false,
  enabled: true,
  ...NO_DIGEST,
};

interface AddProps {
  site: string;
  /** @param secret null when deliveries of this form are not signed */
  onAdded: (secret: string | null) => void;
  onClose: () => void;
}

export function AddHook({ site, onAdded, onClose }: AddProps) {
  const form = useForm({
    first: NEW,
    schema: hooks.addHook.body,
    says: { events: texts.eventsMissing },
    body: ({ url, events, format, skipRandomMacs, enabled, ...digest }) => ({
      ...{ format, skipRandomMacs, enabled },
      url: url.trim(),
      events: [...events],
      digest: digestOf(digest),
    }),
    send: (body) => ask('POST /hooks', { site, body }),
    onDone: ({ format, secret }) => onAdded(format === 'json' ? secret : null),
  });
  return (
    <FormDialog form={form} title={texts.add} submit={texts.add} onClose={onClose}>
      <Fields form={form} urlHint={texts.urlHint} />
      <CheckField label={texts.addOn} {...form.check('enabled')} />
    </FormDialog>
  );
}

export function EditHook({ site, hook, onClose }: { site: string; hook: Hook; onClose: () => void }) {
  const { format, events, skipRandomMacs, enabled } = hook;
  const form = useForm({
    first: { url: '', format, events, skipRandomMacs, enabled, ...digestValues(hook) } as Values,
    schema: hooks.changeHook.body,
    says: { events: texts.eventsMissing },
    body: (values, { url, events: changed, digest, weekday, digestAt, ...others }) => ({
      ...others,
      ...(url === undefined ? {} : { url: url.trim() }),
      ...(changed === undefined ? {} : { events: [...changed] }),
      ...((digest ?? weekday ?? digestAt) === undefined ? {} : { digest: digestOf(values) }),
    }),
    send: (body) => ask('PATCH /hooks/{hook}', { site, params: { hook: hook.id }, body }),
    onDone: onClose,
  });
  return (
    <FormDialog form={form} title={texts.editTitle} submit={common.save} isReady={form.isChanged} onClose={onClose}>
      <Fields form={form} urlHint={`${texts.urlKeep} ${texts.urlHint}`} />
    </FormDialog>
  );
}

function Fields({ form, urlHint }: { form: Form<Values>; urlHint: string }) {
  return (
    <>
      <TextField label={texts.url} type="url" hint={urlHint} {...form.text('url')} />
      <SelectField label={texts.format} hint={texts.formatHint} {...form.text('format')}>
        {HookFormat.options.map((format) => (
          <option key={format} value={format}>
            {texts.formats[format]}
          </option>
        ))}
      </SelectField>
      <Events {...form.list('events')} />
      {form.values.events.includes('new') ? (
        <CheckField label={texts.skipRandomMacs} {...form.check('skipRandomMacs')} />
      ) : null}
      <SelectField label={texts.digest} hint={texts.digestHint} {...form.text('digest')}>
        {(['none', 'day', 'week'] as const).map((every) => (
          <option key={every} value={every}>
            {texts.digests[every]}
          </option>
        ))}
      </SelectField>
      {form.values.digest === 'none' ? null : (
        <div className={styles.digest}>
          {form.values.digest === 'week' ? (
            <SelectField label={texts.weekday} {...form.text('weekday')}>
              {WEEKDAYS.map((day) => (
                <option key={day} value={day}>
                  {texts.weekdays[day]}
                </option>
              ))}
            </SelectField>
          ) : null}
          <TextField label={texts.digestAt} type="time" {...form.text('digestAt')} />
        </div>
      )}
    </>
  );
}

interface EventsProps {
  value: readonly EventType[];
  error: string | undefined;
  onChange: (value: EventType[]) => void;
}

function Events({ value, error, onChange }: EventsProps) {
  return (
    <CheckGroup label={texts.eventsLabel} hint={texts.flapping} error={error}>
      {EVENT_GROUPS.map(({ label, types }) => {
        const own: readonly EventType[] = types;
        return (
          <fieldset key={label} className={styles.eventGroup}>
            <legend>{label}</legend>
            <div className={styles.boxes}>
              <CheckList
                options={own}
                value={value}
                onChange={(chosen) =>
                  onChange(EventType.options.filter((type) => (own.includes(type) ? chosen : value).includes(type)))
                }
                labelOf={(type) => texts.eventTypes[type]}
              />
            </div>
          </fieldset>
        );
      })}
    </CheckGroup>
  );
}

type DigestValues = Pick<Values, 'digest' | 'weekday' | 'digestAt'>;

function digestOf({ digest, weekday, digestAt: at }: DigestValues): Hook['digest'] {
  if (digest === 'none') return null;
  return digest === 'day' ? { every: 'day', at } : { every: 'week', weekday, at };
}

function digestValues({ digest }: Hook): DigestValues {
  if (digest === null) return NO_DIGEST;
  const weekday = digest.every === 'week' ? digest.weekday : NO_DIGEST.weekday;
  return { digest: digest.every, weekday, digestAt: digest.at };
}
