/** The page without a session: sign in with a provider, if the service has one, or a token. */
import common from 'messages:common';
import texts from 'messages:signIn';
import { KeyRound, LogIn } from 'lucide-react';
import { type FormEvent, type ReactNode, useEffect, useState } from 'react';
import { useAnswer } from '../../api/queries.ts';
import { BASE_URL, type EndReason, signIn } from '../../api/session.ts';
import { beginSignIn, signInState } from '../../api/sign-in.ts';
import { Button } from '../../ui/button.tsx';
import { CheckField, TextField } from '../../ui/field.tsx';
import icon from '../../ui/icon.svg';
import { failureText } from './failure-text.ts';

export function SignIn({ ended }: { ended: EndReason | null }) {
  const { isPending, failure } = signInState.use();
  const [isKept, setKept] = useState(false);
  const { data, failureCount } = useAnswer('GET /sign-in', { isAnonymous: true }, { everyMs: 0, when: !isPending });
  const provider = data?.provider ?? null;

  useEffect(() => {
    document.title = `${texts.title} · ${common.product}`;
  }, []);

  const refusal = ended === null || ended === 'signed-out' ? null : texts.refusals[ended];
  const alert = failure === null ? refusal : failureText(failure);
  const kept = (
    <CheckField
      label={texts.keep}
      hint={isKept ? texts.keptHint : texts.tabHint}
      checked={isKept}
      onChange={({ target }) => setKept(target.checked)}
    />
  );
  return (
    <Frame>
      {alert === null ? null : (
        <p role="alert" className="px-3 py-2 rounded-control bg-bad-soft text-sm">
          {alert}
        </p>
      )}
      {isPending || (data === undefined && failureCount === 0) ? (
        <p role="status" className="min-h-11 text-muted">
          {isPending ? texts.pending : common.loading}
        </p>
      ) : provider === null ? (
        <TokenForm isKept={isKept} isFirst>
          {kept}
        </TokenForm>
      ) : (
        <>
          <Provider name={provider.name} isKept={isKept} />
          {kept}
          <details className="pt-3 border-t border-line">
            <summary
              className={`flex [&+*]:mt-2 items-center gap-2 min-h-control text-muted text-sm cursor-pointer [&_svg]:size-4`}
            >
              <KeyRound aria-hidden="true" />
              {texts.byToken}
            </summary>
            <TokenForm isKept={isKept} />
          </details>
        </>
      )}
    </Frame>
  );
}

function Frame({ children }: { children: ReactNode }) {
  return (
    <main className="grid gap-4 place-content-center min-h-dvh p-4">
      <div className="flex items-center gap-2.5 px-1 text-lg font-[650] tracking-[-0.01em] [&_img]:size-8">
        <img src={icon} alt="" />
        <span>{common.product}</span>
      </div>
      <div className="card grid gap-4 w-[min(400px,calc(100vw_-_32px))] p-6">
        <div>
          <h1>{texts.title}</h1>
          <p className="text-muted text-sm wrap-anywhere" data-foreign>
            {BASE_URL.replace(/^https?:\/\//, '')}
          </p>
        </div>
        {children}
      </div>
    </main>
  );
}

function Provider({ name, isKept }: { name: string; isKept: boolean }) {
  const [isLeaving, setLeaving] = useState(false);
  return (
    <Button
      look="primary"
      className="min-h-11 text-md whitespace-normal"
      disabled={isLeaving}
      onClick={() => {
        setLeaving(true);
        void beginSignIn(isKept);
      }}
    >
      <LogIn aria-hidden="true" />
      <span data-foreign>{texts.byProvider({ name })}</span>
    </Button>
  );
}

interface TokenFormProps {
  isKept: boolean;
  isFirst?: boolean;
  children?: ReactNode;
}

function TokenForm({ isKept, isFirst = false, children }: TokenFormProps) {
  const [token, setToken] = useState('');
  const [error, setError] = useState<string | null>(null);

  function submit(event: FormEvent): void {
    event.preventDefault();
    const text = token.trim();
    // A header cannot carry other characters (RFC 6750 section 2.1).
    if (/^[\w.~+/=-]+$/.test(text)) signIn(text, isKept);
    else setError(texts.invalid);
  }

  return (
    <form className="grid gap-4" onSubmit={submit}>
      <TextField
        label={texts.token}
        hint={texts.hint}
        error={error}
        type="password"
        autoComplete="off"
        autoFocus={isFirst}
        required
        value={token}
        onChange={({ target }) => setToken(target.value)}
      />
      {children}
      <Button type="submit" look={isFirst ? 'primary' : 'plain'}>
        {texts.signIn}
      </Button>
      <details className="text-sm text-muted [&_summary]:cursor-pointer [&_code]:text-text [&_li]:mt-1.5 [&_li]:ms-4.5 [&_li]:list-disc">
        <summary>{texts.how}</summary>
        <ul>
          <li>{texts.ways.link}</li>
          <li>
            {texts.ways.commandLine} <code>lanreach open</code>
          </li>
          <li>{texts.ways.person}</li>
        </ul>
      </details>
    </form>
  );
}
