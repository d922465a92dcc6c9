// The colours of the two themes.

export type Theme = 'light' | 'dark';

export interface Look {
  /** The sky at the zenith and at the horizon. */
  zenith: string;
  horizon: string;
  ground: string;
  line: string;
  lineStrength: number;
  /** The ground in shadow. */
  shaded: string;
  wall: string;
  wallStrength: number;
  water: string;
  deep: string;
  sun: number;
  fill: number;
  environment: number;
  /** Selection, drags, velocities, forces and contacts. */
  selected: string;
  pull: string;
  velocity: string;
  force: string;
  contact: string;
  impulse: string;
  joint: string;
  /** Colliders of bodies that move, that sleep, and of what is fixed or scripted. */
  collider: string;
  colliderAsleep: string;
  colliderFixed: string;
}

export const QUARANTINE_COLOR = '#ff2d3f';

export const LOOKS: Record<Theme, Look> = {
  light: {
    zenith: '#b9c9db',
    horizon: '#dbe2ea',
    ground: '#eef0f2',
    line: '#5b6673',
    lineStrength: 0.36,
    shaded: '#a3a9b4',
    wall: '#6f8094',
    wallStrength: 0.1,
    water: '#2f87a8',
    deep: '#1b5f80',
    sun: 2.15,
    fill: 0.22,
    environment: 0.42,
    selected: '#ff8a00',
    pull: '#ff8a00',
    velocity: '#00a3c7',
    force: '#e0780a',
    contact: '#d81b60',
    impulse: '#d81b60',
    joint: '#6a35e0',
    collider: '#00813f',
    colliderAsleep: '#5d7388',
    colliderFixed: '#4d5b6b',
  },
  dark: {
    zenith: '#0a0c10',
    horizon: '#14181e',
    ground: '#2b323c',
    line: '#a8b8cc',
    lineStrength: 0.17,
    shaded: '#12161c',
    wall: '#8fa6c2',
    wallStrength: 0.07,
    water: '#2a7d9c',
    deep: '#12475f',
    sun: 2.0,
    fill: 0.1,
    environment: 0.36,
    selected: '#ffb224',
    pull: '#ffb224',
    velocity: '#35e4ff',
    force: '#ffa23c',
    contact: '#ff5c93',
    impulse: '#ff5c93',
    joint: '#b89aff',
    collider: '#4be39a',
    colliderAsleep: '#7d93aa',
    colliderFixed: '#93a3b5',
  },
};
