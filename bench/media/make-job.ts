/** Makes one job of the contact sheet over HTTP: creates it, waits for its end and downloads its files. */
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { z } from 'zod';
import { findModel } from '../../src/catalog/index.ts';
import type { Kind } from '../../src/catalog/model.ts';

/** The result of one job, as the contact sheet shows it. */
export interface Shown {
  readonly modelId: string;
  readonly kind: Kind;
  /** The request in a few words. */
  readonly caption: string;
  /** Downloaded files: the video, the sound, or the pictures. */
  readonly paths: readonly [string, ...string[]];
  /** Of a video or a sound; 0 for pictures. */
  readonly seconds: number;
}

/** The gateway that makes the jobs. */
export interface Studio {
  /** Base of the gateway's addresses. */
  readonly url: string;
  /** An API key. */
  readonly secret: string;
  /** Where the results are downloaded to. */
  readonly folder: string;
}

const produced = z.object({ url: z.url(), duration: z.number().optional() });
const result = z.object({
  request_id: z.string(),
  error: z.null(),
  video: produced.optional(),
  audio: produced.optional(),
  images: z.array(produced).optional(),
  creations: z.array(z.object({ id: z.string() })).optional(),
});

/** A finished job, with what later jobs need of it. */
export interface Made {
  readonly shown: Shown;
  readonly jobId: string;
  /** The URL of the first file: later jobs use it as an input. */
  readonly url: string;
  /** The id of the video at families that have one; otherwise empty. */
  readonly creationId: string;
}

/** Throws where the job fails or has no file. */
export async function makeJob(studio: Studio, modelId: string, caption: string, body: object): Promise<Made> {
  const kind = findModel(modelId)?.kind;
  if (!kind) throw new Error(`expected a model, got ${modelId}`);
  const handle = z
    .object({ request_id: z.string(), response_url: z.url() })
    .parse(await request(studio, `${studio.url}/v1/queue/${modelId}`, body));
  const {
    video,
    audio,
    images = [],
    creations = [],
    request_id: jobId,
  } = await waitForEnd(studio, handle.response_url);
  const files = [video, audio, ...images].filter(file => file !== undefined);
  const paths = await Promise.all(
    files.map((file, index) => download(studio, file.url, `${jobId}-${index}`)),
  );
  const [first] = files;
  const [path, ...more] = paths;
  if (!first || path === undefined) throw new Error(`expected a file of ${modelId}, got none`);
  console.log(`${modelId}: ${caption}`);
  return {
    shown: { modelId, kind, caption, paths: [path, ...more], seconds: first.duration ?? 0 },
    jobId,
    url: first.url,
    creationId: creations[0]?.id ?? '',
  };
}

/** Long polls of 60 seconds until COMPLETED; throws where the job has an error. */
async function waitForEnd(studio: Studio, responseUrl: string): Promise<z.output<typeof result>> {
  for (;;) {
    const body = await request(studio, responseUrl);
    const status = z.object({ status: z.string() }).parse(body);
    if (status.status === 'COMPLETED') return result.parse(body);
  }
}

/** POST with a body, GET without; throws for any status but 2xx. */
async function request({ secret }: Studio, url: string, body?: object): Promise<unknown> {
  const answer = await fetch(url, {
    method: body ? 'POST' : 'GET',
    headers: {
      authorization: `Bearer ${secret}`,
      prefer: 'wait=60',
      ...(body && { 'content-type': 'application/json' }),
    },
    ...(body && { body: JSON.stringify(body) }),
    signal: AbortSignal.timeout(120_000),
  });
  if (!answer.ok) throw new Error(`${url} answered ${answer.status}: ${await answer.text()}`);
  return answer.json();
}

/** The path of the downloaded file. */
async function download({ folder }: Studio, url: string, name: string): Promise<string> {
  const path = join(folder, name);
  const answer = await fetch(url, { signal: AbortSignal.timeout(60_000) });
  await writeFile(path, Buffer.from(await answer.arrayBuffer()));
  return path;
}
