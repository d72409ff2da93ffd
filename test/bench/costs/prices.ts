/** US dollars, by the list prices of us-east-1 in 2026, without any free tier. Other regions differ by up to a quarter. */
export const PRICES = {
  million: {
    /** By API Gateway. */
    call: 3.5,
    invocation: 0.2,
    /** On arm64. */
    gbSecond: 13.3334,
    /** Of at most 5 KB; in either direction. */
    iotMessage: 1.0,
    /** A rule that is triggered by 5 KB, and its action. */
    iotRule: 0.15 + 0.15,
    connectedMinute: 0.08,
    queueCall: 0.4,
    /** A call of the registry of IoT Core. */
    registryCall: 1.25,
    writeUnit: 0.625,
    readUnit: 0.125,
  },
  gb: { sent: 0.09, logWritten: 0.5, logKept: 0.03, tableKept: 0.25, backupKept: 0.2 },
  month: { alarmMetric: 0.1, countedMetric: 0.3, secret: 0.4 },
};

export const DAYS_A_MONTH = 30.4;
/** What ingest takes for one message, most of which it waits for the table, and for each one beside it. */
export const INGEST_SECONDS = 0.15;
export const INGEST_SECONDS_BESIDE = 0.02;
/** A device in DynamoDB, with its keys. */
export const ROW_BYTES = 400;
