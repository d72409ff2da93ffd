/** Where a hook sends, in which form, and of which events. */
import { EventType } from '../../../shared/api/events.ts';
import { type Hook, HookFormat, hooks } from '../../../shared/api/hooks.ts';
import { ask } from '../../api/client.ts';
import { common } from '../../text/texts.ts';
import { CheckField, CheckGroup, CheckList, SelectField, TextField } from '../../ui/field.tsx';
import { type Form, FormDialog, useForm } from '../../ui/form.tsx';
import styles from './hooks.module.css';
import { texts } from './texts.ts';

interface Values {
  /** Empty for a hook that keeps the one that it has. */
  url: string;
  format: HookFormat;
  events: readonly EventType[];
  skipRandomMacs: boolean;
  enabled: boolean;
}

/** With what most people want to hear of. */
const NEW: Values = { url: '', format: 'json', events: ['new', 'down'], skipRandomMacs: false, enabled: true };

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
    body: ({ url, events, ...others }) => ({ ...others, url: url.trim(), events: [...events] }),
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
    first: { url: '', format, events, skipRandomMacs, enabled } as Values,
    schema: hooks.changeHook.body,
    says: { events: texts.eventsMissing },
    body: (_, { url, events: changed, ...others }) => ({
      ...others,
      ...(url === undefined ? {} : { url: url.trim() }),
      ...(changed === undefined ? {} : { events: [...changed] }),
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
      <CheckGroup label={texts.eventsLabel} hint={texts.flapping} error={form.list('events').error}>
        <div className={styles.boxes}>
          <CheckList options={EventType.options} {...form.list('events')} labelOf={(type) => texts.eventTypes[type]} />
        </div>
      </CheckGroup>
      {form.values.events.includes('new') ? (
        <CheckField label={texts.skipRandomMacs} {...form.check('skipRandomMacs')} />
      ) : null}
    </>
  );
}
