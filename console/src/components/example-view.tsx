/** The rendered example of a model: a picture, a loop or a sound. */
import type { ModelLine } from '../api/answers.ts';
import { exampleOf } from './example-media.ts';
import { Icon } from './icon.tsx';
import { LoopingVideo, Sound } from './players.tsx';

/** On a card: a picture, and a loop while the pointer is over it. Sounds and models without an example have their icon. */
export function ExampleThumbnail({ model }: { readonly model: Pick<ModelLine, 'id' | 'kind'> }) {
  const { picture } = exampleOf(model.id);
  if (picture === undefined)
    return (
      <span className={`example-thumb sign ${model.kind}`}>
        <Icon name={model.kind} />
      </span>
    );
  return <img className="example-thumb" src={picture} alt="" width="640" height="360" loading="lazy" />;
}

/** The loop of a card; mounted while the pointer is over it, so that a page of cards loads pictures alone. */
export function ExampleLoop({ model }: { readonly model: string }) {
  const { video } = exampleOf(model);
  return video === undefined ? null : <LoopingVideo address={video} name="" isDecoration />;
}

/** The whole example, on the page of its model. Null for a model that has none. */
export function ExampleView({ model, title }: { readonly model: string; readonly title: string }) {
  const { picture, video, sound } = exampleOf(model);
  const name = `An example of ${title}`;
  if (video !== undefined) return <LoopingVideo address={video} name={name} poster={picture} />;
  if (picture !== undefined) return <img src={picture} alt={name} width="640" height="360" />;
  return sound === undefined ? null : <Sound address={sound} name={name} />;
}
