import { type Colour, css } from './colour.ts';
import type { View } from './view.ts';

/** Draws a figure whose feet stand at the origin and that is about one high; y points down. */
export type Figure = (view: View, colours: FigureColours, phase: number) => void;

export interface FigureColours {
  readonly body: Colour;
  readonly lit: Colour;
  readonly accent: Colour;
  readonly second: Colour;
  readonly light: Colour;
  readonly night: boolean;
}

/** What follows is filled with this colour. */
export const fillWith = (view: View, colour: Colour) => {
  view.context.fillStyle = css(colour);
};
