// The colours of the two themes.

export type Theme = 'light' | 'dark';

export interface Look {
  /** The sky high up, and where it meets the ground. */
  zenith: string;
  horizon: string;
  ground: string;
  line: string;
  lineStrength: number;
  /** How much light the ground keeps in shadow, 0 to 1. */
  shadow: number;
  wall: string;
  wallStrength: number;
  water: string;
  deep: string;
  sun: number;
  fill: number;
  environment: number;
  /** What is chosen, pulled, moving, pushed and touched. */
  selected: string;
  pull: string;
  velocity: string;
  force: string;
  contact: string;
  impulse: string;
}

export const ALARM = '#ff2d3f';

export const LOOKS: Record<Theme, Look> = {
  light: {
    zenith: '#c9d7e6',
    horizon: '#f1f3f5',
    ground: '#e3e5e8',
    line: '#5b6673',
    lineStrength: 0.34,
    shadow: 0.5,
    wall: '#6f8094',
    wallStrength: 0.1,
    water: '#2f87a8',
    deep: '#1b5f80',
    sun: 2.5,
    fill: 0.55,
    environment: 0.62,
    selected: '#ff8a00',
    pull: '#ff8a00',
    velocity: '#1976d2',
    force: '#e0780a',
    contact: '#d81b60',
    impulse: '#d81b60',
  },
  dark: {
    zenith: '#0b0e13',
    horizon: '#1c222b',
    ground: '#232a33',
    line: '#a8b8cc',
    lineStrength: 0.22,
    shadow: 0.42,
    wall: '#8fa6c2',
    wallStrength: 0.07,
    water: '#2a7d9c',
    deep: '#12475f',
    sun: 2.3,
    fill: 0.3,
    environment: 0.5,
    selected: '#ffb224',
    pull: '#ffb224',
    velocity: '#5eb0ff',
    force: '#ffa23c',
    contact: '#ff5c93',
    impulse: '#ff5c93',
  },
};
