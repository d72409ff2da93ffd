/** What a field proposes: what contains its text, and all while it has one of them, so that another can be chosen. */
export function fitting(values: readonly string[], typed: string): { value: string }[] {
  const text = typed.trim().toLowerCase();
  const isOne = values.some((value) => value.toLowerCase() === text);
  return values.filter((value) => isOne || value.toLowerCase().includes(text)).map((value) => ({ value }));
}
