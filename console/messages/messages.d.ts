/** The keys and arguments of `en.json`, made by `npm run messages`. */
declare module 'messages:actors' {
  const texts: {
    readonly you: string;
    readonly agent: (values: { name: string | number }) => string;
    readonly agentOf: (values: { name: string | number; site: string | number }) => string;
    readonly token: (values: { id: string | number }) => string;
    readonly schedule: (values: { name: string | number }) => string;
    readonly enrolment: string;
    readonly deployment: string;
    readonly service: string;
  };
  export default texts;
}

declare module 'messages:addSite' {
  const texts: {
    readonly title: string;
    readonly intro: string;
    readonly name: string;
    readonly nameHint: string;
    readonly id: string;
    readonly idHint: string;
    readonly watch: string;
    readonly watchHint: string;
    readonly submit: string;
    readonly needsAllSites: string;
  };
  export default texts;
}

declare module 'messages:admin' {
  const texts: {
    readonly titleOf: (values: { tab: string | number }) => string;
    readonly tabs: {
      readonly people: string;
      readonly tokens: string;
      readonly templates: string;
      readonly agents: string;
      readonly updates: string;
      readonly audit: string;
    };
    readonly navigation: string;
    readonly agents: {
      readonly list: string;
      readonly all: (values: { count: number }) => string;
      readonly some: (values: { online: string | number; count: number }) => string;
      readonly agent: string;
      readonly site: string;
      readonly state: string;
      readonly version: string;
      readonly ring: string;
      readonly seen: string;
      readonly never: string;
      readonly none: string;
      readonly noneWhy: string;
      readonly add: string;
      readonly needs: string;
      readonly needsSites: string;
    };
    readonly updates: {
      readonly noRelease: string;
      readonly noReleaseWhy: string;
      readonly release: string;
      readonly handedOut: string;
      readonly sites: string;
      readonly site: string;
      readonly mode: string;
      readonly modes: {
        readonly auto: string;
        readonly notify: string;
        readonly off: string;
      };
      readonly window: (values: { from: string | number; to: string | number }) => string;
      readonly behind: string;
      readonly current: string;
      readonly change: string;
      readonly noRollOut: string;
    };
  };
  export default texts;
}

declare module 'messages:agent' {
  const texts: {
    readonly title: (values: { name: string | number }) => string;
    readonly more: (values: { name: string | number }) => string;
    readonly online: string;
    readonly enrolling: string;
    readonly draining: string;
    readonly offline: string;
    readonly lasted: (values: { duration: string | number }) => string;
    readonly why: {
      readonly stopped: string;
      readonly updating: string;
      readonly connection_lost: string;
      readonly timed_out: string;
      readonly taken_over: string;
      readonly refused: string;
      readonly disconnected: string;
      readonly service_stopped: string;
      readonly certificate_ended: string;
      readonly revoked: string;
      readonly incompatible: string;
      readonly unknown: string;
    };
    readonly shortWhy: {
      readonly stopped: string;
      readonly updating: string;
      readonly connection_lost: string;
      readonly timed_out: string;
      readonly taken_over: string;
      readonly refused: string;
      readonly disconnected: string;
      readonly service_stopped: string;
      readonly certificate_ended: string;
      readonly revoked: string;
      readonly incompatible: string;
      readonly unknown: string;
    };
    readonly whyEnrolling: string;
    readonly check: string;
    readonly command: (values: { number: string | number }) => string;
    readonly enrolAgain: string;
    readonly clockAhead: (values: { duration: string | number }) => string;
    readonly clockBehind: (values: { duration: string | number }) => string;
    readonly host: string;
    readonly name: string;
    readonly platform: string;
    readonly address: string;
    readonly running: string;
    readonly certificate: string;
    readonly program: string;
    readonly version: string;
    readonly lastUpdate: string;
    readonly ring: string;
    readonly load: string;
    readonly tools: string;
    readonly missing: string;
    readonly capabilities: string;
    readonly problem: string;
    readonly notSaid: string;
    readonly watches: string;
    readonly networks: string;
    readonly watched: string;
    readonly toDevices: string;
    readonly settings: string;
    readonly connections: string;
    readonly connectionsHint: (values: { percent: string | number; since: string | number; breaks: string | number }) => string;
    readonly ofWeek: string;
    readonly sinceTime: (values: { time: string | number }) => string;
    readonly breaks: (values: { count: number }) => string;
    readonly nothingKnown: string;
    readonly band: string;
    readonly bandStates: {
      readonly on: string;
      readonly off: string;
      readonly unknown: string;
    };
    readonly stretch: (values: { state: string | number; from: string | number; to: string | number; duration: string | number }) => string;
    readonly now: string;
    readonly breaksTable: string;
    readonly moreBreaks: (values: { count: string | number }) => string;
    readonly away: string;
    readonly back: string;
    readonly duration: string;
    readonly reason: string;
    readonly ends: {
      readonly stopped: string;
      readonly connection_lost: string;
      readonly timed_out: string;
      readonly taken_over: string;
      readonly refused: string;
      readonly disconnected: string;
      readonly service_stopped: string;
    };
    readonly notNoted: string;
    readonly runs: string;
    readonly noRuns: string;
    readonly allRuns: string;
    readonly updateTo: (values: { version: string | number }) => string;
    readonly updateSelf: string;
    readonly updateSelfDone: (values: { site: string | number }) => string;
    readonly updateSoon: string;
    readonly updateByHand: string;
    readonly tell: string;
    readonly tellBy: (values: { name: string | number }) => string;
    readonly telling: (values: { name: string | number }) => string;
    readonly alerted: (values: { name: string | number }) => string;
    readonly noAgent: (values: { name: string | number; site: string | number }) => string;
    readonly noAgentWhy: string;
    readonly toAgents: string;
    readonly addAgain: string;
    readonly needsNettools: string;
    readonly add: string;
  };
  export default texts;
}

declare module 'messages:agents' {
  const texts: {
    readonly states: {
      readonly enrolling: string;
      readonly online: string;
      readonly draining: string;
      readonly offline: string;
    };
    readonly since: string;
    readonly version: (values: { version: string | number }) => string;
    readonly updateAvailable: (values: { version: string | number }) => string;
    readonly updateStates: {
      readonly installing: (values: { version: string | number }) => string;
      readonly done: (values: { version: string | number }) => string;
      readonly failed: (values: { version: string | number }) => string;
    };
    readonly load: (values: { queued: number; running: number }) => string;
    readonly idle: string;
    readonly discovery: string;
    readonly discoveryStates: {
      readonly on: string;
      readonly off: string;
      readonly "not-allowed": string;
      readonly failing: string;
      readonly "another-network": string;
    };
    readonly reducedAccuracy: string;
    readonly rings: {
      readonly "1": string;
      readonly "2": string;
      readonly "3": string;
    };
    readonly shortRings: {
      readonly "1": string;
      readonly "2": string;
      readonly "3": string;
    };
    readonly revoke: string;
    readonly revokeSubmit: string;
    readonly revokeTitle: (values: { name: string | number }) => string;
    readonly revokeWhat: string;
    readonly revokeLast: string;
    readonly revoked: (values: { name: string | number }) => string;
  };
  export default texts;
}

declare module 'messages:audit' {
  const texts: {
    readonly intro: string;
    readonly list: string;
    readonly when: string;
    readonly who: string;
    readonly what: string;
    readonly none: string;
    readonly noneWhy: string;
    readonly allSites: string;
    readonly unreadable: string;
    readonly tool: (values: { title: string | number }) => string;
    readonly yes: string;
    readonly no: string;
    readonly details: {
      readonly what: string;
      readonly name: string;
      readonly agent: string;
      readonly deleted: string;
      readonly fields: string;
      readonly sites: string;
      readonly tags: string;
      readonly roles: string;
      readonly person: string;
      readonly template: string;
      readonly templates: string;
      readonly by: string;
      readonly disabled: string;
      readonly revoked: string;
      readonly client: string;
      readonly redirectHost: string;
      readonly key: string;
      readonly scopes: string;
      readonly target: string;
      readonly query: string;
      readonly check: string;
      readonly hook: string;
      readonly schedule: string;
      readonly scan: string;
      readonly device: string;
      readonly mac: string;
      readonly ip: string;
      readonly verify: string;
      readonly id: string;
      readonly code: string;
      readonly job: string;
      readonly batch: string;
      readonly tool: string;
      readonly site: string;
      readonly kind: string;
      readonly label: string;
      readonly of: string;
      readonly host: string;
      readonly url: string;
      readonly port: string;
      readonly ports: string;
      readonly range: string;
      readonly format: string;
      readonly events: string;
      readonly digest: string;
      readonly quiet: string;
      readonly only: string;
      readonly mode: string;
      readonly protocol: string;
      readonly everySeconds: string;
      readonly intervalSeconds: string;
      readonly when: string;
      readonly enabled: string;
      readonly delivered: string;
      readonly inserted: string;
      readonly updated: string;
      readonly skipped: string;
      readonly joined: string;
      readonly split: string;
      readonly restored: string;
      readonly placed: string;
      readonly macs: string;
      readonly change: string;
      readonly running: string;
      readonly overlapHours: string;
      readonly replace: string;
      readonly uses: string;
      readonly expiresAt: string;
      readonly createdBy: string;
      readonly again: string;
      readonly to: string;
      readonly version: string;
      readonly state: string;
      readonly timeZone: string;
      readonly reachableAt: string;
      readonly discovery: string;
      readonly networks: string;
      readonly gateways: string;
      readonly recognize: string;
      readonly archiveRandomAfterDays: string;
      readonly acceptParents: string;
      readonly updates: string;
      readonly updatesWindow: string;
      readonly deny: string;
      readonly maxScanAddresses: string;
      readonly policy: string;
      readonly settings: string;
      readonly schedules: string;
      readonly checks: string;
      readonly hooks: string;
      readonly done: string;
      readonly email: string;
      readonly report: string;
      readonly view: string;
      readonly addresses: string;
    };
    readonly actions: {
      readonly "device.edit": (values: { of: string | number }) => string;
      readonly "device.delete": (values: { of: string | number }) => string;
      readonly "device.join": (values: { count: number; of: string | number }) => string;
      readonly "device.split": (values: { count: number; of: string | number }) => string;
      readonly "devices.edit": (values: { count: number }) => string;
      readonly "devices.delete": (values: { count: number }) => string;
      readonly "devices.import": (values: { count: number }) => string;
      readonly "devices.restore": (values: { count: number }) => string;
      readonly "devices.place": (values: { count: number }) => string;
      readonly "job.cancel": (values: { of: string | number }) => string;
      readonly "batch.cancel": (values: { of: string | number }) => string;
      readonly "token.create": (values: { of: string | number }) => string;
      readonly "token.revoke": (values: { of: string | number }) => string;
      readonly "token.rotate": (values: { of: string | number }) => string;
      readonly "person.signIn": (values: { of: string | number }) => string;
      readonly "person.add": (values: { of: string | number }) => string;
      readonly "person.change": (values: { of: string | number }) => string;
      readonly "person.remove": (values: { of: string | number }) => string;
      readonly "oauth.approve": (values: { of: string | number }) => string;
      readonly "oauth.deny": (values: { of: string | number }) => string;
      readonly "template.put": (values: { of: string | number }) => string;
      readonly "template.remove": (values: { of: string | number }) => string;
      readonly "backup.make": string;
      readonly "template.apply": string;
      readonly "site.add": (values: { of: string | number }) => string;
      readonly "site.apply": string;
      readonly "site.change": (values: { of: string | number }) => string;
      readonly "site.remove": (values: { of: string | number }) => string;
      readonly "site.restore": (values: { of: string | number }) => string;
      readonly "site.erase": (values: { of: string | number }) => string;
      readonly "enrolment.create": string;
      readonly "enrolment.revoke": string;
      readonly "agent.enrol": (values: { of: string | number }) => string;
      readonly "agent.renew": (values: { of: string | number }) => string;
      readonly "agent.revoke": (values: { of: string | number }) => string;
      readonly "scan.start": (values: { of: string | number }) => string;
      readonly "scan.cancel": (values: { of: string | number }) => string;
      readonly "schedule.add": (values: { of: string | number }) => string;
      readonly "schedule.change": (values: { of: string | number }) => string;
      readonly "schedule.remove": (values: { of: string | number }) => string;
      readonly "check.add": (values: { of: string | number }) => string;
      readonly "check.change": (values: { of: string | number }) => string;
      readonly "check.matrix": (values: { of: string | number }) => string;
      readonly "check.remove": (values: { of: string | number }) => string;
      readonly "updates.change": (values: { of: string | number }) => string;
      readonly "hook.add": (values: { of: string | number }) => string;
      readonly "hook.change": (values: { of: string | number }) => string;
      readonly "hook.remove": (values: { of: string | number }) => string;
      readonly "hook.test": (values: { of: string | number }) => string;
      readonly "hook.try": (values: { of: string | number }) => string;
      readonly "share.create": (values: { of: string | number }) => string;
    };
    readonly site: string;
    readonly needsAdmin: string;
    readonly words: {
      readonly claims: string;
      readonly hand: string;
      readonly merge: string;
      readonly auto: string;
      readonly notify: string;
      readonly off: string;
      readonly paused: string;
      readonly macs: string;
      readonly all: string;
      readonly unknown: string;
      readonly "empty-macs": string;
    };
    readonly steps: {
      readonly "+": (values: { kind: string | number; name: string | number }) => string;
      readonly "~": (values: { kind: string | number; name: string | number }) => string;
      readonly "-": (values: { kind: string | number; name: string | number }) => string;
    };
    readonly toolOn: (values: { title: string | number; of: string | number }) => string;
    readonly nothing: string;
    readonly filters: {
      readonly site: string;
      readonly allSites: string;
      readonly by: string;
      readonly anyone: string;
      readonly people: string;
      readonly tokens: string;
      readonly agents: string;
      readonly action: string;
      readonly anyAction: string;
      readonly about: string;
      readonly day: string;
      readonly clear: string;
    };
    readonly groups: {
      readonly "device,devices": string;
      readonly "tool,job,scan,batch": string;
      readonly "token,oauth,person": string;
      readonly "site,template,updates": string;
      readonly "agent,enrolment": string;
      readonly "schedule,check": string;
      readonly hook: string;
    };
    readonly noneOf: string;
    readonly noneOfWhy: string;
  };
  export default texts;
}

