import assert from 'node:assert/strict';
import { test } from 'node:test';
import { REMOVED } from '../src/frame';
import { Poses } from '../src/stage/poses';
import { frameAt } from './support';

test('a removed body is not drawn, and is drawn again where it is present', () => {
  const present = frameAt(0);
  const removed = { ...frameAt(1), status: Uint8Array.of(REMOVED) };
  const poses = new Poses(1);
  poses.update(present, removed, 0.5);
  assert.equal(poses.isShown(0), true);
  assert.deepEqual(poses.position(0), [...present.bodies.subarray(0, 3)]);
  poses.update(removed, null, 0);
  assert.equal(poses.isShown(0), false);
  assert.equal(poses.box.isEmpty(), true);
  poses.update(present, null, 0);
  assert.equal(poses.isShown(0), true);
});
