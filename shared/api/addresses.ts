/** The addresses of the API for other hosts: in each answer with a secret for another host. */
import * as z from 'zod';

export const Addresses = z
  .array(z.url())
  .describe(
    'Base URLs under which other hosts may reach this API, as far as the service knows them: empty when it listens only for its own host, and in the cloud.',
  );
export const exampleAddresses = ['http://192.168.1.2:8787'];