declare module 'messages:batches' {
  const texts: {
    readonly title: string;
    readonly needs: string;
    readonly new: string;
    readonly intro: string;
    readonly tool: string;
    readonly sites: string;
    readonly limits: string;
    readonly atOnce: string;
    readonly atOnceHint: string;
    readonly atOnceError: string;
    readonly maxFailures: string;
    readonly maxFailuresOf: {
      readonly "0": string;
      readonly "10": string;
      readonly never: string;
      readonly "10%": string;
      readonly "50%": string;
    };
    readonly start: string;
    readonly list: string;
    readonly none: string;
    readonly noneWhy: string;
    readonly unreadable: string;
    readonly command: string;
    readonly where: string;
    readonly state: string;
    readonly when: string;
    readonly who: string;
    readonly count: (values: { sites: number }) => string;
    readonly states: {
      readonly running: string;
      readonly stopping: string;
      readonly done: string;
      readonly stopped: string;
    };
    readonly reasons: {
      readonly cancelled: string;
      readonly too_many_failures: string;
      readonly deadline_passed: string;
      readonly forbidden: string;
    };
    readonly siteStates: {
      readonly waiting: string;
      readonly skipped: string;
    };
    readonly siteReasons: {
      readonly agent_offline: string;
      readonly agent_busy: string;
      readonly site_forbidden: string;
      readonly forbidden: string;
      readonly cancelled: string;
      readonly too_many_failures: string;
      readonly deadline_passed: string;
    };
    readonly of: (values: { tool: string | number; sites: number }) => string;
    readonly by: string;
    readonly parts: {
      readonly all: string;
      readonly waiting: string;
      readonly running: string;
      readonly succeeded: string;
      readonly failed: string;
      readonly skipped: string;
    };
    readonly partsLabel: string;
    readonly progress: (values: { ended: number; all: number }) => string;
    readonly reconnecting: string;
    readonly cancel: string;
    readonly cancelTitle: string;
    readonly cancelWhat: string;
    readonly cancelled: string;
    readonly again: string;
    readonly results: string;
    readonly site: string;
    readonly noneOf: string;
    readonly gone: string;
    readonly goneWhy: string;
    readonly toList: string;
    readonly comparison: string;
    readonly same: (values: { count: number }) => string;
    readonly differ: (values: { answers: number }) => string;
    readonly moreAnswers: (values: { count: number }) => string;
    readonly noParts: string;
    readonly differing: string;
    readonly part: string;
    readonly has: string;
    readonly lacks: string;
    readonly numbers: string;
    readonly number: string;
    readonly lowest: string;
    readonly median: string;
    readonly highest: string;
    readonly numbersOf: {
      readonly downloadMbps: string;
      readonly uploadMbps: string;
      readonly rttMs: string;
      readonly hops: string;
      readonly openPorts: string;
      readonly hosts: string;
      readonly devices: string;
      readonly interfaces: string;
      readonly awakeAfterMs: string;
      readonly packets: string;
    };
    readonly failures: string;
    readonly reason: string;
    readonly sitesOf: (values: { count: number }) => string;
    readonly more: (values: { count: number }) => string;
    readonly partOf: (values: { part: string | number; count: number }) => string;
  };
  export default texts;
}

declare module 'messages:bell' {
  const texts: {
    readonly title: string;
    readonly titleOf: (values: { count: string | number }) => string;
    readonly heading: string;
    readonly markRead: string;
    readonly none: string;
    readonly noneWhy: string;
    readonly allEvents: string;
    readonly settings: string;
    readonly inBrowser: string;
    readonly inBrowserHow: string;
    readonly refused: string;
    readonly several: (values: { count: number }) => string;
    readonly more: (values: { count: number }) => string;
    readonly unread: string;
  };
  export default texts;
}

declare module 'messages:changes' {
  const texts: {
    readonly title: string;
    readonly span: string;
    readonly spans: {
      readonly yesterday: string;
      readonly friday: string;
      readonly week: string;
      readonly month: string;
      readonly date: string;
    };
    readonly since: string;
    readonly until: string;
    readonly today: string;
    readonly yesterday: string;
    readonly list: string;
    readonly none: string;
    readonly noneWhy: string;
    readonly shortNone: string;
    readonly truncated: string;
    readonly unreadable: string;
    readonly site: string;
    readonly subjects: {
      readonly site: string;
      readonly internet: string;
      readonly outage: string;
    };
    readonly all: string;
    readonly more: (values: { count: number }) => string;
    readonly showAll: string;
  };
  export default texts;
}

declare module 'messages:chart' {
  const texts: {
    readonly span: string;
    readonly spans: {
      readonly "1h": string;
      readonly "24h": string;
      readonly "7d": string;
      readonly "30d": string;
      readonly "1y": string;
    };
    readonly lastSpans: {
      readonly "1h": string;
      readonly "24h": string;
      readonly "7d": string;
      readonly "30d": string;
      readonly "1y": string;
    };
    readonly chart: (values: { title: string | number }) => string;
    readonly notMeasured: string;
    readonly nothing: string;
    readonly noAnswer: string;
    readonly range: (values: { low: string | number; high: string | number }) => string;
    readonly asChart: string;
    readonly table: string;
    readonly tableOf: (values: { title: string | number }) => string;
    readonly when: string;
    readonly leftOut: (values: { count: number }) => string;
  };
  export default texts;
}

declare module 'messages:check' {
  const texts: {
    readonly kinds: {
      readonly ping: string;
      readonly tcp: string;
      readonly http: string;
      readonly dns: string;
      readonly internet: string;
      readonly site: string;
    };
    readonly states: {
      readonly up: string;
      readonly down: string;
      readonly unknown: string;
    };
    readonly paused: string;
    readonly latency: string;
    readonly latencyOf: (values: { label: string | number }) => string;
    readonly loss: string;
    readonly lossOf: (values: { label: string | number }) => string;
    readonly ms: (values: { value: string | number }) => string;
    readonly percent: (values: { value: string | number }) => string;
    readonly nothing: string;
    readonly summary: (values: { uptime: string | boolean; span: string | number; rtt: string | boolean; loss: string | boolean }) => string;
    readonly lossSummary: (values: { span: string | number }) => string;
    readonly day: (values: { uptime: string | boolean; label: string | number }) => string;
    readonly compared: (values: { rtt: string | boolean; name: string | number }) => string;
    readonly compare: string;
    readonly compareOf: (values: { label: string | number }) => string;
    readonly before: string;
    readonly noPath: string;
    readonly silentHop: string;
  };
  export default texts;
}

declare module 'messages:checks' {
  const texts: {
    readonly title: string;
    readonly list: string;
    readonly add: string;
    readonly none: string;
    readonly noneWhy: string;
    readonly unreadable: string;
    readonly down: (values: { count: number }) => string;
    readonly up: (values: { count: number }) => string;
    readonly unknown: (values: { count: number }) => string;
    readonly state: string;
    readonly what: string;
    readonly since: string;
    readonly lastDay: string;
    readonly latency: string;
    readonly loss: string;
    readonly actions: string;
    readonly actionsOf: (values: { label: string | number }) => string;
    readonly pause: string;
    readonly resume: string;
    readonly paused: string;
    readonly resumed: string;
    readonly remove: string;
    readonly removeTitle: (values: { label: string | number }) => string;
    readonly removeWhat: string;
    readonly removed: string;
    readonly one: string;
    readonly gone: string;
    readonly goneHint: string;
    readonly toList: string;
    readonly about: string;
    readonly kind: string;
    readonly kinds: {
      readonly ping: string;
      readonly tcp: string;
      readonly http: string;
      readonly dns: string;
      readonly internet: string;
      readonly site: string;
    };
    readonly place: string;
    readonly placeHint: string;
    readonly placeMissing: string;
    readonly port: string;
    readonly portHint: string;
    readonly url: string;
    readonly urlHint: string;
    readonly status: string;
    readonly statusHint: string;
    readonly text: string;
    readonly name: string;
    readonly record: string;
    readonly server: string;
    readonly serverHint: string;
    readonly expect: string;
    readonly anchors: string;
    readonly anchorsHint: string;
    readonly toSite: string;
    readonly toSiteMissing: string;
    readonly label: string;
    readonly labelHint: string;
    readonly every: string;
    readonly agents: string;
    readonly agentsAuto: string;
    readonly agentsAll: string;
    readonly added: string;
    readonly overTime: string;
    readonly measuredBy: string;
    readonly agent: string;
    readonly when: string;
    readonly jitter: string;
    readonly noneMeasured: string;
    readonly certificate: string;
    readonly path: string;
  };
  export default texts;
}

declare module 'messages:commands' {
  const texts: {
    readonly tools: {
      readonly nmap: string;
      readonly wakeonlan: string;
      readonly arpscan: string;
      readonly traceroute: string;
      readonly speedtest: string;
      readonly nslookup: string;
      readonly internetinfo: string;
      readonly interfaces: string;
    };
    readonly purposes: {
      readonly nmap: string;
      readonly wakeonlan: string;
      readonly arpscan: string;
      readonly traceroute: string;
      readonly speedtest: string;
      readonly nslookup: string;
      readonly internetinfo: string;
      readonly interfaces: string;
    };
    readonly modes: {
      readonly fast: string;
      readonly normal: string;
      readonly detail: string;
      readonly skipdiscovery: string;
      readonly tcp: string;
      readonly udp: string;
    };
    readonly switches: {
      readonly verify: string;
    };
    readonly results: {
      readonly done: string;
      readonly noHost: string;
      readonly openPorts: (values: { count: number }) => string;
      readonly hosts: (values: { count: number }) => string;
      readonly devices: (values: { count: number }) => string;
      readonly hops: (values: { count: number }) => string;
      readonly ms: (values: { value: string | number }) => string;
      readonly notReached: string;
      readonly speed: (values: { down: string | number; up: string | number }) => string;
      readonly notFound: string;
      readonly more: (values: { count: number }) => string;
      readonly packets: (values: { count: number }) => string;
      readonly awakeAlready: string;
      readonly awakeAfter: (values: { duration: string | number }) => string;
      readonly interfaces: (values: { count: number }) => string;
    };
    readonly starting: string;
    readonly output: string;
    readonly rawOutput: string;
    readonly copyOutput: string;
    readonly downloadOutput: string;
    readonly beginningLeftOut: (values: { count: string | number }) => string;
    readonly noOutput: string;
    readonly result: string;
    readonly copyResult: string;
    readonly downloadResult: string;
    readonly moreRows: (values: { count: string | number }) => string;
    readonly nothing: string;
    readonly scan: {
      readonly ports: string;
      readonly hosts: string;
      readonly port: string;
      readonly service: string;
      readonly version: string;
      readonly state: string;
      readonly host: string;
      readonly device: string;
      readonly open: string;
      readonly isNew: string;
      readonly none: string;
      readonly noHosts: string;
      readonly timedOut: string;
      readonly tried: (values: { count: number }) => string;
      readonly unclear: string;
      readonly ofAll: (values: { up: string | number; all: string | number }) => string;
      readonly banners: string;
    };
    readonly trace: {
      readonly hops: string;
      readonly hop: string;
      readonly address: string;
      readonly best: string;
      readonly average: string;
      readonly silent: string;
      readonly notReached: string;
    };
    readonly speed: {
      readonly download: string;
      readonly upload: string;
      readonly ping: string;
      readonly unit: string;
      readonly ms: string;
      readonly server: string;
    };
    readonly lookup: {
      readonly records: string;
      readonly type: string;
      readonly value: string;
      readonly answeredBy: string;
      readonly byHost: string;
      readonly none: string;
    };
    readonly internet: {
      readonly ip: string;
      readonly provider: string;
      readonly place: string;
      readonly copy: string;
    };
    readonly found: {
      readonly networks: string;
      readonly network: string;
      readonly devices: string;
      readonly online: string;
      readonly reduced: string;
    };
    readonly wake: {
      readonly already: (values: { ip: string | number }) => string;
      readonly after: (values: { duration: string | number; ip: string | number }) => string;
      readonly sent: string;
      readonly packets: string;
      readonly to: string;
      readonly interface: string;
      readonly failed: string;
    };
    readonly interfaces: {
      readonly list: string;
      readonly name: string;
      readonly addresses: string;
      readonly mac: string;
      readonly mtu: string;
      readonly state: string;
      readonly up: string;
      readonly down: string;
    };
    readonly cancel: string;
    readonly cancelling: string;
    readonly awaySince: (values: { time: string | number }) => string;
    readonly states: {
      readonly queued: string;
      readonly accepted: string;
      readonly running: string;
      readonly succeeded: string;
      readonly failed: string;
      readonly cancelled: string;
      readonly expired: string;
      readonly interrupted: string;
      readonly lost: string;
    };
    readonly reasons: {
      readonly tool_failed: string;
      readonly timed_out: string;
      readonly tool_missing: string;
      readonly target_not_allowed: string;
      readonly invalid_target: string;
      readonly agent_busy: string;
      readonly deadline_passed: string;
      readonly discovery_off: string;
      readonly clock_skew: string;
      readonly agent_restarted: string;
      readonly agent_revoked: string;
      readonly lease_expired: string;
      readonly malformed_result: string;
      readonly internal_error: string;
    };
    readonly ahead: (values: { count: number }) => string;
    readonly progress: string;
    readonly percent: (values: { value: number }) => string;
    readonly reconnecting: string;
    readonly job: string;
    readonly truncated: string;
    readonly took: (values: { duration: string | number }) => string;
    readonly notAllowed: string;
    readonly notAllowedHint: string;
    readonly columns: {
      readonly state: string;
      readonly result: string;
      readonly command: string;
      readonly created: string;
      readonly took: string;
      readonly actor: string;
      readonly agent: string;
      readonly actions: string;
    };
  };
  export default texts;
}

