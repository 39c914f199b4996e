/** Figures of people and pets, drawn with curves in units of their height. */
import { css, hex, mix, shade } from './colour.ts';
import { type Figure, fillWith } from './figure.ts';
import { disc, polygon } from './view.ts';

/** A person from behind with a scarf that blows in the wind. */
export const person: Figure = (view, colours, phase) => {
  const { context, seconds } = view;
  // Breathing.
  const sway = Math.sin(seconds * 1.2 + phase) * 0.008;
  fillWith(view, colours.body);
  // Legs.
  polygon(context, [-0.075, 0, -0.065, -0.45, -0.005, -0.45, -0.015, 0]);
  polygon(context, [0.075, 0, 0.06, -0.45, 0, -0.45, 0.02, 0]);
  context.beginPath();
  // Coat.
  context.moveTo(-0.1 + sway, -0.76);
  context.quadraticCurveTo(0 + sway, -0.83, 0.1 + sway, -0.76);
  context.quadraticCurveTo(0.125, -0.5, 0.11 - sway * 2, -0.33);
  context.quadraticCurveTo(0, -0.29, -0.115 - sway * 2, -0.33);
  context.quadraticCurveTo(-0.125, -0.5, -0.1 + sway, -0.76);
  context.fill();
  // Scarf with a waving end.
  fillWith(view, mix(colours.body, colours.accent, 0.8));
  context.beginPath();
  context.moveTo(-0.06 + sway, -0.81);
  context.quadraticCurveTo(0.01 + sway, -0.77, 0.065 + sway, -0.81);
  context.quadraticCurveTo(
    0.2 + sway * 5,
    -0.76 + Math.sin(seconds * 2.1 + phase) * 0.02,
    0.29 + sway * 6,
    -0.7 + Math.sin(seconds * 2.4 + phase) * 0.035,
  );
  context.quadraticCurveTo(0.16 + sway * 3, -0.7, 0.05 + sway, -0.75);
  context.quadraticCurveTo(-0.02 + sway, -0.74, -0.06 + sway, -0.76);
  context.fill();
  fillWith(view, colours.body);
  // Head and hair.
  disc(context, sway, -0.905, 0.075);
  fillWith(view, shade(colours.body, -0.3));
  context.beginPath();
  context.arc(sway - 0.008, -0.918, 0.08, Math.PI * 0.8, Math.PI * 1.95);
  context.closePath();
  context.fill();
  // Rim of light.
  fillWith(view, colours.lit);
  context.globalAlpha = 0.45;
  context.beginPath();
  context.arc(sway, -0.905, 0.075, -Math.PI * 0.45, Math.PI * 0.4);
  context.arc(sway - 0.016, -0.905, 0.074, Math.PI * 0.4, -Math.PI * 0.45, true);
  context.fill();
  context.globalAlpha = 1;
};

/** An astronaut who floats a little and waves. */
export const astronaut: Figure = (view, colours, phase) => {
  const { context, seconds } = view;
  context.translate(0, -0.02 + Math.sin(seconds * 0.8 + phase) * 0.012);
  const suit = mix(hex('#eef1f6'), colours.body, 0.18);
  fillWith(view, shade(suit, -0.3));
  context.beginPath();
  // Backpack.
  context.roundRect(-0.2, -0.72, 0.16, 0.36, 0.04);
  context.fill();
  fillWith(view, shade(suit, -0.12));
  // Legs.
  for (const x of [-0.1, 0.02]) {
    context.beginPath();
    context.roundRect(x, -0.4, 0.095, 0.4, 0.04);
    context.fill();
  }
  fillWith(view, suit);
  context.beginPath();
  // Body.
  context.roundRect(-0.14, -0.74, 0.28, 0.42, 0.09);
  context.fill();
  context.strokeStyle = css(suit);
  context.lineWidth = 0.085;
  context.lineCap = 'round';
  context.beginPath();
  // Waving arm, then the other one.
  context.moveTo(0.11, -0.66);
  context.quadraticCurveTo(0.24, -0.62, 0.28, -0.74 + Math.sin(seconds * 1.4 + phase) * 0.02);
  context.moveTo(-0.11, -0.66);
  context.lineTo(-0.19, -0.44);
  context.stroke();
  // Helmet, visor, reflection and badge.
  disc(context, 0, -0.85, 0.15);
  fillWith(view, mix(colours.body, colours.second, 0.35));
  context.beginPath();
  context.ellipse(0.03, -0.85, 0.105, 0.095, 0, 0, Math.PI * 2);
  context.fill();
  fillWith(view, colours.light);
  context.globalAlpha = 0.6;
  context.beginPath();
  context.ellipse(0.07, -0.89, 0.03, 0.018, -0.6, 0, Math.PI * 2);
  context.fill();
  context.globalAlpha = 1;
  fillWith(view, colours.accent);
  context.fillRect(0.02, -0.6, 0.08, 0.05);
};

