/** Every group of operations. In the cloud they are spread over several functions; here one server answers all of them. */
import { adminGroup } from '../api/access/handlers.ts';
import { mcpGroup } from '../api/assistants/endpoint.ts';
import { nettoolsGroup } from '../api/commands/handlers.ts';
import { jobsGroup } from '../api/commands/job-handlers.ts';
import { devicesGroup } from '../api/devices/handlers.ts';
import { hooksGroup } from '../api/hooks/handlers.ts';
import { specificationGroup } from '../api/http/specification.ts';
import { healthGroup } from '../api/status/health.ts';
import { metricsGroup } from '../api/status/metrics-handlers.ts';
import { overviewGroup } from '../api/status/overview-handlers.ts';

/** @param openapiDocument reads docs/openapi.json */
export function allGroups(openapiDocument: () => Promise<string>) {
  return [
    healthGroup,
    devicesGroup,
    nettoolsGroup,
    jobsGroup,
    adminGroup,
    hooksGroup,
    overviewGroup,
    metricsGroup,
    mcpGroup(() => import('@modelcontextprotocol/server')),
    specificationGroup(openapiDocument),
  ];
}