declare module 'messages:common' {
  const texts: {
    readonly product: string;
    readonly cancel: string;
    readonly cannotCopy: string;
    readonly close: string;
    readonly copy: string;
    readonly copied: string;
    readonly selected: string;
    readonly delete: string;
    readonly edit: string;
    readonly loading: string;
    readonly messages: string;
    readonly more: string;
    readonly never: string;
    readonly none: string;
    readonly requestId: string;
    readonly save: string;
    readonly tryAgain: string;
    readonly undo: string;
    readonly paused: string;
    readonly unreachable: string;
    readonly withKey: (values: { label: string | number; key: string | number }) => string;
    readonly withRequestId: (values: { message: string | number; id: string | number }) => string;
    readonly devices: (values: { count: number }) => string;
    readonly andMore: (values: { count: number }) => string;
    readonly addresses: string;
    readonly addressesHint: string;
    readonly toSites: string;
    readonly toastAction: (values: { label: string | number }) => string;
  };
  export default texts;
}

declare module 'messages:confidence' {
  const texts: {
    readonly certain: string;
    readonly veryLikely: string;
    readonly likely: string;
  };
  export default texts;
}

declare module 'messages:connect' {
  const texts: {
    readonly title: string;
    readonly titleOf: (values: { name: string | number }) => string;
    readonly gone: string;
    readonly goneWhy: string;
    readonly kinds: {
      readonly assistant: string;
      readonly device: string;
    };
    readonly leadsTo: (values: { host: string | number }) => string;
    readonly from: (values: { address: string | number }) => string;
    readonly nameWarning: string;
    readonly warning: {
      readonly assistant: string;
      readonly device: string;
    };
    readonly may: string;
    readonly mayNot: (values: { scopes: string | number }) => string;
    readonly nothing: string;
    readonly mayMissing: string;
    readonly where: string;
    readonly ends: string;
    readonly allow: string;
    readonly deny: string;
    readonly leaving: string;
  };
  export default texts;
}

declare module 'messages:device' {
  const texts: {
    readonly gone: string;
    readonly goneHint: string;
    readonly deletedTitle: string;
    readonly deletedWhen: string;
    readonly bringBack: string;
    readonly toDevices: string;
    readonly whatHappened: string;
    readonly noName: string;
    readonly profile: string;
    readonly tabs: {
      readonly overview: string;
      readonly ports: string;
      readonly runs: string;
    };
    readonly tabsOf: (values: { name: string | number }) => string;
    readonly rename: string;
    readonly favourite: string;
    readonly alertDown: string;
    readonly alertDownOff: string;
    readonly alertDownHint: string;
    readonly archive: string;
    readonly unarchive: string;
    readonly delete: string;
    readonly acknowledge: string;
    readonly moreActions: string;
    readonly isNew: string;
    readonly newHint: string;
    readonly since: string;
    readonly edit: string;
    readonly add: string;
    readonly editField: (values: { field: string | number }) => string;
    readonly copyOf: (values: { field: string | number }) => string;
    readonly addresses: string;
    readonly whatItIs: string;
    readonly place: string;
    readonly seen: string;
    readonly parentPort: string;
    readonly more: string;
    readonly notKnown: string;
    readonly notKnownShort: string;
    readonly byPerson: string;
    readonly byPersonHint: string;
    readonly evidenceSays: (values: { value: string | number; confidence: string | number }) => string;
    readonly why: string;
    readonly observations: (values: { count: number }) => string;
    readonly ownWords: string;
    readonly byScans: string;
    readonly madeUpMac: string;
    readonly noMac: string;
    readonly countsAsOffline: (values: { minutes: number }) => string;
    readonly seenBy: string;
    readonly seenByNobody: string;
    readonly sees: string;
    readonly seesNot: string;
    readonly conflict: (values: { fields: string | number }) => string;
    readonly nowIs: (values: { value: string | number }) => string;
    readonly nowEmpty: string;
    readonly takeIt: string;
    readonly othersChanged: (values: { fields: string | number }) => string;
    readonly parentHint: string;
    readonly editTitle: string;
    readonly saved: string;
    readonly deleteTitle: string;
    readonly deleteText: (values: { name: string | number }) => string;
    readonly deleteHint: string;
    readonly deleteYes: string;
    readonly deleted: (values: { name: string | number }) => string;
    readonly restored: (values: { name: string | number }) => string;
    readonly overTime: string;
    readonly onlineIn: {
      readonly "24h": string;
      readonly "7d": string;
      readonly "30d": string;
    };
    readonly percent: (values: { percent: string | number }) => string;
    readonly partKnown: (values: { length: string | number }) => string;
    readonly presence: string;
    readonly presenceByDay: string;
    readonly presenceUnknown: string;
    readonly online: (values: { percent: string | number; part: string | number }) => string;
    readonly onlineLately: (values: { percent: string | number }) => string;
    readonly knownPart: (values: { length: string | number }) => string;
    readonly watch: string;
    readonly watchHint: string;
    readonly watched: string;
    readonly allChecks: string;
    readonly timesAway: (values: { count: number; longest: string | number }) => string;
    readonly stale: string;
    readonly imported: string;
    readonly presenceStrip: string;
    readonly states: {
      readonly online: string;
      readonly offline: string;
      readonly down: string;
      readonly unknown: string;
      readonly unwatched: string;
    };
    readonly state: string;
    readonly period: (values: { state: string | number; from: string | number; to: string | number; length: string | number }) => string;
    readonly now: string;
    readonly presenceTable: string;
    readonly from: string;
    readonly to: string;
    readonly duration: string;
    readonly leftOut: (values: { count: number }) => string;
    readonly unread: string;
    readonly ports: string;
    readonly portsTable: string;
    readonly neverScanned: string;
    readonly neverScannedHint: string;
    readonly mayNotScan: string;
    readonly openNow: (values: { count: number }) => string;
    readonly scannedAt: string;
    readonly scanNow: string;
    readonly noneOpen: string;
    readonly changesSince: string;
    readonly sinceNames: {
      readonly "1": string;
      readonly "7": string;
      readonly "30": string;
      readonly "90": string;
      readonly last: string;
    };
    readonly port: string;
    readonly service: string;
    readonly sinceWhen: string;
    readonly seenInScan: string;
    readonly toScan: string;
    readonly identified: string;
    readonly marks: {
      readonly new: string;
      readonly closed: string;
    };
    readonly noService: string;
    readonly needsAddress: string;
    readonly wakeHint: string;
    readonly proof: (values: { ip: string | number; seconds: string | number }) => string;
    readonly alreadyAwake: (values: { ip: string | number }) => string;
    readonly noProof: string;
    readonly notSeenOut: string;
    readonly closeOf: (values: { title: string | number }) => string;
    readonly mode: string;
    readonly modes: {
      readonly fast: string;
      readonly normal: string;
      readonly detail: string;
      readonly skipdiscovery: string;
      readonly udp: string;
    };
    readonly timeline: string;
    readonly kindsOf: string;
    readonly kinds: {
      readonly all: string;
      readonly presence: string;
      readonly ports: string;
      readonly names: string;
      readonly checks: string;
      readonly changes: string;
    };
    readonly noEvents: string;
    readonly noEventsHint: string;
    readonly olderEvents: string;
    readonly noRuns: string;
    readonly noRunsHint: string;
    readonly noRunsLately: string;
    readonly again: string;
    readonly againOf: (values: { title: string | number }) => string;
    readonly days: (values: { count: number }) => string;
    readonly hours: (values: { count: number }) => string;
    readonly minutes: (values: { count: number }) => string;
    readonly lessThanAMinute: string;
  };
  export default texts;
}

declare module 'messages:deviceFields' {
  const texts: {
    readonly devName: string;
    readonly devType: string;
    readonly devVendor: string;
    readonly devGroup: string;
    readonly devOwner: string;
    readonly devLocation: string;
    readonly devParentMAC: string;
    readonly devParentPort: string;
    readonly devComments: string;
    readonly devLastIP: string;
    readonly devPrimaryIPv4: string;
    readonly devPrimaryIPv6: string;
    readonly devMac: string;
    readonly devFQDN: string;
    readonly devFirstConnection: string;
    readonly devLastConnection: string;
    readonly devFavorite: string;
    readonly devIsNew: string;
    readonly devIsArchived: string;
    readonly devAlertDown: string;
    readonly devPresentLastScan: string;
    readonly devSite: string;
    readonly devStaticIP: string;
    readonly devVlan: string;
    readonly devSSID: string;
    readonly devParentRelType: string;
    readonly devIcon: string;
    readonly devCustomProps: string;
    readonly devSourcePlugin: string;
    readonly devGUID: string;
    readonly devRandomMAC: string;
    readonly devAddresses: string;
    readonly devConflict: string;
    readonly devModel: string;
    readonly devOtherMACs: string;
  };
  export default texts;
}

declare module 'messages:devices' {
  const texts: {
    readonly title: string;
    readonly tabs: {
      readonly my: string;
      readonly online: string;
      readonly offline: string;
      readonly down: string;
      readonly new: string;
      readonly favorites: string;
      readonly archived: string;
      readonly deleted: string;
    };
    readonly columns: {
      readonly status: string;
      readonly name: string;
      readonly ip: string;
      readonly mac: string;
      readonly presence: string;
      readonly latency: string;
      readonly type: string;
      readonly group: string;
      readonly vendor: string;
      readonly owner: string;
      readonly location: string;
      readonly parent: string;
      readonly parentPort: string;
      readonly fqdn: string;
      readonly firstConnection: string;
      readonly lastConnection: string;
      readonly comments: string;
    };
    readonly actionsColumn: string;
    readonly sorts: {
      readonly name: string;
      readonly status: string;
      readonly ip: string;
      readonly mac: string;
      readonly type: string;
      readonly group: string;
      readonly vendor: string;
      readonly "-lastConnection": string;
      readonly "-firstConnection": string;
    };
    readonly sortBy: string;
    readonly search: string;
    readonly searchHint: string;
    readonly filterNames: {
      readonly status: string;
      readonly type: string;
      readonly group: string;
      readonly vendor: string;
      readonly watch: string;
      readonly port: string;
    };
    readonly filterHints: {
      readonly status: string;
      readonly type: string;
      readonly group: string;
      readonly vendor: string;
      readonly watch: string;
      readonly port: string;
    };
    readonly filters: string;
    readonly removeFilter: (values: { filter: string | number }) => string;
    readonly watchValues: {
      readonly watched: string;
      readonly unknown: string;
    };
    readonly without: string;
    readonly clearFilter: string;
    readonly groupBy: string;
    readonly groupings: {
      readonly new: string;
      readonly type: string;
      readonly group: string;
      readonly location: string;
      readonly parent: string;
      readonly subnet: string;
    };
    readonly newGroups: {
      readonly new: string;
      readonly known: string;
    };
    readonly views: string;
    readonly saveView: string;
    readonly saveViewTitle: string;
    readonly saveViewHint: string;
    readonly viewName: string;
    readonly viewSaved: (values: { name: string | number }) => string;
    readonly removeView: (values: { name: string | number }) => string;
    readonly viewRemoved: (values: { name: string | number }) => string;
    readonly copyLink: string;
    readonly moreActions: string;
    readonly columnsTitle: string;
    readonly columnsReset: string;
    readonly selected: string;
    readonly selectOne: (values: { name: string | number }) => string;
    readonly favourite: string;
    readonly nameless: string;
    readonly isNew: string;
    readonly selectedOf: (values: { selected: number; total: number }) => string;
    readonly selectAll: (values: { count: string | number }) => string;
    readonly clearSelection: string;
    readonly withSelected: string;
    readonly working: string;
    readonly presenceLabel: (values: { percent: number }) => string;
    readonly presenceLabelUnknown: string;
    readonly presenceShort: (values: { percent: number }) => string;
    readonly presenceUnknown: string;
    readonly latencyHigh: string;
    readonly actions: {
      readonly open: string;
      readonly edit: string;
      readonly favourite: string;
      readonly unfavourite: string;
      readonly acknowledge: string;
      readonly name: string;
      readonly giveName: string;
      readonly archive: string;
      readonly unarchive: string;
      readonly delete: string;
      readonly wake: string;
      readonly scan: string;
      readonly trace: string;
      readonly copyIp: string;
      readonly copyMac: string;
    };
    readonly rowActions: (values: { name: string | number }) => string;
    readonly copied: (values: { text: string | number }) => string;
    readonly runs: {
      readonly wake: (values: { done: number; count: number }) => string;
      readonly scan: (values: { done: number; count: number }) => string;
      readonly stop: string;
      readonly waking: (values: { name: string | number }) => string;
      readonly scanning: (values: { name: string | number }) => string;
      readonly awake: (values: { name: string | number }) => string;
      readonly alreadyAwake: (values: { name: string | number }) => string;
      readonly notAwake: (values: { name: string | number }) => string;
      readonly scanned: (values: { name: string | number; ports: number }) => string;
      readonly failed: (values: { name: string | number }) => string;
      readonly show: string;
      readonly wokenMany: (values: { awake: number; count: number }) => string;
      readonly scannedMany: (values: { done: number; count: number }) => string;
      readonly tooMany: (values: { most: number }) => string;
      readonly without: (values: { count: number }) => string;
    };
    readonly panel: {
      readonly label: (values: { name: string | number }) => string;
      readonly toPage: string;
      readonly facts: string;
      readonly ports: string;
      readonly neverScanned: string;
      readonly noneOpen: string;
      readonly morePorts: (values: { count: number }) => string;
      readonly changes: string;
      readonly noChanges: string;
      readonly presence: string;
    };
    readonly acknowledgeAll: (values: { count: number }) => string;
    readonly acknowledged: (values: { count: number }) => string;
    readonly archived: (values: { count: number }) => string;
    readonly unarchived: (values: { count: number }) => string;
    readonly edited: (values: { count: number }) => string;
    readonly deleted: (values: { count: number }) => string;
    readonly restored: (values: { count: number }) => string;
    readonly deletedTitle: string;
    readonly deletedAt: string;
    readonly deletedBy: string;
    readonly restore: string;
    readonly restoreMany: (values: { restored: number }) => string;
    readonly isRestored: string;
    readonly noneDeleted: string;
    readonly noneDeletedHint: string;
    readonly missing: (values: { count: number }) => string;
    readonly deleteTitle: (values: { count: number }) => string;
    readonly deleteOne: (values: { name: string | number }) => string;
    readonly deleteMany: (values: { count: number }) => string;
    readonly deleteUndo: string;
    readonly deleteNow: (values: { count: string | number }) => string;
    readonly editTitle: (values: { count: number }) => string;
    readonly editHint: string;
    readonly editNow: (values: { count: number }) => string;
    readonly editing: (values: { done: number; count: number }) => string;
    readonly editWould: (values: { updated: number; unchanged: number }) => string;
    readonly editInParts: (values: { count: string | number }) => string;
    readonly editedPartly: (values: { done: number; left: number }) => string;
    readonly newValue: (values: { field: string | number }) => string;
    readonly asItIs: string;
    readonly emptied: string;
    readonly yes: string;
    readonly no: string;
    readonly none: string;
    readonly noneHint: string;
    readonly firstSteps: {
      readonly addAgent: string;
      readonly connectAgent: string;
      readonly watch: (values: { agent: string | number; count: number; networks: string | number }) => string;
      readonly wait: (values: { count: number; networks: string | number }) => string;
      readonly clear: (values: { state: string | number }) => string;
    };
    readonly watch: string;
    readonly addAgent: string;
    readonly toAgents: string;
    readonly toDiscovery: string;
    readonly nothingFits: string;
    readonly nothingFitsHint: string;
    readonly allArchived: string;
    readonly keys: {
      readonly search: string;
      readonly down: string;
      readonly up: string;
      readonly pageDown: string;
      readonly pageUp: string;
      readonly first: string;
      readonly last: string;
      readonly open: string;
      readonly panel: string;
      readonly closePanel: string;
      readonly select: string;
      readonly selectRange: string;
      readonly selectAll: string;
      readonly clear: string;
      readonly edit: string;
      readonly favourite: string;
      readonly archive: string;
      readonly acknowledge: string;
      readonly delete: string;
      readonly wake: string;
      readonly scan: string;
    };
  };
  export default texts;
}

