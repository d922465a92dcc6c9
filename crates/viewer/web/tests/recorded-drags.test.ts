import assert from 'node:assert/strict';
import { test } from 'node:test';
import { RecordedDrags } from '../src/recorded-drags';
import type { BodyInfo } from '../src/model';
import type { RunEvent } from '../src/source/source';

const body = (name: string): BodyInfo => ({ name, mass: 1, moments: [1, 1, 1], color: [0, 0, 0], mesh: null, spheres: [] });
const input = (step: number, detail: unknown): RunEvent => ({ time: step / 100, step, kind: 'input', detail });
const pull = (step: number, hand: number, name: string, x: number): RunEvent =>
  input(step, { pull: { hand, body: name, point_body: [1, 2, 3], target: [x, 0, 0], stiffness: 9, damping: 6 } });

test('a drag acts from the step after its start until its release', () => {
  const drags = new RecordedDrags([body('a'), body('b')]);
  drags.add([pull(10, 1, 'b', 5), pull(14, 1, 'b', 6)]);
  drags.add([input(20, { let_go: { hand: 1 } })]);
  const target = (step: number): number[] => drags.at(step).map((p) => p.target[0]);
  assert.deepEqual(drags.at(10), []);
  assert.deepEqual(drags.at(11), [{ body: 1, point: [1, 2, 3], target: [5, 0, 0] }]);
  assert.deepEqual([14, 15, 20].map(target), [[5], [6], [6]]);
  assert.deepEqual(drags.at(21), []);
});

test('the last of several moves at one step counts, and drags are independent', () => {
  const drags = new RecordedDrags([body('a')]);
  drags.add([pull(0, 1, 'a', 1), pull(0, 1, 'a', 2), pull(0, 7, 'a', 3), input(4, { let_go: { hand: 1 } }), pull(4, 1, 'a', 4)]);
  assert.deepEqual(drags.at(1).map((p) => p.target[0]), [2, 3]);
  assert.deepEqual(drags.at(5).map((p) => p.target[0]), [4, 3]);
});

test('events that are not drags of known bodies are ignored', () => {
  const drags = new RecordedDrags([body('a')]);
  drags.add([input(0, 'pause'), input(0, { kick: { body: 'a' } }), pull(0, 1, 'unknown', 1), input(0, null)]);
  drags.add([{ ...pull(0, 1, 'a', 1), kind: 'command' }]);
  assert.deepEqual(drags.at(9), []);
});
