/** The form of a tool, sent once its values are valid. The name of a device stands for its address. */
import texts from 'messages:tools';
import { CalendarClock, Layers, Play } from 'lucide-react';
import { type FormEvent, useEffect, useRef, useState } from 'react';
import type { Job } from '../../../shared/api/jobs.ts';
import { ask, startCommand } from '../../api/client.ts';
import { type Problem, problemOf } from '../../api/problem.ts';
import { Button, LinkButton } from '../../ui/button.tsx';
import { ProblemBox } from '../../ui/state.tsx';
import { AgentField } from './agents.tsx';
import { checkForm, type ToolForm as Form, type FormValues, fieldWith, filledValues } from './form-fields.ts';
import { ToolField } from './tool-field.tsx';
import { errorOf } from './tool-texts.ts';

interface Props {
  site: string;
  form: Form;
  /** Fills the form in, `agent` included, and moves the focus to the button that runs it. */
  query: URLSearchParams;
  onStarted: (job: Job) => void;
}

export function ToolForm({ site, form, query, onStarted }: Props) {
  const [values, setValues] = useState(() => filledValues(form, query));
  const [agent, setAgent] = useState(query.get('agent') ?? '');
  const [errors, setErrors] = useState<FormValues>({});
  const [problem, setProblem] = useState<Problem | null>(null);
  const [isStarting, setStarting] = useState(false);
  const element = useRef<HTMLFormElement>(null);
  const runButton = useRef<HTMLButtonElement>(null);
  const isFilled = query.size > 0;
  useEffect(() => {
    if (isFilled) runButton.current?.focus();
  }, [isFilled]);

  /** Shows messages by field, and moves the focus to the first of them. */
  function refuse(messages: FormValues): void {
    const first = form.fields.find(({ name }) => messages[name] !== undefined);
    setErrors(messages);
    if (first !== undefined) element.current?.querySelector<HTMLElement>(`[name="${first.name}"]`)?.focus();
  }

  /** The values with addresses in place of names; null after showing why that failed. */
  async function withAddresses(): Promise<FormValues | null> {
    const { errors: found } = checkForm(form, values);
    const target = form.fields.find(({ name, kind }) => kind === 'target' && found?.[name] !== undefined);
    const text = target === undefined ? '' : (values[target.name] ?? '').trim();
    if (target === undefined || text === '' || text.includes('/') || text.length > 256) return values;
    const named = await findByName(site, text);
    if ('ip' in named) return { ...values, [target.name]: named.ip };
    if (named.missing === 'device') return values;
    refuse({ [target.name]: texts.errors.noAddress({ name: named.name }) });
    return null;
  }

  async function send(): Promise<void> {
    const given = await withAddresses();
    if (given === null) return;
    const { body, errors: found } = checkForm(form, given);
    if (body === null) {
      const wrong = form.fields.filter(({ name }) => found[name] !== undefined);
      const errorIn = (field: (typeof wrong)[number]) =>
        errorOf(form, field, given[field.name] ?? '', found[field.name] ?? '');
      return refuse(Object.fromEntries(wrong.map((field) => [field.name, errorIn(field)])));
    }
    setValues(given);
    onStarted(await startCommand(form.tool.name, site, body, agent === '' ? undefined : agent));
  }

  async function submit(event: FormEvent): Promise<void> {
    event.preventDefault();
    if (isStarting) return;
    setErrors({});
    setProblem(null);
    setStarting(true);
    try {
      await send();
    } catch (error) {
      const refused = problemOf(error);
      setProblem(refused);
      refuse(Object.fromEntries(refused.fields.map(({ path, message }) => [fieldWith(form.fields, path), message])));
    } finally {
      setStarting(false);
    }
  }

  const { body } = checkForm(form, values);
  const asQuery = new URLSearchParams(Object.entries(body ?? {}).map(([name, value]) => [name, String(value)]));
  return (
    <form
      ref={element}
      // What is focused is not hidden below the head of the page (WCAG 2.4.11).
      className="grid grid-cols-1 gap-4 [&_:is(input,select)]:scroll-mt-27.5"
      onSubmit={(event) => void submit(event)}
      noValidate
    >
      {form.fields.length === 0 ? null : (
        <div className="grid grid-cols-[repeat(auto-fill,minmax(min(100%,300px),1fr))] gap-y-3.5 gap-x-5 items-start w-[min(100%,1040px)]">
          {form.fields.map((field) => (
            <ToolField
              key={field.name}
              {...{ site, form, field }}
              value={values[field.name] ?? ''}
              error={errors[field.name]}
              onChange={(value) => setValues({ ...values, [field.name]: value })}
            />
          ))}
        </div>
      )}
      <AgentField
        site={site}
        value={agent}
        hasTarget={form.fields.some(({ kind }) => kind === 'target' || kind === 'device')}
        onChange={setAgent}
      />
      {problem === null ? null : <ProblemBox error={problem} />}
      <div className="flex flex-wrap gap-2">
        <Button ref={runButton} type="submit" look="primary" aria-disabled={isStarting} icon={<Play />}>
          {isStarting ? texts.starting : texts.run}
        </Button>
        <LinkButton to={`/sites/${site}/schedules?add=${form.tool.name}&${asQuery}`} look="quiet">
          <CalendarClock aria-hidden="true" />
          {texts.every}
        </LinkButton>
        {form.tool.name === 'wakeonlan' ? null : (
          <LinkButton to={`/batches/new?tool=${form.tool.name}&sites=${site}&${asQuery}`} look="quiet">
            <Layers aria-hidden="true" />
            {texts.manySites}
          </LinkButton>
        )}
      </div>
    </form>
  );
}

type Named = { ip: string } | { missing: 'device' } | { missing: 'address'; name: string };

const MAX_FOUND = 50;

/** The device of that name, in any letter case, else the only one that contains the text. */
async function findByName(site: string, text: string): Promise<Named> {
  const { devices } = await ask('GET /devices', { site, query: { text, limit: MAX_FOUND } });
  const known = devices.filter((device) => 'devIP' in device);
  const found =
    known.find(({ devName }) => String(devName).toLowerCase() === text.toLowerCase()) ??
    (known.length === 1 ? known[0] : undefined);
  if (found === undefined) return { missing: 'device' };
  return found.devIP === '' ? { missing: 'address', name: String(found.devName) } : { ip: String(found.devIP) };
}