declare module 'messages:enrol' {
  const texts: {
    readonly needsAdmin: string;
    readonly noSite: (values: { id: string | number }) => string;
    readonly agentTitle: (values: { site: string | number }) => string;
    readonly againTitle: (values: { site: string | number }) => string;
    readonly agentIntro: string;
    readonly agentName: string;
    readonly agentNameHint: string;
    readonly replace: string;
    readonly discover: string;
    readonly discoverHint: string;
    readonly several: string;
    readonly uses: string;
    readonly usesHint: string;
    readonly usesWrong: string;
    readonly validity: string;
    readonly hoursOf: {
      readonly "1": string;
      readonly "24": string;
      readonly "168": string;
      readonly "720": string;
    };
    readonly networks: string;
    readonly networksHint: string;
    readonly networksWrong: string;
    readonly makeLine: string;
    readonly agent: (values: { name: string | number; site: string | number }) => string;
    readonly install: string;
    readonly debian: string;
    readonly debianLine: string;
    readonly npm: string;
    readonly npmLine: string;
    readonly installHow: string;
    readonly run: string;
    readonly installAndRun: string;
    readonly way: string;
    readonly ways: {
      readonly linux: string;
      readonly container: string;
      readonly npm: string;
      readonly proxmox: string;
    };
    readonly wayHints: {
      readonly linux: string;
      readonly container: string;
      readonly npm: string;
      readonly proxmox: string;
    };
    readonly line: string;
    readonly nextLine: (values: { number: string | number }) => string;
    readonly works: (values: { uses: number }) => string;
    readonly madeOnce: string;
    readonly codes: string;
    readonly hosts: (values: { used: number; uses: number }) => string;
    readonly until: string;
    readonly revoke: string;
    readonly revokeOf: (values: { name: string | number }) => string;
    readonly revoked: string;
    readonly address: string;
    readonly addressError: string;
    readonly loopback: (values: { url: string | number }) => string;
    readonly expired: string;
    readonly notKept: string;
    readonly newLine: string;
    readonly wait: string;
    readonly agentIs: string;
    readonly mayNotSee: string;
    readonly steps: {
      readonly enrolled: string;
      readonly enrolledWaiting: string;
      readonly online: string;
      readonly onlineWaiting: string;
      readonly onlineHint: string;
      readonly devices: (values: { count: number }) => string;
      readonly devicesKnown: (values: { count: number }) => string;
      readonly devicesWaiting: string;
      readonly looksAt: (values: { networks: string | number }) => string;
      readonly devicesLater: string;
      readonly discoveryOff: string;
    };
    readonly states: {
      readonly done: string;
      readonly waiting: string;
      readonly later: string;
      readonly problem: string;
    };
    readonly switchOn: string;
    readonly firstDevices: string;
    readonly toDevices: string;
    readonly toSettings: string;
    readonly toAgent: string;
  };
  export default texts;
}

declare module 'messages:eventGroups' {
  const texts: {
    readonly devices: string;
    readonly ports: string;
    readonly checks: string;
    readonly sites: string;
  };
  export default texts;
}

declare module 'messages:eventNames' {
  const texts: {
    readonly new: string;
    readonly online: string;
    readonly offline: string;
    readonly down: string;
    readonly found: string;
    readonly "ip-changed": string;
    readonly conflict: string;
    readonly renamed: string;
    readonly edited: string;
    readonly archived: string;
    readonly deleted: string;
    readonly restored: string;
    readonly imported: string;
    readonly joined: string;
    readonly split: string;
    readonly "port-opened": string;
    readonly "port-closed": string;
    readonly "check-down": string;
    readonly "check-up": string;
    readonly "certificate-ending": string;
    readonly "route-changed": string;
    readonly "agent-lost": string;
    readonly "agent-back": string;
    readonly "agent-update-failed": string;
    readonly "site-dark": string;
    readonly "site-back": string;
    readonly "internet-lost": string;
    readonly "internet-back": string;
    readonly "address-changed": string;
    readonly "speed-low": string;
    readonly "speed-normal": string;
    readonly outage: string;
    readonly "outage-over": string;
    readonly "turn-missed": string;
    readonly flapping: string;
    readonly digest: string;
    readonly test: string;
    readonly report: string;
  };
  export default texts;
}

declare module 'messages:events' {
  const texts: {
    readonly title: string;
    readonly titleOfAll: string;
    readonly filterType: string;
    readonly anyType: string;
    readonly groups: string;
    readonly presence: string;
    readonly problems: string;
    readonly edits: string;
    readonly outages: string;
    readonly allOf: (values: { group: string | number }) => string;
    readonly members: (values: { count: number }) => string;
    readonly moreMembers: (values: { count: number }) => string;
    readonly filterPeriod: string;
    readonly periods: {
      readonly "": string;
      readonly "1h": string;
      readonly "24h": string;
      readonly "7d": string;
      readonly "30d": string;
    };
    readonly filterText: string;
    readonly filterTextHint: string;
    readonly everyDevice: string;
    readonly clearFilters: string;
    readonly today: string;
    readonly yesterday: string;
    readonly newOnes: (values: { count: number }) => string;
    readonly since: (values: { count: string | number }) => string;
    readonly sinceMark: string;
    readonly sinceHow: string;
    readonly atLeast: (values: { count: number }) => string;
    readonly noSites: string;
    readonly none: string;
    readonly noneWhy: string;
    readonly noMatch: string;
    readonly noMatchYet: (values: { count: number }) => string;
    readonly noMatchYetHow: string;
    readonly end: string;
    readonly unreadable: (values: { count: number }) => string;
    readonly allOfDevice: (values: { name: string | number }) => string;
    readonly unnamed: string;
    readonly nothing: string;
    readonly yes: string;
    readonly no: string;
    readonly causes: {
      readonly import: string;
      readonly restore: string;
    };
    readonly toldLate: (values: { utc: string | number; time: string | number }) => string;
    readonly folded: {
      readonly new: (values: { count: number }) => string;
      readonly online: (values: { count: number }) => string;
      readonly offline: (values: { count: number }) => string;
      readonly down: (values: { count: number }) => string;
      readonly "ip-changed": (values: { count: number }) => string;
      readonly conflict: (values: { count: number }) => string;
      readonly renamed: (values: { count: number }) => string;
      readonly edited: (values: { count: number }) => string;
      readonly archived: (values: { count: number }) => string;
      readonly deleted: (values: { count: number }) => string;
      readonly restored: (values: { count: number }) => string;
      readonly imported: (values: { count: number }) => string;
      readonly "port-opened": (values: { count: number }) => string;
      readonly "port-closed": (values: { count: number }) => string;
    };
    readonly foldedOther: (values: { name: string | number; count: number }) => string;
    readonly at: (values: { sentence: string | number; site: string | number }) => string;
    readonly sentences: {
      readonly firstSeen: (values: { device: string | number }) => string;
      readonly added: (values: { device: string | number }) => string;
      readonly online: (values: { device: string | number }) => string;
      readonly setOnline: (values: { device: string | number }) => string;
      readonly offline: (values: { device: string | number }) => string;
      readonly setOffline: (values: { device: string | number }) => string;
      readonly down: (values: { device: string | number }) => string;
      readonly setDown: (values: { device: string | number }) => string;
      readonly addressGot: (values: { device: string | number; to: string | number }) => string;
      readonly addressChanged: (values: { device: string | number; to: string | number; from: string | number }) => string;
      readonly addressLost: (values: { device: string | number; from: string | number }) => string;
      readonly conflict: (values: { device: string | number; to: string | number }) => string;
      readonly conflictOver: (values: { device: string | number; from: string | number }) => string;
      readonly named: (values: { device: string | number }) => string;
      readonly renamed: (values: { from: string | number; device: string | number }) => string;
      readonly nameLost: (values: { device: string | number; from: string | number }) => string;
      readonly archived: (values: { device: string | number }) => string;
      readonly unarchived: (values: { device: string | number }) => string;
      readonly acknowledged: (values: { device: string | number }) => string;
      readonly markedNew: (values: { device: string | number }) => string;
      readonly favourite: (values: { device: string | number }) => string;
      readonly noFavourite: (values: { device: string | number }) => string;
      readonly alertOn: (values: { device: string | number }) => string;
      readonly alertOff: (values: { device: string | number }) => string;
      readonly fieldSet: (values: { device: string | number; field: string | number; to: string | number }) => string;
      readonly fieldChanged: (values: { device: string | number; field: string | number; to: string | number; from: string | number }) => string;
      readonly fieldCleared: (values: { device: string | number; field: string | number; from: string | number }) => string;
      readonly edited: (values: { device: string | number; count: string | number }) => string;
      readonly extraEdited: (values: { device: string | number }) => string;
      readonly deleted: (values: { device: string | number }) => string;
      readonly restored: (values: { device: string | number }) => string;
      readonly imported: (values: { device: string | number }) => string;
      readonly found: (values: { device: string | number }) => string;
      readonly manyImported: (values: { count: string | number }) => string;
      readonly manyImportedAndDeleted: (values: { count: string | number; deleted: string | number }) => string;
      readonly manyEdited: (values: { count: string | number }) => string;
      readonly manySeen: (values: { count: string | number }) => string;
      readonly manyFound: (values: { count: string | number }) => string;
      readonly manyDeleted: (values: { count: string | number }) => string;
      readonly manyRestored: (values: { count: string | number }) => string;
      readonly many: (values: { count: string | number }) => string;
    };
    readonly countedFields: (values: { count: number }) => string;
    readonly countedDevices: (values: { count: number }) => string;
  };
  export default texts;
}

declare module 'messages:firstSteps' {
  const texts: {
    readonly title: string;
    readonly progress: (values: { done: number; all: number }) => string;
    readonly hide: string;
    readonly done: string;
    readonly open: string;
    readonly steps: {
      readonly agent: string;
      readonly watch: string;
      readonly name: string;
      readonly notify: string;
      readonly site: string;
      readonly token: string;
    };
    readonly about: {
      readonly agent: string;
      readonly watch: string;
      readonly name: (values: { named: number }) => string;
      readonly notify: string;
      readonly site: string;
      readonly token: string;
    };
    readonly addAgent: string;
    readonly seeAgents: string;
    readonly turnOn: string;
    readonly turnOnFor: (values: { networks: string | number }) => string;
    readonly hindered: string;
    readonly settings: string;
    readonly nameThem: string;
    readonly notify: string;
    readonly addSite: string;
    readonly makeToken: string;
    readonly looking: string;
    readonly found: (values: { count: number }) => string;
    readonly all: string;
  };
  export default texts;
}

