/** The names of device fields within a sentence. */
import fieldLabels from 'messages:deviceFields';
import { inSentence } from './in-sentence.ts';

/** Such as `name`. A field that this version does not know keeps its name in the API. */
export function fieldName(field: string): string {
  return inSentence(Object.hasOwn(fieldLabels, field) ? fieldLabels[field as keyof typeof fieldLabels] : field);
}
