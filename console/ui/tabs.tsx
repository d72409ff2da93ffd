/** A choice between a few views. */
import styles from './tabs.module.css';

interface Props<Name extends string> {
  /** For screen readers. */
  label: string;
  /** Labels by name. */
  tabs: Readonly<Record<Name, string>>;
  value: Name;
  onChange: (name: Name) => void;
}

export function Tabs<Name extends string>({ label, tabs, value, onChange }: Props<Name>) {
  return (
    <fieldset className="flex gap-0.5 min-w-0 max-w-full m-0 p-0.5 border-0 overflow-x-auto [scrollbar-width:none]">
      <legend className="visually-hidden">{label}</legend>
      {(Object.keys(tabs) as Name[]).map((name) => (
        <button
          key={name}
          type="button"
          className={styles.tab}
          aria-pressed={name === value}
          onClick={() => onChange(name)}
        >
          {tabs[name]}
        </button>
      ))}
    </fieldset>
  );
}