declare module 'messages:format' {
  const texts: {
    readonly called: (values: { maker: string | number; kind: string | number }) => string;
    readonly calledWithoutKind: (values: { maker: string | number }) => string;
    readonly days: string;
    readonly hours: string;
    readonly minutes: string;
    readonly every: (values: { unit: string | boolean; count: number }) => string;
  };
  export default texts;
}

declare module 'messages:import' {
  const texts: {
    readonly import: string;
    readonly export: string;
    readonly title: string;
    readonly file: string;
    readonly hint: string;
    readonly choose: string;
    readonly chooseOther: string;
    readonly drop: string;
    readonly mode: string;
    readonly modes: {
      readonly merge: string;
      readonly replace: string;
    };
    readonly replaceNevertheless: string;
    readonly reading: string;
    readonly added: string;
    readonly updated: string;
    readonly deleted: string;
    readonly skipped: string;
    readonly adjusted: string;
    readonly skippedLines: string;
    readonly adjustedLines: string;
    readonly line: (values: { line: number }) => string;
    readonly moreLines: (values: { count: number }) => string;
    readonly ignoredColumns: string;
    readonly importNow: (values: { deleted: number; inserted: number }) => string;
    readonly importing: string;
    readonly done: (values: { deleted: number; inserted: number }) => string;
    readonly exportTitle: string;
    readonly exportAll: string;
    readonly exportAllNow: string;
    readonly exportShort: string;
    readonly exportShortNow: string;
  };
  export default texts;
}

declare module 'messages:internet' {
  const texts: {
    readonly title: string;
    readonly now: string;
    readonly state: string;
    readonly states: {
      readonly up: string;
      readonly down: string;
      readonly unknown: string;
    };
    readonly since: string;
    readonly notMeasured: string;
    readonly nothing: string;
    readonly address: string;
    readonly noSpeed: string;
    readonly usual: (values: { mbps: string | number }) => string;
    readonly slower: (values: { mbps: string | number }) => string;
    readonly slow: string;
    readonly down: string;
    readonly up: string;
    readonly ping: string;
    readonly unit: string;
    readonly ms: (values: { value: string | number }) => string;
    readonly nextTest: string;
    readonly everySixHours: string;
    readonly everySixHoursWhat: string;
    readonly measureNow: string;
    readonly running: string;
    readonly runningAt: (values: { percent: string | number }) => string;
    readonly measured: string;
    readonly failed: string;
    readonly why: string;
    readonly measuring: string;
    readonly notMeasuring: string;
    readonly scheduleName: string;
    readonly checkLabel: string;
    readonly none: string;
    readonly noneWhy: string;
    readonly noneForToken: string;
    readonly overTime: string;
    readonly speedChart: string;
    readonly speedSummary: (values: { tests: string | number; down: string | number; up: string | number }) => string;
    readonly noTests: string;
    readonly tests: (values: { count: number }) => string;
    readonly band: string;
    readonly outageCount: (values: { count: number }) => string;
    readonly stretch: (values: { state: string | number; from: string | number; to: string | number }) => string;
    readonly history: string;
    readonly historyOf: string;
    readonly when: string;
    readonly earlier: string;
    readonly outages: string;
    readonly noOutages: string;
    readonly allOutages: string;
    readonly downList: string;
    readonly from: string;
    readonly to: string;
    readonly duration: string;
    readonly cause: string;
    readonly ongoing: string;
    readonly causeUnknown: string;
  };
  export default texts;
}

declare module 'messages:keyCaps' {
  const texts: {
    readonly control: string;
  };
  export default texts;
}

declare module 'messages:kinds' {
  const texts: {
    readonly router: string;
    readonly firewall: string;
    readonly switch: string;
    readonly "access-point": string;
    readonly server: string;
    readonly hypervisor: string;
    readonly "virtual-machine": string;
    readonly nas: string;
    readonly computer: string;
    readonly laptop: string;
    readonly "single-board": string;
    readonly phone: string;
    readonly tablet: string;
    readonly watch: string;
    readonly printer: string;
    readonly scanner: string;
    readonly tv: string;
    readonly "media-player": string;
    readonly speaker: string;
    readonly "game-console": string;
    readonly camera: string;
    readonly "voip-phone": string;
    readonly "smart-home": string;
    readonly "smart-plug": string;
    readonly thermostat: string;
    readonly appliance: string;
    readonly vacuum: string;
    readonly ups: string;
    readonly solar: string;
  };
  export default texts;
}

declare module 'messages:map' {
  const texts: {
    readonly title: string;
    readonly titleOf: (values: { site: string | number }) => string;
    readonly labels: {
      readonly tree: string;
      readonly lanes: string;
      readonly points: string;
      readonly list: string;
    };
    readonly views: string;
    readonly viewNames: {
      readonly tree: string;
      readonly lanes: string;
      readonly points: string;
      readonly list: string;
    };
    readonly search: string;
    readonly searchHint: string;
    readonly found: (values: { count: number }) => string;
    readonly nextFound: string;
    readonly downOnly: string;
    readonly enlarge: string;
    readonly reduce: string;
    readonly fit: string;
    readonly actions: string;
    readonly move: string;
    readonly moveKey: string;
    readonly moveDevice: (values: { name: string | number }) => string;
    readonly whichDevice: string;
    readonly newParent: string;
    readonly parentHint: string;
    readonly noneFits: string;
    readonly firstOf: (values: { shown: number; all: number }) => string;
    readonly noParent: string;
    readonly moved: (values: { name: string | number; parent: string | number }) => string;
    readonly movedAway: (values: { name: string | number }) => string;
    readonly circle: (values: { name: string | number; parent: string | number }) => string;
    readonly onItself: (values: { name: string | number }) => string;
    readonly saveSvg: string;
    readonly savePng: string;
    readonly notSaved: string;
    readonly internet: string;
    readonly withoutParent: string;
    readonly withoutAddress: string;
    readonly counts: (values: { down: number; count: number }) => string;
    readonly down: (values: { count: number }) => string;
    readonly open: (values: { name: string | number }) => string;
    readonly fold: (values: { name: string | number }) => string;
    readonly inStatus: (values: { count: number; status: string | number }) => string;
    readonly onPort: (values: { port: string | number }) => string;
    readonly hint: string;
    readonly past: string;
    readonly pastAt: string;
    readonly pastSpan: string;
    readonly lastDays: (values: { days: number }) => string;
    readonly wasSo: (values: { time: string | number }) => string;
    readonly backToNow: string;
    readonly now: string;
    readonly noPast: string;
    readonly closePast: string;
    readonly empty: string;
    readonly emptyHint: string;
    readonly emptyThen: string;
    readonly toDevices: string;
    readonly noParents: string;
    readonly toLanes: string;
    readonly countsOnly: string;
    readonly treesLeftOut: (values: { count: number }) => string;
    readonly proposals: string;
    readonly proposed: (values: { count: number }) => string;
    readonly showProposals: string;
    readonly hideProposals: string;
    readonly accept: string;
    readonly acceptOne: (values: { name: string | number }) => string;
    readonly acceptAll: (values: { count: number }) => string;
    readonly placedAt: (values: { name: string | number; parent: string | number }) => string;
    readonly accepted: (values: { count: number }) => string;
    readonly acceptedSome: (values: { count: number; skipped: number }) => string;
    readonly nothingDown: string;
    readonly panel: string;
    readonly connectedTo: (values: { parent: string | number }) => string;
    readonly ifItFails: string;
    readonly falls: (values: { count: number }) => string;
    readonly openDevice: string;
    readonly moveIt: string;
    readonly withoutPoint: string;
    readonly openAll: string;
    readonly closeAll: string;
    readonly closePanel: string;
  };
  export default texts;
}

declare module 'messages:matrix' {
  const texts: {
    readonly title: string;
    readonly intro: string;
    readonly table: string;
    readonly from: string;
    readonly fromSite: (values: { name: string | number }) => string;
    readonly add: string;
    readonly addTitle: string;
    readonly addWhat: string;
    readonly sites: string;
    readonly sitesMissing: string;
    readonly added: (values: { count: number }) => string;
    readonly unreachable: (values: { names: string | number }) => string;
    readonly none: string;
    readonly noneWhy: string;
    readonly oneSite: string;
    readonly unreadable: string;
    readonly self: string;
    readonly notChecked: string;
    readonly down: string;
    readonly unknown: string;
    readonly cell: (values: { from: string | number; to: string | number; state: string | number }) => string;
    readonly way: (values: { from: string | number; to: string | number }) => string;
    readonly state: string;
    readonly since: string;
    readonly latency: string;
    readonly loss: string;
    readonly path: string;
    readonly toCheck: string;
    readonly lossText: (values: { percent: string | number }) => string;
  };
  export default texts;
}

declare module 'messages:notifications' {
  const texts: {
    readonly title: string;
    readonly intro: string;
    readonly add: string;
    readonly addFirst: string;
    readonly none: string;
    readonly noneWhy: string;
    readonly forbidden: string;
    readonly unreadable: string;
    readonly list: string;
    readonly services: {
      readonly email: {
        readonly name: string;
        readonly about: string;
      };
      readonly ntfy: {
        readonly name: string;
        readonly about: string;
      };
      readonly telegram: {
        readonly name: string;
        readonly about: string;
      };
      readonly slack: {
        readonly name: string;
        readonly about: string;
      };
      readonly discord: {
        readonly name: string;
        readonly about: string;
      };
      readonly teams: {
        readonly name: string;
        readonly about: string;
      };
      readonly gotify: {
        readonly name: string;
        readonly about: string;
      };
      readonly pushover: {
        readonly name: string;
        readonly about: string;
      };
      readonly apprise: {
        readonly name: string;
        readonly about: string;
      };
      readonly webhook: {
        readonly name: string;
        readonly about: string;
      };
    };
    readonly choose: string;
    readonly addTo: (values: { service: string | number }) => string;
    readonly editTitle: string;
    readonly another: string;
    readonly keep: string;
    readonly name: string;
    readonly nameHint: string;
    readonly fields: {
      readonly server: string;
      readonly topic: string;
      readonly topicHint: string;
      readonly url: string;
      readonly urlHint: string;
      readonly botToken: string;
      readonly botTokenHint: string;
      readonly chat: string;
      readonly chatHint: string;
      readonly appToken: string;
      readonly userKey: string;
      readonly tokenHint: string;
      readonly address: string;
      readonly addressHint: string;
      readonly appriseKey: string;
      readonly appriseHint: string;
      readonly appriseTag: string;
    };
    readonly missing: string;
    readonly events: string;
    readonly presets: {
      readonly important: string;
      readonly new: string;
      readonly outages: string;
      readonly custom: string;
    };
    readonly presetHints: {
      readonly important: string;
      readonly new: string;
      readonly outages: string;
      readonly custom: string;
    };
    readonly chooseEvents: string;
    readonly eventsMissing: string;
    readonly skipRandomMacs: string;
    readonly more: string;
    readonly quiet: string;
    readonly quietHint: string;
    readonly quietFrom: string;
    readonly quietTo: string;
    readonly quietExcept: string;
    readonly only: string;
    readonly onlyHint: string;
    readonly onlyTypes: string;
    readonly onlyGroups: string;
    readonly onlyDevices: string;
    readonly onlyFavourites: string;
    readonly onlyAdd: string;
    readonly onlyRemove: (values: { what: string | number }) => string;
    readonly onlyMissing: string;
    readonly digest: string;
    readonly digestHint: string;
    readonly digests: {
      readonly none: string;
      readonly day: string;
      readonly week: string;
    };
    readonly weekday: string;
    readonly weekdays: {
      readonly monday: string;
      readonly tuesday: string;
      readonly wednesday: string;
      readonly thursday: string;
      readonly friday: string;
      readonly saturday: string;
      readonly sunday: string;
    };
    readonly digestAt: string;
    readonly said: {
      readonly and: (values: { some: string | number; more: number }) => string;
      readonly quiet: (values: { from: string | number; to: string | number }) => string;
      readonly only: (values: { what: string | number }) => string;
      readonly favourites: string;
      readonly devices: (values: { count: number }) => string;
      readonly daily: (values: { at: string | number }) => string;
      readonly weekly: (values: { day: string | number; at: string | number }) => string;
      readonly noEvents: string;
      readonly reportWeek: string;
      readonly reportMonth: string;
    };
    readonly lastDelivery: string;
    readonly neverDelivered: string;
    readonly off: string;
    readonly failingSince: string;
    readonly ended: string;
    readonly actionsOf: (values: { name: string | number }) => string;
    readonly turnOn: string;
    readonly turnOff: string;
    readonly turnedOn: string;
    readonly turnedOff: string;
    readonly test: string;
    readonly testing: string;
    readonly testArrived: string;
    readonly testFailed: (values: { reason: string | number }) => string;
    readonly noReason: string;
    readonly newSecret: string;
    readonly newSecretTitle: string;
    readonly newSecretWhat: string;
    readonly secretTitle: string;
    readonly secretOnce: string;
    readonly secret: string;
    readonly done: string;
    readonly remove: string;
    readonly removeTitle: (values: { name: string | number }) => string;
    readonly removeWhat: string;
    readonly removed: string;
    readonly deliveries: string;
    readonly deliveriesHow: string;
    readonly deliveriesNone: string;
    readonly deliveriesNoneHow: string;
    readonly deliveriesNoMatch: string;
    readonly deliveryStates: {
      readonly pending: string;
      readonly delivered: string;
      readonly dead: string;
    };
    readonly show: string;
    readonly all: string;
    readonly waitsUntil: string;
    readonly triesAgain: string;
    readonly attempts: (values: { count: number }) => string;
    readonly unreadableDeliveries: string;
    readonly sends: string;
    readonly where: string;
    readonly added: string;
    readonly report: string;
    readonly chooseForReport: string;
    readonly mailReport: string;
    readonly mailReportHint: string;
    readonly mailReports: {
      readonly none: string;
      readonly week: string;
      readonly month: string;
    };
    readonly reportAt: string;
    readonly reportLanguage: string;
    readonly languages: {
      readonly en: string;
      readonly de: string;
    };
    readonly addressWrong: string;
  };
  export default texts;
}

