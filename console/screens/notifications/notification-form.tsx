/** The form of a notification: the service, its fields, and a test before it is saved. */
import common from 'messages:common';
import texts from 'messages:notifications';
import { useState } from 'react';
import type { Hook } from '../../../shared/api/hooks.ts';
import type { Template } from '../../../shared/api/templates.ts';
import { ask } from '../../api/client.ts';
import { Button } from '../../ui/button.tsx';
import { Dialog, DialogActions } from '../../ui/dialog.tsx';
import { TextField } from '../../ui/field.tsx';
import { type Form, FormBox, FormDialog, useForm } from '../../ui/form.tsx';
import { EventFields, MORE, MoreFields, ReportFields } from './event-fields.tsx';
import { SERVICE_IDS, SERVICES, ServiceIcon, type ServiceId, serviceName, serviceOf } from './services.tsx';
import { TestOfReceiver } from './test-result.tsx';
import { newValues, settingsOf, type Values, valuesOf } from './values.ts';

type AddTarget =
  | { site: string; template?: never }
  /** For all sites of a template. */
  | { site?: never; template: Omit<Template, 'revision' | 'changedAt' | 'changedBy'> & { etag: string | undefined } };

type AddProps = AddTarget & {
  /** One message a week, and no others. */
  isReport?: boolean;
  /** @param secret null when its messages are not signed */
  onAdded: (secret: string | null) => void;
  onClose: () => void;
};

const MESSAGES = { events: texts.eventsMissing, only: texts.onlyMissing };

const messagesFor = (service: ServiceId) => ({
  ...MESSAGES,
  url: service === 'email' ? texts.addressWrong : texts.missing,
});

export function AddNotification(props: AddProps) {
  const [service, choose] = useState<ServiceId | null>(null);
  if (service !== null) return <AddTo {...props} service={service} onAnother={() => choose(null)} />;
  return (
    <Dialog title={props.isReport ? texts.chooseForReport : texts.choose} onClose={props.onClose}>
      <ul className="grid grid-cols-2 auto-rows-[1fr] gap-2 max-480:grid-cols-1">
        {SERVICE_IDS.map((id) => (
          <li key={id}>
            <button
              type="button"
              className={`flex card items-center gap-3 min-h-16 size-full px-3 py-2 text-start cursor-pointer [transition:background-color_var(--quick)] hover:border-edge hover:bg-hover max-480:min-h-13 [&_strong]:font-semibold [&>span:last-child]:grid [&>span:last-child]:min-w-0 [&_small]:text-muted [&_small]:text-xs`}
              onClick={() => choose(id)}
            >
              <ServiceIcon service={id} />
              <span>
                <strong>{serviceName(id)}</strong>
                <small>{texts.services[id].about}</small>
              </span>
            </button>
          </li>
        ))}
      </ul>
    </Dialog>
  );
}

function AddTo(props: AddProps & { service: ServiceId; onAnother: () => void }) {
  const { site, template, isReport = false, service, onAdded, onClose, onAnother } = props;
  const [first] = useState(() => newValues(service, isReport));
  const { format, urlOf } = SERVICES[service];
  const form = useForm({
    route: 'POST /hooks',
    first,
    says: messagesFor(service),
    body: (values) => ({ ...settingsOf(values), url: urlOf(values), format }),
    async send(body) {
      if (template === undefined) return (await ask('POST /hooks', { site, body })).secret;
      const { name, etag, tags, settings, schedules, checks } = template;
      const hook = { ...body, name: body.name ?? serviceName(service) };
      const { secrets } = await ask('PUT /templates/{template}', {
        params: { template: name },
        body: { tags, settings, schedules, checks, hooks: [...template.hooks, hook] },
        ...(etag === undefined ? {} : { ifMatch: etag }),
      });
      return secrets[hook.name] ?? '';
    },
    onDone: (secret) => onAdded(format === 'json' ? secret : null),
  });
  const close = form.isPending ? () => {} : onClose;
  return (
    <Dialog title={texts.addTo({ service: serviceName(service) })} onClose={close}>
      <FormBox
        form={form}
        actions={
          <DialogActions>
            <Button look="quiet" className="-ms-3 me-auto text-muted" onClick={onAnother}>
              {texts.another}
            </Button>
            <Button type="submit" look="primary" disabled={form.isPending}>
              {common.save}
            </Button>
          </DialogActions>
        }
      >
        <ServiceFields service={service} form={form} isKept={false} />
        {service === 'email' ? <ReportFields form={form} /> : null}
        <EventFields form={form} />
        {site === undefined ? null : (
          <>
            <MoreFields site={site} form={form} />
            <TestOfReceiver key={urlOf(form.values)} url={urlOf(form.values)} {...{ site, format }} />
          </>
        )}
      </FormBox>
    </Dialog>
  );
}

export function EditNotification({ site, hook, onClose }: { site: string; hook: Hook; onClose: () => void }) {
  const service = serviceOf(hook.format);
  const { format, urlOf } = SERVICES[service];
  const form = useForm({
    route: 'PATCH /hooks/{hook}',
    question: { site, params: { hook: hook.id } },
    first: () => valuesOf(hook),
    says: messagesFor(service),
    body: (values) => ({ ...settingsOf(values, hook), ...(urlOf(values) === '' ? {} : { url: urlOf(values) }) }),
    onDone: onClose,
  });
  const url = urlOf(form.values);
  return (
    <FormDialog form={form} title={texts.editTitle} submit={common.save} isReady={form.isChanged} onClose={onClose}>
      <TextField label={texts.name} hint={texts.nameHint} maxLength={100} {...form.text('name')} />
      {service === 'email' ? <ReportFields form={form} /> : null}
      <EventFields form={form} />
      <MoreFields site={site} form={form} />
      <details className={MORE}>
        <summary>{serviceName(service)}</summary>
        <div className="grid gap-3 px-3 pt-1 pb-3">
          <ServiceFields service={service} form={form} isKept />
          {url === '' ? null : <TestOfReceiver key={url} {...{ site, url, format }} />}
        </div>
      </details>
    </FormDialog>
  );
}

interface FieldsProps {
  service: ServiceId;
  form: Form<Values>;
  /** Whether empty fields stay as stored. */
  isKept: boolean;
}

function ServiceFields({ service, form, isKept }: FieldsProps) {
  const { error } = form.text('url');
  return (
    <>
      {SERVICES[service].fields.map(({ name, label, ...field }, i) => {
        const hints = [...(isKept && i === 0 ? [texts.keep] : []), 'hint' in field ? field.hint : ''].filter(Boolean);
        return (
          <TextField
            key={name}
            label={label}
            hint={hints.join(' ')}
            {...form.text(name)}
            error={i === 0 ? error : undefined}
          />
        );
      })}
      {isKept ? null : <TextField label={texts.name} hint={texts.nameHint} maxLength={100} {...form.text('name')} />}
    </>
  );
}
