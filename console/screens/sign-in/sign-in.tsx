/** The page of a browser without a session: asks for a token, and says how to get one. */
import { type FormEvent, useEffect, useState } from 'react';
import { BASE_URL, type EndReason, signIn } from '../../api/session.ts';
import { common } from '../../text/texts.ts';
import { Button } from '../../ui/button.tsx';
import { CheckField, TextField } from '../../ui/field.tsx';
import icon from '../../ui/icon.svg';
import styles from './sign-in.module.css';
import { texts } from './texts.ts';

export function SignIn({ ended }: { ended: EndReason | null }) {
  const [token, setToken] = useState('');
  const [isKept, setKept] = useState(false);
  const [error, setError] = useState<string | null>(null);

  useEffect(() => {
    document.title = `${texts.title} · ${common.product}`;
  }, []);

  function submit(event: FormEvent): void {
    event.preventDefault();
    const text = token.trim();
    // A header cannot carry other characters (RFC 6750 section 2.1).
    if (/^[\w.~+/=-]+$/.test(text)) signIn(text, isKept);
    else setError(texts.invalid);
  }

  return (
    <main className={styles.page}>
      <div className={styles.mark}>
        <img src={icon} alt="" />
        <span>{common.product}</span>
      </div>
      <form className={styles.box} onSubmit={submit}>
        <div>
          <h1>{texts.title}</h1>
          <p className={styles.where} data-foreign>
            {BASE_URL.replace(/^https?:\/\//, '')}
          </p>
        </div>
        {ended === null || ended === 'signed-out' ? null : (
          <p role="alert" className={styles.refused}>
            {texts.refusals[ended]}
          </p>
        )}
        <TextField
          label={texts.token}
          hint={texts.hint}
          error={error}
          type="password"
          autoComplete="off"
          autoFocus
          required
          value={token}
          onChange={({ target }) => setToken(target.value)}
        />
        <CheckField
          label={texts.keep}
          hint={isKept ? texts.keptHint : texts.tabHint}
          checked={isKept}
          onChange={({ target }) => setKept(target.checked)}
        />
        <Button type="submit" look="primary">
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
    </main>
  );
}
