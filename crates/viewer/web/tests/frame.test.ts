import assert from 'node:assert/strict';
import { test } from 'node:test';
import { bodyState, decodeFrame, quarantinedIn } from '../src/frame';
import { frameAt } from './support';

/** The bytes of a frame by docs/formats.md, behind `before` other bytes. */
function encode(before: number, bodies: number[][], contacts: number[][], cloth: number[][], status: number[]): ArrayBuffer {
  const bytes = new ArrayBuffer(before + 96 + bodies.length * 105 + contacts.length * 56 + cloth.length * 24);
  const view = new DataView(bytes, before);
  view.setFloat64(0, 1.5, true);
  view.setBigUint64(8, 90n, true);
  for (let i = 2; i < 11; i++) view.setFloat64(8 * i, i, true);
  view.setUint32(88, bodies.length, true);
  view.setUint32(92, contacts.length, true);
  [...bodies, ...contacts, ...cloth].flat().forEach((x, i) => view.setFloat64(96 + 8 * i, x, true));
  status.forEach((s, i) => view.setUint8(view.byteLength - status.length + i, s));
  return bytes;
}

test('a frame is decoded without a copy', () => {
  const body = Array.from({ length: 13 }, (_, i) => i + 0.25);
  const buffer = encode(16, [body, body], [[1, 2, 3, 4, 5, 6, 7]], [[8, 9, 10], [11, 12, 13]], [0, 3]);
  const frame = decodeFrame(buffer, 16, 2);
  assert.equal(frame.time, 1.5);
  assert.equal(frame.step, 90);
  assert.deepEqual([frame.kinetic, frame.potential, frame.penetration], [2, 3, 10]);
  assert.deepEqual([frame.momentum, frame.angularMomentum], [[4, 5, 6], [7, 8, 9]]);
  assert.equal(frame.bodies.buffer, buffer);
  assert.deepEqual([...frame.bodies], [...body, ...body]);
  assert.deepEqual([...frame.contacts], [1, 2, 3, 4, 5, 6, 7]);
  assert.deepEqual([...frame.cloth], [8, 9, 10, 11, 12, 13]);
  assert.deepEqual([...frame.status], [0, 3]);
  assert.deepEqual(quarantinedIn(frame), [1]);
});

test('a frame of the wrong length is refused', () => {
  const buffer = encode(0, [], [], [], []);
  assert.throws(() => decodeFrame(buffer.slice(0, 90), 0, 0), /too short/);
  assert.throws(() => decodeFrame(buffer, 0, 1), /wrong length/);
  new DataView(buffer).setUint32(88, 1, true);
  assert.throws(() => decodeFrame(buffer, 0, 0), /wrong length/);
});

test('kinetic energy includes translation and rotation', () => {
  const info = { name: 'a', mass: 4, moments: [1, 1, 3] as [number, number, number], color: [0, 0, 0] as [number, number, number], mesh: null, spheres: [] };
  const state = bodyState(info, 0, frameAt(1), frameAt(2), 0.5);
  assert.equal(state.energy, (4 * 1 + 3 * 4) / 2);
  assert.deepEqual(state.position, [1.5, 0, 0]);
  assert.equal(state.angularSpeed, 2);
});
