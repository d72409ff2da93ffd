/** What the fields of a device are called in a sentence. */
import fieldLabels from 'messages:deviceFields';
import { inSentence } from './in-sentence.ts';

/** Such as `name`. A field that this version does not know is called as the API calls it. */
export function fieldName(field: string): string {
  return inSentence(Object.hasOwn(fieldLabels, field) ? fieldLabels[field as keyof typeof fieldLabels] : field);
}
