// Synthetic frames for the tests.
import type { Frame } from '../src/model';

/** A frame of one body at x = time, moving at 1 m/s. */
export function frameAt(time: number): Frame {
  return {
    time,
    step: Math.round(time * 100),
    kinetic: 0.5,
    potential: 0,
    momentum: [1, 0, 0],
    angularMomentum: [0, 0, 0],
    penetration: 0,
    bodies: Float64Array.of(time, 0, 0, 1, 0, 0, 0, 1, 0, 0, 0, 0, 2),
    contacts: new Float64Array(0),
    cloth: new Float64Array(0),
    status: Uint8Array.of(0),
  };
}
