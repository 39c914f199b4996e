/** Tracing by OpenTelemetry: the steps of jobs as spans, sent by OTLP. Its packages are loaded only where configured. */
import type { Logger } from 'pino';
import { seconds } from '../domain/clock.ts';
import type { JobId } from '../domain/ids.ts';
import { type FinishedSpan, noTracing, type Tracing } from '../domain/tracing.ts';

/** Of the process; both come from the environment. */
export interface TracingSettings {
  /** The collector, and the share of jobs that is traced (0 to 1); null: no tracing. */
  readonly tracing: { readonly url: string; readonly share: number } | null;
  /** Of this process: `api`, `worker` or `all`. */
  readonly role: string;
}

/** Tracing with an end. */
export interface OpenedTracing extends Tracing {
  /** Sends the remaining spans, within a short timeout. */
  close(): Promise<void>;
}

/** How long the stop of a process may wait for the collector of traces. */
const flushTimeoutMs = 2 * seconds;

/** Records nothing where tracing is not configured. */
export async function openTracing(
  { tracing: settings, role }: TracingSettings,
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
  // A collector that is away must not fail a job: it is reported, and spans are dropped.
  const warn = (...words: unknown[]) => log.warn({ tracing: words.map(String) }, 'sending traces failed');
  api.diag.setLogger(
    { error: warn, warn, info: () => {}, debug: () => {}, verbose: () => {} },
    { logLevel: api.DiagLogLevel.WARN, suppressOverrideMessage: true },
  );
  const random = new sdk.RandomIdGenerator();
  /** Set while the first span of a job is created: its ids derive from the job's, so that every process knows them. */
  let derivedIds: Ids | null = null;
  const provider = new sdk.TracerProvider({
    resource: resources
      .resourceFromAttributes({ 'service.name': 'atelier', 'atelier.role': role })
      .merge(resources.detectResources({ detectors: [resources.envDetector] })),
    // By the trace id alone: all processes sample the same jobs, and each of those completely.
    sampler: new sdk.TraceIdRatioBasedSampler(settings.share),
    idGenerator: {
      generateTraceId: () => derivedIds?.traceId ?? random.generateTraceId(),
      generateSpanId: () => derivedIds?.spanId ?? random.generateSpanId(),
    },
    spanProcessors: [
      new sdk.BatchSpanProcessor({ exporter: new otlp.OTLPTraceExporter({ url: settings.url }) }),
    ],
  });
  const tracer = provider.getTracer('atelier');

  function recordSpan(step: FinishedSpan): void {
    const first = idsOf(step.job);
    // Every other span of a job is a child of `create`, whichever process records it.
    const isFirst = step.name === 'create';
    // A link and not the parent: the job outlives the request of its caller, and is sampled by its own id.
    const caller = readTraceParent(step.traceparent);
    const parent = { ...first, traceFlags: api.TraceFlags.SAMPLED, isRemote: true };
    derivedIds = isFirst ? first : null;
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
    derivedIds = null;
    if (step.failure !== undefined) span.setStatus({ code: SpanStatusCode.ERROR, message: step.failure });
    span.end(new Date(step.endedAt));
  }

  return {
    recordSpan,
    async close() {
      const over = new AbortController();
      // The timer is cleared when the spans are sent, so that it does not keep the process alive.
      const patience = new Promise<void>(resolve => {
        const timer = setTimeout(resolve, flushTimeoutMs);
        over.signal.addEventListener('abort', () => clearTimeout(timer));
      });
      await Promise.race([provider.shutdown().catch(warn), patience]);
      over.abort();
    },
  };
}

/** Hexadecimal, as W3C Trace Context writes them. */
interface Ids {
  readonly traceId: string;
  readonly spanId: string;
}

/** A job id is a UUID, which is as long as a trace id; its last half is the id of the first span. */
function idsOf(job: JobId): Ids {
  const traceId = job.replaceAll('-', '');
  return { traceId, spanId: traceId.slice(16) };
}

/** Parses W3C Trace Context, version 00; null when invalid. */
function readTraceParent(text: string | undefined): (Ids & { readonly traceFlags: number }) | null {
  const [, traceId, spanId, flags] =
    /^00-(?!0{32})([0-9a-f]{32})-(?!0{16})([0-9a-f]{16})-([0-9a-f]{2})$/.exec(text ?? '') ?? [];
  if (traceId === undefined || spanId === undefined) return null;
  return { traceId, spanId, traceFlags: Number.parseInt(flags ?? '00', 16) & 1 };
}
