/** The options of a select field, from their values and labels. */
interface Props {
  of: Readonly<Record<string, string>> | readonly (readonly [value: string | number, label: string])[];
}

export function Options({ of }: Props) {
  const entries = Array.isArray(of) ? (of as readonly (readonly [string | number, string])[]) : Object.entries(of);
  return entries.map(([value, label]) => (
    <option key={value} value={value}>
      {label}
    </option>
  ));
}
