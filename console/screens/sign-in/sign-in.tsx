/** The page of a browser without a session: by a provider, where the service has one, or by a token. */
import { KeyRound, LogIn } from 'lucide-react';
import { type FormEvent, type ReactNode, useEffect, useState } from 'react';
import { useAnswer } from '../../api/queries.ts';
import { BASE_URL, type EndReason, signIn } from '../../api/session.ts';
import { beginSignIn, signInState } from '../../api/sign-in.ts';
import { common } from '../../text/texts.ts';
import { Button } from '../../ui/button.tsx';
import { CheckField, TextField } from '../../ui/field.tsx';
import icon from '../../ui/icon.svg';
import styles from './sign-in.module.css';
import { failureText, texts } from './texts.ts';

export function SignIn({ ended }: { ended: EndReason | null }) {
  const { isPending, failure } = signInState.use();
  const [isKept, setKept] = useState(false);
  const { data, failureCount } = useAnswer('GET /sign-in', { isAnonymous: true }, { everyMs: 0, when: !isPending });
  const provider = data?.provider ?? null;

  useEffect(() => {
    document.title = `${texts.title} · ${common.product}`;
  }, []);

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
      {failure === null && (ended === null || ended === 'signed-out') ? null : (
        <p role="alert" className={styles.refused}>
          {failure === null ? ended !== null && ended !== 'signed-out' && texts.refusals[ended] : failureText(failure)}
        </p>
      )}
      {isPending || (data === undefined && failureCount === 0) ? (
        <p role="status" className={styles.waiting}>
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
          <details className={styles.other}>
            <summary className={styles.byToken}>
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
    <main className={styles.page}>
      <div className={styles.mark}>
        <img src={icon} alt="" />
        <span>{common.product}</span>
      </div>
      <div className={styles.box}>
        <div>
          <h1>{texts.title}</h1>
          <p className={styles.where} data-foreign>
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
      className={styles.provider ?? ''}
      disabled={isLeaving}
      onClick={() => {
        setLeaving(true);
        void beginSignIn(isKept);
      }}
    >
      <LogIn aria-hidden="true" />
      <span data-foreign>{texts.byProvider(name)}</span>
    </Button>
  );
}

interface TokenFormProps {
  isKept: boolean;
  /** There is no other way in. */
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
    <form className={styles.form} onSubmit={submit}>
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
      <details className={styles.how}>
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