declare module 'messages:overview' {
  const texts: {
    readonly numbers: string;
    readonly online: string;
    readonly of: (values: { all: number }) => string;
    readonly unknown: (values: { count: number }) => string;
    readonly internet: string;
    readonly perSecond: string;
    readonly speed: (values: { down: string | number; up: string | number }) => string;
    readonly ping: (values: { ms: string | number }) => string;
    readonly notMeasured: string;
    readonly counting: string;
    readonly dayTitle: string;
    readonly day: (values: { isSteady: string | boolean; most: number; least: number }) => string;
    readonly dayUnknown: string;
    readonly changed: string;
    readonly agents: string;
    readonly addAgent: string;
    readonly agentStates: {
      readonly online: string;
      readonly draining: string;
      readonly offline: string;
      readonly enrolling: string;
    };
    readonly since: string;
    readonly version: (values: { version: string | number }) => string;
    readonly busy: (values: { queued: number; running: number }) => string;
    readonly runs: string;
    readonly noRuns: string;
    readonly openTools: string;
    readonly allRuns: string;
    readonly attention: string;
    readonly calm: string;
    readonly open: string;
    readonly seeWhy: string;
    readonly openSettings: string;
    readonly checkFails: string;
    readonly moreDown: (values: { count: number }) => string;
    readonly moreNew: (values: { count: number }) => string;
    readonly moreChecks: (values: { count: number }) => string;
    readonly moreAgents: (values: { count: number }) => string;
    readonly notMonitored: {
      readonly title: string;
      readonly noAgent: string;
      readonly off: string;
      readonly offline: string;
    };
    readonly agentOffline: string;
    readonly downLastSeen: string;
    readonly newFirstSeen: string;
    readonly turnAlertOff: string;
    readonly alertOff: (values: { name: string | number }) => string;
    readonly name: string;
    readonly nameOf: (values: { name: string | number }) => string;
    readonly named: (values: { name: string | number }) => string;
    readonly quietDay: string;
    readonly byHour: string;
    readonly gaps: string;
    readonly gap: (values: { state: string | number; from: string | number; to: string | number }) => string;
    readonly eventsSince: (values: { time: string | number }) => string;
    readonly states: {
      readonly up: string;
      readonly unknown: string;
      readonly dark: string;
      readonly lost: string;
    };
    readonly marks: {
      readonly problem: string;
      readonly new: string;
      readonly back: string;
      readonly presence: string;
    };
    readonly counted: {
      readonly problem: (values: { count: number }) => string;
      readonly new: (values: { count: number }) => string;
      readonly back: (values: { count: number }) => string;
      readonly arrived: (values: { count: number }) => string;
      readonly left: (values: { count: number }) => string;
    };
  };
  export default texts;
}

declare module 'messages:palette' {
  const texts: {
    readonly title: string;
    readonly field: string;
    readonly ofDevice: (values: { name: string | number }) => string;
    readonly back: (values: { name: string | number }) => string;
    readonly results: string;
    readonly count: (values: { count: number }) => string;
    readonly searching: string;
    readonly nothing: (values: { query: string | number }) => string;
    readonly ofSites: (values: { searched: number; all: number }) => string;
    readonly groups: {
      readonly recent: string;
      readonly devices: string;
      readonly sites: string;
      readonly screens: string;
      readonly actions: string;
      readonly verbs: string;
    };
    readonly allSites: string;
    readonly port: (values: { port: string | number }) => string;
    readonly theme: (values: { name: string | number }) => string;
    readonly density: (values: { name: string | number }) => string;
    readonly language: (values: { name: string | number }) => string;
    readonly newToken: string;
    readonly addAgent: (values: { site: string | number }) => string;
    readonly scan: (values: { site: string | number }) => string;
    readonly goWords: string;
    readonly words: {
      readonly themes: {
        readonly system: string;
        readonly light: string;
        readonly dark: string;
      };
      readonly density: string;
      readonly language: string;
      readonly newToken: string;
      readonly addAgent: string;
      readonly scan: string;
      readonly signOut: string;
      readonly addSite: string;
    };
    readonly verbs: {
      readonly open: (values: { name: string | number }) => string;
      readonly wake: (values: { name: string | number }) => string;
      readonly scan: (values: { name: string | number }) => string;
      readonly trace: (values: { name: string | number }) => string;
      readonly copyIp: (values: { name: string | number }) => string;
      readonly copyMac: (values: { name: string | number }) => string;
    };
    readonly verbWords: {
      readonly open: string;
      readonly wake: string;
      readonly scan: string;
      readonly trace: string;
      readonly copyIp: string;
      readonly copyMac: string;
    };
    readonly started: {
      readonly wake: (values: { name: string | number }) => string;
      readonly scan: (values: { name: string | number }) => string;
      readonly trace: (values: { name: string | number }) => string;
    };
    readonly copied: (values: { text: string | number }) => string;
    readonly scanStarted: string;
    readonly show: string;
    readonly keys: {
      readonly move: string;
      readonly choose: string;
      readonly verbs: string;
      readonly close: string;
    };
  };
  export default texts;
}

declare module 'messages:people' {
  const texts: {
    readonly list: string;
    readonly intro: string;
    readonly none: string;
    readonly noneWhy: string;
    readonly noProvider: string;
    readonly noProviderWhy: string;
    readonly toTokens: string;
    readonly unreadable: string;
    readonly needsAdmin: string;
    readonly needsAllSites: string;
    readonly name: string;
    readonly roles: string;
    readonly by: {
      readonly claims: string;
      readonly hand: string;
    };
    readonly lastSignIn: string;
    readonly state: string;
    readonly states: {
      readonly active: string;
      readonly waiting: string;
      readonly disabled: string;
      readonly invited: string;
    };
    readonly you: string;
    readonly notFound: string;
    readonly notFoundWhy: string;
    readonly toPeople: string;
    readonly rolesWhat: string;
    readonly rolesByClaims: string;
    readonly rolesByHand: string;
    readonly noRoles: string;
    readonly change: string;
    readonly give: string;
    readonly toClaims: string;
    readonly toClaimsDone: (values: { name: string | number }) => string;
    readonly rolesTitle: (values: { name: string | number }) => string;
    readonly role: string;
    readonly roleOf: (values: { number: string | number }) => string;
    readonly where: string;
    readonly addRole: string;
    readonly removeRole: string;
    readonly rolesSaved: (values: { name: string | number }) => string;
    readonly account: string;
    readonly accountWhat: string;
    readonly issuer: string;
    readonly subject: string;
    readonly email: string;
    readonly firstSeen: string;
    readonly tokens: string;
    readonly tokensWhat: string;
    readonly noTokens: string;
    readonly kinds: {
      readonly api: string;
      readonly session: string;
      readonly mcp: string;
      readonly share: string;
    };
    readonly ends: string;
    readonly allTokens: string;
    readonly access: string;
    readonly accessWhat: string;
    readonly disable: string;
    readonly enable: string;
    readonly disabled: (values: { name: string | number }) => string;
    readonly enabled: (values: { name: string | number }) => string;
    readonly ownAccount: string;
    readonly remove: string;
    readonly removeTitle: (values: { name: string | number }) => string;
    readonly removeWhat: string;
    readonly removed: (values: { name: string | number }) => string;
    readonly removeSubmit: string;
    readonly add: string;
    readonly addSubmit: string;
    readonly addedNow: (values: { email: string | number }) => string;
    readonly added: string;
    readonly emailHint: string;
    readonly emailMissing: string;
    readonly rolesOfInvited: string;
  };
  export default texts;
}

declare module 'messages:report' {
  const texts: {
    readonly title: string;
    readonly period: string;
    readonly sites: string;
    readonly allSites: string;
    readonly tag: (values: { tag: string | number }) => string;
    readonly print: string;
    readonly byMail: string;
    readonly of: (values: { period: string | number; zone: string | number }) => string;
    readonly unreadable: string;
    readonly noSites: string;
  };
  export default texts;
}

declare module 'messages:roles' {
  const texts: {
    readonly names: {
      readonly viewer: string;
      readonly operator: string;
      readonly admin: string;
    };
    readonly hints: {
      readonly viewer: string;
      readonly operator: string;
      readonly admin: string;
    };
    readonly at: (values: { role: string | number; sites: string | number }) => string;
    readonly none: string;
  };
  export default texts;
}

declare module 'messages:runs' {
  const texts: {
    readonly title: string;
    readonly hint: string;
    readonly list: string;
    readonly filters: string;
    readonly tool: string;
    readonly anyTool: string;
    readonly anyState: string;
    readonly anyActor: string;
    readonly mine: string;
    readonly device: string;
    readonly deviceHint: string;
    readonly empty: string;
    readonly emptyHint: string;
    readonly toBatches: string;
    readonly toTools: string;
    readonly noneHere: string;
    readonly noneHereHint: string;
    readonly noMatch: string;
    readonly noMatchHint: string;
    readonly clear: string;
    readonly unreadable: (values: { count: number }) => string;
    readonly one: string;
    readonly actions: string;
    readonly share: string;
    readonly copied: string;
    readonly toList: string;
    readonly again: string;
    readonly starting: string;
    readonly every: string;
    readonly edit: string;
    readonly onAgent: (values: { name: string | number }) => string;
    readonly copyId: string;
  };
  export default texts;
}

