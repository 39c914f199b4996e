/** The schema of an input: as the gateway publishes it, and as a form draws it. */

/** The bounds of a media field. `ratio` is width by height; a missing bound is unlimited. */
export interface MediaLimits {
  readonly kind: 'image' | 'video' | 'audio';
  /** How a value may be written: `url`, `data-url`, `base64`, `file`. */
  readonly forms: readonly string[];
  readonly formats: readonly string[];
  /** Any other container is accepted, too, if it contains a video. */
  readonly otherFormats?: true;
  readonly maxBytes?: number;
  readonly sides?: { readonly min: number | null; readonly max: number | null };
  readonly ratio?: { readonly min: number; readonly max: number };
  readonly seconds?: { readonly min: number; readonly max: number };
}

/** The subset of JSON Schema that describes models: an optional field may be null, too. */
export interface PublishedSchema extends SchemaHints {
  readonly type?: string | readonly string[];
  readonly properties?: Readonly<Record<string, PublishedSchema>>;
  readonly items?: PublishedSchema;
  readonly oneOf?: readonly PublishedSchema[];
  readonly anyOf?: readonly PublishedSchema[];
  readonly enum?: readonly (string | number | null)[];
}

/** The same without null, as a form draws it. */
export interface Schema extends SchemaHints {
  readonly type?: string;
  readonly properties?: Readonly<Record<string, Schema>>;
  readonly items?: Schema;
  readonly oneOf?: readonly Schema[];
  readonly anyOf?: readonly Schema[];
  readonly enum?: readonly (string | number)[];
}

/** Bounds, texts, and the hints of the catalog (`widget`, `group`, `unit`, `media`). */
interface SchemaHints {
  readonly title?: string;
  readonly description?: string;
  readonly required?: readonly string[];
  /** The field that may replace this one, which is required without it. */
  readonly requiredUnless?: string;
  readonly const?: string | number;
  readonly default?: unknown;
  /** Suggested values; any other may be typed. */
  readonly examples?: readonly string[];
  readonly minimum?: number;
  readonly maximum?: number;
  readonly minLength?: number;
  readonly maxLength?: number;
  readonly minItems?: number;
  readonly maxItems?: number;
  readonly format?: string;
  readonly pattern?: string;
  readonly widget?: string;
  readonly group?: string;
  readonly unit?: string;
  readonly media?: MediaLimits;
}
