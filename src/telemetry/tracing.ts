import type { Logger } from 'pino';
import type { Config } from '../config/config.ts';
import { seconds } from '../domain/clock.ts';
import type { JobId } from '../domain/ids.ts';
import { type FinishedSpan, noTracing, type Tracing } from '../domain/tracing.ts';

export interface OpenedTracing extends Tracing {
  /** Sends what is left, for a moment. */
  close(): Promise<void>;
}

/** How long the stop of a process may wait for whoever collects traces. */
const flushTimeoutMs = 2 * seconds;

/** Steps of jobs as OpenTelemetry spans, sent by OTLP. Its packages are loaded here, and only where it is wanted. */
export async function openTracing(
  { tracing: settings, role }: Pick<Config, 'tracing' | 'role'>,
  log: Logger,
): Promise<OpenedTracing> {
  if (settings === null) return { ...noTracing, close: async () => {} };
  const [api, sdk, otlp, resources] = await Promise.all([
    import('@opentelemetry/api'),
    import('@opentelemetry/sdk-trace'),
    import('@opentelemetry/exporter-trace-otlp-http'),
    import('@opentelemetry/resources'),
  ]);
  const { ROOT_CONTEXT, SpanKind, SpanStatusCode, trace } = api;
  const warn = (...words: unknown[]) => log.warn({ tracing: words.map(String) }, 'traces are not sent');
  api.diag.setLogger(
    { error: warn, warn, info: () => {}, debug: () => {}, verbose: () => {} },
    { logLevel: api.DiagLogLevel.WARN, suppressOverrideMessage: true },
  );
  const random = new sdk.RandomIdGenerator();
  /** Of the one span that is being made: the first of a job has ids that everybody can tell from the job's. */
  let given: Ids | null = null;
  const provider = new sdk.TracerProvider({
    resource: resources
      .resourceFromAttributes({ 'service.name': 'atelier', 'atelier.role': role })
      .merge(resources.detectResources({ detectors: [resources.envDetector] })),
    // By the trace's id and nothing else: all processes keep the same jobs, and those whole.
    sampler: new sdk.TraceIdRatioBasedSampler(settings.share),
    idGenerator: {
      generateTraceId: () => given?.traceId ?? random.generateTraceId(),
      generateSpanId: () => given?.spanId ?? random.generateSpanId(),
    },
    spanProcessors: [
      new sdk.BatchSpanProcessor({ exporter: new otlp.OTLPTraceExporter({ url: settings.url }) }),
    ],
  });
  const tracer = provider.getTracer('atelier');

  function recordSpan(step: FinishedSpan): void {
    const first = idsOf(step.job);
    const isFirst = step.name === 'create';
    const caller = readTraceParent(step.traceparent);
    const parent = { ...first, traceFlags: api.TraceFlags.SAMPLED, isRemote: true };
    given = isFirst ? first : null;
    const span = tracer.startSpan(
      step.name,
      {
        kind: isFirst ? SpanKind.SERVER : SpanKind.INTERNAL,
        startTime: new Date(step.startedAt),
        attributes: { 'atelier.job': step.job, ...step.attributes },
        ...(caller && { links: [{ context: { ...caller, isRemote: true } }] }),
      },
      isFirst ? ROOT_CONTEXT : trace.setSpanContext(ROOT_CONTEXT, parent),
    );
    given = null;
    if (step.failure !== undefined) span.setStatus({ code: SpanStatusCode.ERROR, message: step.failure });
    span.end(new Date(step.endedAt));
  }

  return {
    recordSpan,
    async close() {
      const over = new AbortController();
      const patience = new Promise<void>(resolve => {
        const timer = setTimeout(resolve, flushTimeoutMs);
        over.signal.addEventListener('abort', () => clearTimeout(timer));
      });
      await Promise.race([provider.shutdown().catch(warn), patience]);
      over.abort();
    },
  };
}

interface Ids {
  readonly traceId: string;
  readonly spanId: string;
}

/** A job's id is a UUID, which is as long as a trace's id; its last half names the first span. */
function idsOf(job: JobId): Ids {
  const traceId = job.replaceAll('-', '');
  return { traceId, spanId: traceId.slice(16) };
}

/** W3C Trace Context, version 00; null where it is none. */
function readTraceParent(text: string | undefined): (Ids & { readonly traceFlags: number }) | null {
  const [, traceId, spanId, flags] =
    /^00-(?!0{32})([0-9a-f]{32})-(?!0{16})([0-9a-f]{16})-([0-9a-f]{2})$/.exec(text ?? '') ?? [];
  if (traceId === undefined || spanId === undefined) return null;
  return { traceId, spanId, traceFlags: Number.parseInt(flags ?? '00', 16) & 1 };
}
