/** `/jobs`: what became of a command. */
import { jobs as operations } from '../../shared/api/jobs.ts';
import { ServiceError } from '../../shared/errors.ts';
import { siteOfJob } from '../../shared/identity.ts';
import { group, type Handlers } from '../http/routes.ts';

const handlers: Handlers<typeof operations> = {
  async getJob({ jobs }, { token }, { id }) {
    // A job of a site that the token may not use is not there: its id is no secret, but whether it exists is.
    const mayUse = token.sites === '*' || token.sites.includes(siteOfJob(id));
    const job = mayUse ? await jobs.find(id) : null;
    if (job === null) throw new ServiceError('not_found', `There is no job ${id}`);
    return { success: true, ...job };
  },
};

export const jobsGroup = group(operations, handlers);
