/** Where other hosts reach the API: part of each answer with something that was made for another host. */
import * as z from 'zod';

export const Addresses = z.array(z.url()).meta({
  description:
    'Base URLs of this API under which other hosts may reach it, as far as the service knows them itself: empty when it listens for its own host alone, and in the cloud.',
});
export const exampleAddresses = ['http://192.168.1.2:8787'];