/** A sitting cat whose tail, ears and eyes move. */
export const cat: Figure = (view, colours, phase) => {
  const { context, seconds } = view;
  const tail = Math.sin(seconds * 1.5 + phase);
  const fur = mix(colours.body, colours.accent, colours.night ? 0.14 : 0.3);
  context.strokeStyle = css(fur);
  context.lineWidth = 0.075;
  context.lineCap = 'round';
  context.beginPath();
  // Tail.
  context.moveTo(-0.2, -0.06);
  context.bezierCurveTo(-0.5, -0.04, -0.5, -0.34 - 0.05 * tail, -0.36 - 0.08 * tail, -0.46);
  context.stroke();
  fillWith(view, fur);
  context.beginPath();
  // Body.
  context.moveTo(-0.27, 0);
  context.bezierCurveTo(-0.33, -0.34, -0.16, -0.56, -0.02, -0.64);
  context.lineTo(0.15, -0.6);
  context.bezierCurveTo(0.2, -0.36, 0.2, -0.2, 0.22, 0);
  context.closePath();
  context.fill();
  context.beginPath();
  // Head.
  context.ellipse(0.09, -0.71, 0.185, 0.155, 0, 0, Math.PI * 2);
  context.fill();
  // An ear twitches every few seconds.
  const ear = seconds % 3.7 < 0.14 ? 0.02 : 0;
  polygon(context, [-0.08, -0.76, -0.055 - ear, -0.97, 0.07, -0.84]);
  polygon(context, [0.12, -0.84, 0.235, -0.96 + ear, 0.265, -0.75]);
  // Still pictures show open eyes.
  const blink = (seconds + phase) % 4.3 < 0.13 && seconds > 0 ? 0.12 : 1;
  fillWith(view, mix(colours.light, colours.accent, 0.35));
  for (const x of [0.025, 0.165]) {
    context.beginPath();
    context.ellipse(x, -0.72, 0.032, 0.038 * blink, 0, 0, Math.PI * 2);
    context.fill();
  }
  fillWith(view, shade(colours.body, -0.6));
  // Pupils, then the nose.
  for (const x of [0.028, 0.168]) {
    context.beginPath();
    context.ellipse(x, -0.72, 0.011, 0.034 * blink, 0, 0, Math.PI * 2);
    context.fill();
  }
  polygon(context, [0.083, -0.672, 0.113, -0.672, 0.098, -0.652]);
};

/** A standing dog that wags its tail. */
export const dog: Figure = (view, colours, phase) => {
  const { context, seconds } = view;
  const wag = Math.sin(seconds * 6 + phase) * 0.05;
  const fur = mix(colours.body, colours.accent, 0.25);
  context.strokeStyle = css(fur);
  context.lineCap = 'round';
  context.lineWidth = 0.06;
  context.beginPath();
  // Tail.
  context.moveTo(-0.36, -0.46);
  context.quadraticCurveTo(-0.5, -0.55, -0.5 + wag, -0.72);
  context.stroke();
  context.lineWidth = 0.075;
  // Legs.
  for (const x of [-0.33, -0.2, 0.14, 0.26]) {
    context.beginPath();
    context.moveTo(x, -0.36);
    context.lineTo(x + (x < 0 ? -0.02 : 0.01), -0.035);
    context.stroke();
  }
  fillWith(view, fur);
  context.beginPath();
  // Body and neck.
  context.moveTo(-0.4, -0.5);
  context.bezierCurveTo(-0.2, -0.58, 0.1, -0.56, 0.22, -0.6);
  context.lineTo(0.28, -0.82);
  context.lineTo(0.42, -0.78);
  context.quadraticCurveTo(0.36, -0.5, 0.32, -0.34);
  context.bezierCurveTo(0.1, -0.24, -0.2, -0.34, -0.38, -0.28);
  context.closePath();
  context.fill();
  context.beginPath();
  // Head and muzzle.
  context.ellipse(0.37, -0.86, 0.13, 0.105, -0.15, 0, Math.PI * 2);
  context.fill();
  polygon(context, [0.44, -0.9, 0.62, -0.84, 0.6, -0.775, 0.42, -0.78]);
  fillWith(view, shade(fur, -0.3));
  // Ear, nose and eye.
  polygon(context, [0.27, -0.94, 0.345, -0.955, 0.32, -0.74, 0.25, -0.77]);
  disc(context, 0.612, -0.825, 0.025);
  fillWith(view, colours.light);
  disc(context, 0.42, -0.885, 0.015);
};
