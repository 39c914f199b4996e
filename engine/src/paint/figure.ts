/** What a figure of a scene is: a painter in its own coordinates. */
import { type Colour, css } from './colour.ts';
import type { View } from './view.ts';

/**
 * Draws a figure about one unit high with its feet at the origin; y points down. `phase` shifts its animation, so
 * that figures do not move in step.
 */
export type Figure = (view: View, colours: FigureColours, phase: number) => void;

/** Colours of a figure, mixed from the palette of its scene. */
export interface FigureColours {
  /** The main colour, dark against the sky. */
  readonly body: Colour;
  /** The side towards the light. */
  readonly lit: Colour;
  /** Clothes, roofs, flames. */
  readonly accent: Colour;
  readonly second: Colour;
  /** Lamps and reflections. */
  readonly light: Colour;
  /** Lamps and windows are lit. */
  readonly night: boolean;
}

/** Sets the fill colour. */
export const fillWith = (view: View, colour: Colour) => {
  view.context.fillStyle = css(colour);
};