declare module 'messages:said' {
  const texts: {
    readonly agent: string;
    readonly atPort: (values: { port: string | number; text: string | number }) => string;
    readonly pathEnds: (values: { end: string | number }) => string;
    readonly reasons: {
      readonly "connection-refused": string;
      readonly "connection-reset": string;
      readonly "connection-closed": string;
      readonly "connection-failed": (values: { message: string | number }) => string;
      readonly "host-unreachable": string;
      readonly "network-unreachable": string;
      readonly "no-answer": string;
      readonly "no-answer-within": (values: { seconds: string | number }) => string;
      readonly "no-whole-answer-within": (values: { seconds: string | number }) => string;
      readonly "port-silent": (values: { port: string | number; seconds: string | number }) => string;
      readonly "pings-unanswered": (values: { sent: string | number }) => string;
      readonly status: (values: { status: string | number }) => string;
      readonly "other-protocol": string;
      readonly "text-missing": string;
      readonly "dns-no-name": string;
      readonly "dns-no-record": string;
      readonly "dns-failed": string;
      readonly "dns-refused": string;
      readonly "dns-silent": string;
      readonly "dns-unreachable": string;
      readonly "dns-no-server": string;
      readonly "dns-error": (values: { error: string | number }) => string;
      readonly "dns-other-answers": (values: { expected: string | number; answers: string | number }) => string;
      readonly "no-address": (values: { name: string | number }) => string;
      readonly "look-up-silent": (values: { name: string | number }) => string;
      readonly "look-up-unknown": (values: { name: string | number }) => string;
      readonly "agent-defect": string;
      readonly "internet-behind-gateway": string;
      readonly "gateway-silent": string;
      readonly "provider-or-line": string;
      readonly "router-or-wire": string;
      readonly "agent-away": string;
      readonly "agent-busy": string;
      readonly "still-running": string;
      readonly "gateway-gone": (values: { device: string | number; behind: number }) => string;
      readonly "device-gone": (values: { device: string | number; behind: number }) => string;
      readonly "switch-or-cable": (values: { gone: string | number; of: string | number; device: string | number }) => string;
      readonly "power-or-wire": (values: { gone: string | number; of: string | number }) => string;
      readonly "gone-together": (values: { gone: string | number; of: string | number; seconds: number }) => string;
      readonly "no-other-site-dark": string;
      readonly "other-sites-dark": (values: { sites: number; same: number; isAll: string | boolean; provider: string | number }) => string;
      readonly "two-hosts": (values: { hosts: string | number }) => string;
    };
    readonly after: (values: { length: string | number }) => string;
    readonly port: (values: { port: string | number }) => string;
    readonly morePorts: (values: { count: number }) => string;
    readonly portAt: string;
    readonly macsAnd: string;
    readonly macsMore: string;
    readonly unknown: string;
    readonly observed: {
      readonly joined: (values: { macs: string | number }) => string;
      readonly split: (values: { macs: string | number }) => string;
      readonly "port-opened": (values: { port: string | number }) => string;
      readonly "port-closed": (values: { port: string | number }) => string;
      readonly "check-down": (values: { because: string | number }) => string;
      readonly "check-up": (values: { after: string | number }) => string;
      readonly "certificate-ending": (values: { days: number }) => string;
      readonly "route-changed": (values: { to: string | number; from: string | number }) => string;
      readonly "agent-lost": (values: { inTurns: string | boolean; because: string | number }) => string;
      readonly "agent-back": (values: { after: string | number }) => string;
      readonly "agent-update-failed": (values: { version: string | number; because: string | number }) => string;
      readonly "site-dark": (values: { because: string | number }) => string;
      readonly "site-back": (values: { after: string | number }) => string;
      readonly "internet-lost": (values: { because: string | number }) => string;
      readonly "internet-back": (values: { after: string | number; because: string | number }) => string;
      readonly "address-changed": (values: { to: string | number; from: string | number }) => string;
      readonly "speed-low": (values: { downMbps: string | number; usualMbps: string | number }) => string;
      readonly "speed-normal": (values: { downMbps: string | number }) => string;
      readonly outage: (values: { count: number; because: string | number }) => string;
      readonly "outage-over": (values: { back: number; after: string | number; still: number }) => string;
      readonly "turn-missed": (values: { count: number; because: string | number }) => string;
    };
    readonly edit: {
      readonly same: string;
      readonly yes: string;
      readonly no: string;
      readonly cleared: string;
    };
    readonly happened: {
      readonly new: string;
      readonly online: string;
      readonly offline: string;
      readonly down: string;
      readonly found: string;
      readonly "ip-changed": string;
      readonly conflict: string;
      readonly renamed: string;
      readonly edited: string;
      readonly archived: string;
      readonly deleted: string;
      readonly restored: string;
      readonly imported: string;
    };
    readonly happenedToMany: {
      readonly new: string;
      readonly online: string;
      readonly offline: string;
      readonly down: string;
      readonly found: string;
      readonly "ip-changed": string;
      readonly conflict: string;
      readonly renamed: string;
      readonly edited: string;
      readonly archived: string;
      readonly deleted: string;
      readonly restored: string;
      readonly imported: string;
    };
    readonly again: (values: { type: string | boolean }) => string;
    readonly often: (values: { times: number }) => string;
    readonly none: string;
    readonly noName: string;
    readonly otherColumns: string;
    readonly listed: (values: { names: string | number; more: number }) => string;
    readonly lasted: (values: { times: number; was: string | number; length: string | number }) => string;
    readonly lasting: {
      readonly "was-offline": string;
      readonly "was-silent": string;
      readonly "was-disconnected": string;
      readonly "had-no-agent": string;
      readonly "had-no-internet": string;
      readonly "was-slow": string;
      readonly "were-gone": (values: { devices: number }) => string;
    };
    readonly parts: {
      readonly "ports-opened": (values: { count: number; names: string | number; end: string | boolean }) => string;
      readonly "ports-closed": (values: { count: number; names: string | number; end: string | boolean }) => string;
      readonly address: (values: { names: string | number }) => string;
      readonly "public-address": (values: { names: string | number }) => string;
      readonly named: (values: { names: string | number }) => string;
      readonly renamed: (values: { names: string | number }) => string;
      readonly "conflict-over": string;
      readonly conflict: (values: { text: string | number }) => string;
      readonly edited: (values: { names: string | number }) => string;
      readonly many: (values: { count: number; did: string | number; deleted: number; changes: number }) => string;
    };
    readonly counted: {
      readonly new: (values: { count: number }) => string;
      readonly found: (values: { count: number }) => string;
      readonly imported: (values: { count: number }) => string;
      readonly deleted: (values: { count: number }) => string;
      readonly outage: (values: { count: number }) => string;
      readonly "site-dark": (values: { count: number }) => string;
      readonly "internet-lost": (values: { count: number }) => string;
      readonly "agent-lost": (values: { count: number }) => string;
      readonly "agent-update-failed": (values: { count: number }) => string;
      readonly "check-down": (values: { count: number }) => string;
      readonly "turn-missed": (values: { count: number }) => string;
      readonly "speed-low": (values: { count: number }) => string;
      readonly "certificate-ending": (values: { count: number }) => string;
      readonly "address-changed": (values: { count: number }) => string;
      readonly "route-changed": (values: { count: number }) => string;
      readonly "port-opened": (values: { count: number }) => string;
      readonly "port-closed": (values: { count: number }) => string;
      readonly joined: (values: { count: number }) => string;
      readonly split: (values: { count: number }) => string;
      readonly changed: (values: { count: number }) => string;
      readonly "came-or-went": (values: { count: number }) => string;
      readonly other: (values: { count: number }) => string;
    };
    readonly total: (values: { length: string | number; isOne: string | boolean }) => string;
    readonly nothing: string;
  };
  export default texts;
}

declare module 'messages:same' {
  const texts: {
    readonly title: string;
    readonly what: string;
    readonly candidates: string;
    readonly none: string;
    readonly noneHint: string;
    readonly toDevices: string;
    readonly line: (values: { count: number }) => string;
    readonly look: string;
    readonly group: (values: { name: string | number; others: number }) => string;
    readonly stays: string;
    readonly joinsIt: string;
    readonly join: string;
    readonly joinOf: (values: { others: number; name: string | number }) => string;
    readonly notTheSame: string;
    readonly notTheSameOf: (values: { name: string | number }) => string;
    readonly joined: (values: { others: number; name: string | number }) => string;
    readonly apart: (values: { name: string | number }) => string;
    readonly takenApart: (values: { count: number }) => string;
    readonly otherMacs: string;
    readonly now: string;
    readonly split: string;
    readonly splitOf: (values: { mac: string | number }) => string;
    readonly splitAll: string;
    readonly wasSplit: (values: { count: number }) => string;
  };
  export default texts;
}

declare module 'messages:schedules' {
  const texts: {
    readonly title: string;
    readonly intro: string;
    readonly list: string;
    readonly add: string;
    readonly none: string;
    readonly noneWhy: string;
    readonly unreadable: string;
    readonly name: string;
    readonly nameHint: string;
    readonly what: string;
    readonly tool: string;
    readonly when: string;
    readonly next: string;
    readonly last: string;
    readonly never: string;
    readonly noNext: string;
    readonly paused: string;
    readonly active: string;
    readonly actions: string;
    readonly more: (values: { name: string | number }) => string;
    readonly runs: string;
    readonly onOff: (values: { name: string | number }) => string;
    readonly marks: (values: { failed: number; all: number }) => string;
    readonly nowPaused: string;
    readonly nowOn: string;
    readonly remove: string;
    readonly removeNow: string;
    readonly removeTitle: (values: { name: string | number }) => string;
    readonly removeWhat: string;
    readonly removed: string;
    readonly missed: (values: { count: number }) => string;
    readonly presets: {
      readonly nightly: string;
      readonly hourly: string;
      readonly sixHourly: string;
      readonly morning: string;
      readonly weekly: string;
      readonly cron: string;
    };
    readonly cron: string;
    readonly cronHint: string;
    readonly timeZone: (values: { zone: string | number }) => string;
    readonly added: string;
    readonly clock: (values: { zone: string | number }) => string;
  };
  export default texts;
}

declare module 'messages:shell' {
  const texts: {
    readonly skip: string;
    readonly sideBar: string;
    readonly sideNarrow: string;
    readonly sideWide: string;
    readonly mainNavigation: string;
    readonly quickNavigation: string;
    readonly path: string;
    readonly site: (values: { name: string | number }) => string;
    readonly sites: string;
    readonly findSite: string;
    readonly noSite: (values: { query: string | number }) => string;
    readonly allSites: string;
    readonly troubles: {
      readonly bad: string;
      readonly warn: string;
      readonly calm: string;
      readonly good: string;
    };
    readonly overview: string;
    readonly activity: string;
    readonly monitoring: string;
    readonly fleet: string;
    readonly tabs: {
      readonly tools: string;
      readonly runs: string;
      readonly settings: string;
      readonly batches: string;
    };
    readonly addSite: string;
    readonly batches: string;
    readonly admin: string;
    readonly people: string;
    readonly tokens: string;
    readonly templates: string;
    readonly devices: string;
    readonly map: string;
    readonly events: string;
    readonly changes: string;
    readonly checks: string;
    readonly internet: string;
    readonly schedules: string;
    readonly matrix: string;
    readonly tools: string;
    readonly runs: string;
    readonly notifications: string;
    readonly agents: string;
    readonly updates: string;
    readonly audit: string;
    readonly settings: string;
    readonly search: string;
    readonly savedViews: string;
    readonly more: string;
    readonly account: (values: { name: string | number }) => string;
    readonly person: (values: { name: string | number }) => string;
    readonly sessionUntil: string;
    readonly signOut: string;
    readonly keepSignedIn: string;
    readonly theme: string;
    readonly themes: {
      readonly system: string;
      readonly light: string;
      readonly dark: string;
    };
    readonly density: string;
    readonly densities: {
      readonly compact: string;
      readonly comfortable: string;
    };
    readonly language: string;
    readonly tokenEnds: (values: { unit: string | boolean; count: number }) => string;
    readonly sessionEnds: (values: { minutes: number }) => string;
    readonly signInAgain: string;
    readonly broken: string;
    readonly brokenHint: string;
    readonly rightsUnknown: string;
    readonly offline: string;
    readonly offlineHint: string;
    readonly deviceOffline: string;
    readonly forbidden: string;
    readonly forbiddenHint: (values: { site: string | number }) => string;
    readonly reload: string;
    readonly find: string;
    readonly shortcuts: string;
    readonly notFound: string;
    readonly notFoundHint: string;
    readonly waitsForApi: string;
    readonly staleNotice: (values: { time: string | number }) => string;
    readonly staleAgents: string;
    readonly strange: (values: { hasGateway: string | boolean; agent: string | number; gateway: string | number; network: string | number; answered: number; known: number }) => string;
    readonly strangeConfirm: string;
    readonly strangeConfirmed: (values: { text: string | number }) => string;
    readonly keys: {
      readonly title: string;
      readonly everywhere: string;
      readonly here: string;
      readonly help: string;
      readonly find: string;
      readonly switchSite: string;
      readonly goTo: (values: { place: string | number }) => string;
      readonly allSites: string;
      readonly singleKeys: string;
      readonly singleKeysHint: string;
    };
    readonly report: string;
  };
  export default texts;
}

declare module 'messages:signIn' {
  const texts: {
    readonly title: string;
    readonly token: string;
    readonly hint: string;
    readonly keep: string;
    readonly tabHint: string;
    readonly keptHint: string;
    readonly signIn: string;
    readonly byProvider: (values: { name: string | number }) => string;
    readonly byToken: string;
    readonly pending: string;
    readonly how: string;
    readonly ways: {
      readonly link: string;
      readonly commandLine: string;
      readonly person: string;
    };
    readonly refusals: {
      readonly refused: string;
      readonly unknown: string;
    };
    readonly failures: {
      readonly "no-role": string;
      readonly disabled: string;
      readonly refused: string;
      readonly expired: string;
      readonly forbidden: string;
      readonly elsewhere: string;
      readonly unreachable: string;
      readonly invalid: string;
    };
    readonly replaceTitle: string;
    readonly replaceWhat: string;
    readonly replace: string;
    readonly stay: string;
    readonly invalid: string;
  };
  export default texts;
}

declare module 'messages:siteChoice' {
  const texts: {
    readonly all: string;
    readonly allNow: string;
    readonly byTagNow: string;
    readonly chosen: string;
    readonly chosenOnes: string;
    readonly byTag: string;
    readonly single: string;
    readonly sitesOf: (values: { count: number }) => string;
    readonly find: string;
    readonly more: (values: { count: number }) => string;
    readonly noMatch: string;
    readonly remove: (values: { name: string | number }) => string;
    readonly everywhere: string;
    readonly tag: (values: { tag: string | number }) => string;
    readonly tags: string;
    readonly addTag: string;
    readonly tagHint: string;
    readonly tagWrong: string;
    readonly anyTag: string;
    readonly missing: string;
  };
  export default texts;
}

declare module 'messages:sites' {
  const texts: {
    readonly title: string;
    readonly add: string;
    readonly none: string;
    readonly noneWhy: string;
    readonly noneForToken: string;
    readonly search: string;
    readonly onlyTrouble: string;
    readonly only: {
      readonly trouble: string;
      readonly down: string;
      readonly new: string;
      readonly agents: string;
      readonly internet: string;
    };
    readonly showAll: string;
    readonly shown: (values: { hasAll: string | boolean; all: number; shown: number }) => string;
    readonly page: (values: { from: number; to: number; all: number }) => string;
    readonly before: string;
    readonly next: string;
    readonly noMatch: string;
    readonly unreadable: string;
    readonly deleted: (values: { count: number }) => string;
    readonly restorable: (values: { until: string | number }) => string;
    readonly restore: string;
    readonly restoreNamed: (values: { name: string | number }) => string;
    readonly restored: (values: { name: string | number }) => string;
    readonly tiles: {
      readonly label: string;
      readonly sites: string;
      readonly online: string;
      readonly down: string;
      readonly new: string;
      readonly agents: string;
      readonly internet: string;
    };
    readonly withTrouble: (values: { count: number }) => string;
    readonly allWell: string;
    readonly ofDevices: (values: { count: number }) => string;
    readonly columns: {
      readonly site: string;
      readonly devices: string;
      readonly day: string;
      readonly internet: string;
      readonly agents: string;
    };
    readonly online: string;
    readonly devicesOf: (values: { site: string | number }) => string;
    readonly newOf: (values: { count: number }) => string;
    readonly notMonitored: (values: { count: number }) => string;
    readonly counting: string;
    readonly noDevices: string;
    readonly noAgent: string;
    readonly addAgent: string;
    readonly speed: (values: { down: string | number; up: string | number }) => string;
    readonly speedUnit: string;
    readonly ping: (values: { ms: string | number }) => string;
    readonly speedOf: (values: { site: string | number }) => string;
    readonly notMeasured: string;
    readonly troubles: {
      readonly unwatched: string;
      readonly dark: string;
      readonly outage: (values: { devices: number }) => string;
      readonly internet: string;
      readonly checks: (values: { count: number }) => string;
      readonly down: (values: { count: number }) => string;
      readonly agents: (values: { count: number }) => string;
      readonly slow: string;
    };
    readonly since: string;
    readonly troublesOf: (values: { name: string | number }) => string;
  };
  export default texts;
}

