/** The example body of each model, with media that a test made. */
import type { Model } from '../../src/catalog/model.ts';
import type { TestGateway } from '../gateway/gateway.ts';
import { clip, picture } from '../media/media-maker.ts';

/** What stands in the place of the addresses that examples name. */
export interface ExampleMedia {
  /** File ids. */
  readonly picture: string;
  readonly clip: string;
}

const madeUpClip = /https:\/\/files\.test\/[^"]+\.(?:mp4|mov)/g;
const madeUpPicture = /https:\/\/files\.test\/[^"]+/g;
const madeUpJob = '019e0000-0000-7000-8000-000000000001';

/** A picture and a clip within the bounds of every first example. */
export async function uploadExampleMedia(
  gateway: Pick<TestGateway, 'ask'>,
  key: string,
): Promise<ExampleMedia> {
  const upload = async (name: string, bytes: Buffer): Promise<string> => {
    const body = new FormData();
    body.append('file', new File([new Uint8Array(bytes)], name));
    const answer = await gateway.ask('POST', '/v1/files', { key, body });
    if (answer.status !== 200) throw new Error(`expected a file, got ${JSON.stringify(answer.body)}`);
    return answer.body.id;
  };
  return {
    picture: await upload('picture.jpg', await picture('jpeg', 640, 640)),
    clip: await upload('clip.mp4', await clip({ seconds: 4 })),
  };
}

/** The first example of a model, the cheapest one, with files that are there and a job that gave pictures. */
export function exampleBody(model: Model, media: ExampleMedia, pictureJob: string): unknown {
  const text = JSON.stringify(model.examples[0])
    .replaceAll(madeUpClip, media.clip)
    .replaceAll(madeUpPicture, media.picture)
    .replaceAll(madeUpJob, pictureJob);
  return JSON.parse(text);
}
