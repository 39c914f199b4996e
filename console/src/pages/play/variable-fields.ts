/** The fields of an input that can be varied one at a time, and the values of each. */
import type { Schema } from '../../api/input-schema.ts';
import { type Path, pathText, simple, titleOf } from '../../form/input-value.ts';

/** A value that a field may have. */
export type Value = string | number | boolean;

/** A field with one value: a choice where `options` are given, else typed. */
export interface VariableField {
  readonly path: Path;
  readonly title: string;
  /** Null: typed, as a number or as words. */
  readonly options: readonly Value[] | null;
  readonly isNumber: boolean;
  /** "0.5 to 2", for typed numbers. */
  readonly bounds: string;
}

/** A group of the catalog that changes how a result is delivered, not what it shows. */
const deliveryGroup = 'Delivery';

/** Fields of the body and of its objects; lists, media and references are no single value. */
export function variableFields(schema: Schema, path: Path = []): readonly VariableField[] {
  return Object.entries(schema.properties ?? {}).flatMap(([name, given]) => {
    const member = simple(given);
    const at = [...path, name];
    if (member.group === deliveryGroup || member.media || member.const !== undefined) return [];
    if (member.properties) return variableFields(member, at);
    const options = member.enum ?? (member.type === 'boolean' ? [false, true] : null);
    const isNumber = member.type === 'number' || member.type === 'integer';
    const isWords = member.type === 'string' && isWordsWidget(member.widget);
    if (options === null && !isNumber && !isWords) return [];
    const { minimum, maximum } = member;
    const bounds = minimum !== undefined && maximum !== undefined ? `${minimum} to ${maximum}` : '';
    return [{ path: at, title: titleOf(member, pathText(at)), options, isNumber, bounds }];
  });
}

/** Texts that change what is drawn or heard. */
const isWordsWidget = (widget: string | undefined): boolean =>
  ['textarea', 'parameters', 'shots', 'voice'].includes(widget ?? '');

/** Typed values, one a line or with commas between numbers; undefined where one of them is no number. */
export function readValues(text: string, isNumber: boolean): readonly Value[] | undefined {
  const parts = text
    .split(isNumber ? /[\s,;]+/ : /\n/)
    .map(part => part.trim())
    .filter(part => part !== '');
  if (!isNumber) return parts;
  const numbers = parts.map(Number);
  return numbers.some(Number.isNaN) ? undefined : numbers;
}
