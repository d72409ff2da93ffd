/** A device that is touched is not pointed at. A window as narrow as a phone is taken for one. */
export const isTouched = (): boolean => window.matchMedia('(max-width: 700px), (pointer: coarse)').matches;