declare module 'messages:siteSettings' {
  const texts: {
    readonly title: string;
    readonly name: string;
    readonly nameMissing: string;
    readonly id: string;
    readonly created: string;
    readonly saved: string;
    readonly tags: string;
    readonly tagsWhat: string;
    readonly noTags: string;
    readonly place: string;
    readonly placeWhat: string;
    readonly timeZone: string;
    readonly timeZoneHint: string;
    readonly timeZoneError: string;
    readonly reachableAt: string;
    readonly reachableAtHint: string;
    readonly updates: string;
    readonly updateMode: string;
    readonly updateModes: {
      readonly notify: string;
      readonly auto: string;
      readonly off: string;
    };
    readonly updatesWhat: string;
    readonly from: string;
    readonly to: string;
    readonly windowHint: string;
    readonly windowError: string;
    readonly release: string;
    readonly ring: string;
    readonly underWay: string;
    readonly rollOutStates: {
      readonly going: string;
      readonly stopped: string;
      readonly "given-up": string;
    };
    readonly continueRelease: string;
    readonly giveUp: string;
    readonly wentOn: (values: { version: string | number }) => string;
    readonly gaveUp: (values: { version: string | number }) => string;
    readonly failed: (values: { agent: string | number; reason: string | number }) => string;
    readonly discovery: string;
    readonly discoveryWhat: string;
    readonly enabled: string;
    readonly networks: string;
    readonly auto: string;
    readonly listed: string;
    readonly list: string;
    readonly listHint: string;
    readonly listError: string;
    readonly interval: string;
    readonly intervalFact: string;
    readonly seconds: (values: { count: number }) => string;
    readonly intervalHint: string;
    readonly recognize: string;
    readonly recognizeHint: string;
    readonly acceptParents: string;
    readonly acceptParentsHint: string;
    readonly archiveRandom: string;
    readonly archiveRandomFact: string;
    readonly days: (values: { count: number }) => string;
    readonly archiveRandomHint: string;
    readonly archiveRandomError: string;
    readonly on: string;
    readonly off: string;
    readonly agents: string;
    readonly agentsWhat: string;
    readonly addAgent: string;
    readonly unreadableAgents: string;
    readonly noAgents: string;
    readonly noAgentsWhy: string;
    readonly remove: string;
    readonly removeWhat: string;
    readonly removeButton: string;
    readonly removeTitle: (values: { name: string | number }) => string;
    readonly removeCount: (values: { devices: number; agents: number }) => string;
    readonly confirm: (values: { name: string | number }) => string;
    readonly removed: (values: { name: string | number }) => string;
    readonly needsNettools: string;
  };
  export default texts;
}

declare module 'messages:sources' {
  const texts: {
    readonly dns: string;
    readonly mdns: string;
    readonly netbios: string;
    readonly "mdns-service": string;
    readonly "mdns-instance": string;
    readonly "mdns-text": string;
    readonly "ssdp-server": string;
    readonly "ssdp-type": string;
    readonly "upnp-type": string;
    readonly "upnp-name": string;
    readonly "upnp-maker": string;
    readonly "upnp-model": string;
    readonly "upnp-id": string;
    readonly "snmp-name": string;
    readonly "snmp-description": string;
    readonly "snmp-object": string;
    readonly "lldp-name": string;
    readonly "lldp-description": string;
    readonly "lldp-capabilities": string;
    readonly "dhcp-name": string;
    readonly "dhcp-class": string;
    readonly "dhcp-options": string;
    readonly "http-title": string;
    readonly "http-server": string;
    readonly ssh: string;
    readonly tls: string;
    readonly service: string;
    readonly os: string;
    readonly "mac-vendor": string;
    readonly gateway: string;
    readonly "parent-lldp": string;
    readonly "parent-bridge": string;
    readonly "parent-route": string;
    readonly "known-by": string;
    readonly "given-name": string;
    readonly "host-name": string;
    readonly "source-maker": string;
    readonly "source-model": string;
    readonly link: string;
    readonly "parent-source": string;
  };
  export default texts;
}

declare module 'messages:status' {
  const texts: {
    readonly online: string;
    readonly offline: string;
    readonly down: string;
    readonly archived: string;
  };
  export default texts;
}

declare module 'messages:templates' {
  const texts: {
    readonly needs: string;
    readonly intro: string;
    readonly list: string;
    readonly none: string;
    readonly noneWhy: string;
    readonly unreadable: string;
    readonly make: string;
    readonly name: string;
    readonly nameHint: string;
    readonly nameWrong: string;
    readonly taken: string;
    readonly tags: string;
    readonly tagsWhat: string;
    readonly tagsMissing: string;
    readonly parts: string;
    readonly changed: string;
    readonly count: {
      readonly settings: (values: { count: number }) => string;
      readonly schedules: (values: { count: number }) => string;
      readonly checks: (values: { count: number }) => string;
      readonly hooks: (values: { count: number }) => string;
    };
    readonly nothing: string;
    readonly gone: string;
    readonly goneWhy: string;
    readonly toList: string;
    readonly change: string;
    readonly save: string;
    readonly saved: (values: { name: string | number }) => string;
    readonly partly: string;
    readonly remove: string;
    readonly removeTitle: (values: { name: string | number }) => string;
    readonly removeWhat: string;
    readonly removeSubmit: string;
    readonly removed: (values: { name: string | number }) => string;
    readonly sites: string;
    readonly sitesWhat: string;
    readonly allMade: (values: { count: number }) => string;
    readonly someMade: (values: { made: string | number; count: number }) => string;
    readonly noSites: string;
    readonly pending: string;
    readonly others: string;
    readonly differing: string;
    readonly differingWhat: string;
    readonly site: string;
    readonly problem: string;
    readonly setting: string;
    readonly there: string;
    readonly here: string;
    readonly settings: string;
    readonly settingsWhat: string;
    readonly settingNames: {
      readonly timeZone: string;
      readonly policy: string;
      readonly "updates.mode": string;
      readonly "updates.window": string;
      readonly "discovery.enabled": string;
      readonly "discovery.networks": string;
      readonly "discovery.intervalSeconds": string;
      readonly "discovery.recognize": string;
      readonly "discovery.archiveRandomAfterDays": string;
      readonly "discovery.acceptParents": string;
    };
    readonly unset: string;
    readonly leave: string;
    readonly on: string;
    readonly off: string;
    readonly updateModes: {
      readonly notify: string;
      readonly auto: string;
      readonly off: string;
    };
    readonly schedules: string;
    readonly checks: string;
    readonly hooks: string;
    readonly noneOfThese: string;
    readonly hooksWhat: string;
    readonly copy: string;
    readonly copyHint: string;
    readonly copyNone: string;
    readonly keep: string;
    readonly addHook: string;
  };
  export default texts;
}

declare module 'messages:tokens' {
  const texts: {
    readonly intro: string;
    readonly make: string;
    readonly list: string;
    readonly own: string;
    readonly purposes: {
      readonly api: string;
      readonly mcp: string;
      readonly session: string;
      readonly share: string;
    };
    readonly purpose: string;
    readonly noneOf: {
      readonly api: string;
      readonly mcp: string;
      readonly session: string;
      readonly share: string;
    };
    readonly noneOfHints: {
      readonly api: string;
      readonly mcp: string;
      readonly session: string;
      readonly share: string;
    };
    readonly whose: string;
    readonly endsSoon: string;
    readonly rotate: (values: { name: string | number }) => string;
    readonly rotateTitle: (values: { name: string | number }) => string;
    readonly rotateWhat: string;
    readonly rotateSubmit: string;
    readonly overlap: string;
    readonly overlaps: {
      readonly "0": string;
      readonly "1": string;
      readonly "24": string;
      readonly "168": string;
    };
    readonly rotatedTitle: (values: { name: string | number }) => string;
    readonly name: string;
    readonly nameHint: string;
    readonly nameMissing: string;
    readonly may: string;
    readonly scopes: {
      readonly "devices:read": string;
      readonly "devices:write": string;
      readonly "nettools:run": string;
      readonly admin: string;
    };
    readonly scopesMissing: string;
    readonly sites: string;
    readonly expiry: string;
    readonly expiries: {
      readonly "1": string;
      readonly "7": string;
      readonly "30": string;
      readonly "90": string;
      readonly "365": string;
      readonly own: string;
      readonly never: string;
      readonly date: string;
    };
    readonly date: string;
    readonly dateMissing: string;
    readonly expires: string;
    readonly lastUsed: string;
    readonly lastUsedHow: string;
    readonly createdBy: string;
    readonly revoke: string;
    readonly revokeOf: (values: { name: string | number }) => string;
    readonly revokeTitle: string;
    readonly revokeWhat: (values: { name: string | number }) => string;
    readonly revokeOwn: string;
    readonly revoked: (values: { name: string | number }) => string;
    readonly goesOn: (values: { count: number }) => string;
    readonly goesOnMore: string;
    readonly madeTitle: (values: { name: string | number }) => string;
    readonly madeOnce: string;
    readonly theToken: string;
    readonly signInLink: string;
    readonly signInLinkHow: string;
    readonly commandLine: string;
    readonly commandLineHow: string;
    readonly done: string;
    readonly doneInviting: string;
    readonly firstMaker: string;
    readonly firstMakerHow: string;
    readonly actions: string;
    readonly needsAdmin: string;
    readonly invite: string;
    readonly inviteTitle: string;
    readonly inviteSubmit: string;
    readonly who: string;
    readonly whoHint: string;
    readonly whoMissing: string;
    readonly role: string;
    readonly invitedTitle: (values: { name: string | number }) => string;
    readonly invitedOnce: string;
    readonly qr: string;
    readonly qrHow: string;
    readonly qrLoopback: string;
    readonly otherWays: string;
  };
  export default texts;
}

declare module 'messages:tools' {
  const texts: {
    readonly title: string;
    readonly hint: string;
    readonly noAgent: string;
    readonly missing: (values: { program: string | number }) => string;
    readonly choose: string;
    readonly others: string;
    readonly unknown: string;
    readonly run: string;
    readonly starting: string;
    readonly manySites: string;
    readonly every: string;
    readonly agent: string;
    readonly automatic: string;
    readonly agentHint: string;
    readonly agentOffline: (values: { name: string | number }) => string;
    readonly optional: (values: { label: string | number }) => string;
    readonly fields: {
      readonly target: string;
      readonly mode: string;
      readonly protocol: string;
      readonly query: string;
      readonly mac: string;
      readonly device: string;
      readonly ip: string;
      readonly verify: string;
    };
    readonly hints: {
      readonly nmapTarget: string;
      readonly target: string;
      readonly query: string;
      readonly device: string;
      readonly verify: string;
    };
    readonly modes: {
      readonly fast: string;
      readonly normal: string;
      readonly detail: string;
      readonly skipdiscovery: string;
      readonly tcp: string;
      readonly udp: string;
    };
    readonly errors: {
      readonly device: string;
      readonly noDevice: (values: { name: string | number }) => string;
      readonly noAddress: (values: { name: string | number }) => string;
    };
    readonly running: string;
    readonly last: string;
    readonly lastWas: (values: { result: string | number }) => string;
    readonly neverRun: string;
    readonly dismiss: (values: { command: string | number }) => string;
    readonly history: string;
    readonly noHistory: string;
    readonly noMatch: string;
    readonly allJobs: string;
    readonly repeat: string;
    readonly repeatOf: (values: { command: string | number }) => string;
  };
  export default texts;
}

declare module 'messages:watch' {
  const texts: {
    readonly notMonitored: string;
    readonly since: string;
    readonly lastKnown: (values: { status: string | number }) => string;
    readonly now: string;
    readonly unknownTab: string;
    readonly unknownHint: string;
    readonly countsAsOffline: string;
  };
  export default texts;
}

declare module 'messages:shared' {
  const texts: {
    readonly loading: string;
    readonly ended: string;
    readonly endedHint: string;
    readonly unreachable: string;
    readonly triesAgain: string;
    readonly outdated: string;
    readonly stand: (values: { time: string | number; end: string | number }) => string;
    readonly by: string;
    readonly numbers: string;
    readonly unmonitored: string;
    readonly noInternet: string;
    readonly outages: (values: { count: number }) => string;
    readonly counts: {
      readonly online: (values: { count: number }) => string;
      readonly offline: (values: { count: number }) => string;
      readonly down: (values: { count: number }) => string;
      readonly unmonitored: (values: { count: number }) => string;
    };
    readonly states: {
      readonly online: string;
      readonly offline: string;
      readonly down: string;
      readonly unmonitored: string;
    };
    readonly devicesOf: (values: { name: string | number }) => string;
    readonly mapOf: (values: { name: string | number }) => string;
    readonly unnamed: string;
    readonly unconnected: string;
    readonly more: (values: { count: number }) => string;
    readonly moreSites: string;
  };
  export default texts;
}

declare module 'messages:shares' {
  const texts: {
    readonly share: string;
    readonly title: string;
    readonly submit: string;
    readonly what: string;
    readonly name: string;
    readonly nameMissing: string;
    readonly views: {
      readonly status: string;
      readonly map: string;
    };
    readonly view: string;
    readonly devices: string;
    readonly named: {
      readonly favorites: string;
      readonly all: string;
    };
    readonly addresses: string;
    readonly expiry: string;
    readonly days: {
      readonly "7": string;
      readonly "30": string;
      readonly "90": string;
      readonly "365": string;
    };
    readonly madeTitle: (values: { name: string | number }) => string;
    readonly madeOnce: string;
    readonly link: string;
    readonly until: string;
  };
  export default texts;
}
