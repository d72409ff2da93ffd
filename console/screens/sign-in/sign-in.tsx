/** The page of a browser without a session: asks for a token, and says how to get one. */
import { type FormEvent, useEffect, useState } from 'react';
import { type EndReason, signIn } from '../../api/session.ts';
import { common } from '../../text/texts.ts';
import { Button } from '../../ui/button.tsx';
import { TextField } from '../../ui/field.tsx';
import styles from './sign-in.module.css';
import { texts } from './texts.ts';

export function SignIn({ ended }: { ended: EndReason | null }) {
  const [token, setToken] = useState('');
  const [error, setError] = useState<string | null>(null);

  useEffect(() => {
    document.title = `${texts.title} · ${common.product}`;
  }, []);

  function submit(event: FormEvent): void {
    event.preventDefault();
    const text = token.trim();
    // A header cannot carry other characters (RFC 6750 section 2.1).
    if (/^[\w.~+/=-]+$/.test(text)) signIn(text);
    else setError(texts.invalid);
  }

  return (
    <main className={styles.page}>
      <form className={styles.box} onSubmit={submit}>
        <h1>{texts.title}</h1>
        {ended === null || ended === 'signed-out' ? null : <p role="alert">{texts.refusals[ended]}</p>}
        <TextField
          label={texts.token}
          hint={texts.hint}
          error={error}
          type="password"
          autoFocus
          required
          value={token}
          onChange={({ target }) => setToken(target.value)}
        />
        <Button type="submit" look="primary">
          {texts.signIn}
        </Button>
        <div className={styles.how}>
          <h2>{texts.how}</h2>
          <ul>
            {texts.ways.map((way) => (
              <li key={way}>{way}</li>
            ))}
          </ul>
        </div>
      </form>
    </main>
  );
}
