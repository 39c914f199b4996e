/** What results can become in an input: every place is a field of its model, and no field for media is left out. */
import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { z } from 'zod';
import { models } from '../../src/catalog/index.ts';
import { publishedSchema } from '../../src/catalog/published-schema.ts';
import { usesByName } from '../../src/catalog/result-uses.ts';

interface Node {
  readonly media?: { readonly kind: string };
  readonly widget?: string;
  readonly properties?: Readonly<Record<string, Node>>;
  readonly items?: Node;
  readonly oneOf?: readonly Node[];
  readonly anyOf?: readonly Node[];
}

/** Every field for media, and for the job of a picture, as `path kind`; items of lists are `-`. */
function placesIn(node: Node, path: readonly string[] = []): readonly string[] {
  if (node.media) return [`${path.join('.')} ${node.media.kind}`];
  if (node.widget === 'job') return [`${path.join('.')} image`];
  return [
    ...Object.entries(node.properties ?? {}).flatMap(([name, member]) => placesIn(member, [...path, name])),
    ...(node.items ? placesIn(node.items, [...path, '-']) : []),
    ...[...(node.oneOf ?? []), ...(node.anyOf ?? [])].flatMap(option => placesIn(option, path)),
  ];
}

/** Masks and watermarks say where to paint, or are printed on: no result is made from them. The scene is drawn anew. */
const without = ['mask.url image', 'wm_url image', 'scene_image image'];

describe('the uses of results', () => {
  for (const { id, schema, uses } of models) {
    test(`of ${id} are its fields for media`, () => {
      const published = z.custom<Node>().parse(publishedSchema(schema));
      const places = new Set(placesIn(published).filter(place => !without.includes(place)));
      const used = new Set(uses.map(({ path, kind }) => `${path.replace(/\.\d+$/, '.-')} ${kind}`));
      assert.deepEqual([...used].toSorted(), [...places].toSorted());
    });
  }

  test('of a model of the operator follow the names and kinds of its fields', () => {
    const field = (name: string, kind: 'image' | 'video' | 'audio', isList = false) => ({
      name,
      kind,
      isList,
    });
    const fields = [
      field('image', 'image'),
      field('last_image', 'image'),
      field('reference_images', 'image', true),
      field('mask_image', 'image'),
      field('clip', 'video'),
      field('song', 'audio'),
    ];
    assert.deepEqual(usesByName('video', fields), [
      { role: 'first_frame', kind: 'image', path: 'image' },
      { role: 'last_frame', kind: 'image', path: 'last_image' },
      { role: 'reference', kind: 'image', path: 'reference_images.-' },
      { role: 'reference', kind: 'video', path: 'clip' },
      { role: 'sound', kind: 'audio', path: 'song' },
    ]);
    assert.deepEqual(usesByName('image', fields.slice(0, 1)), [
      { role: 'reference', kind: 'image', path: 'image' },
    ]);
  });
});
