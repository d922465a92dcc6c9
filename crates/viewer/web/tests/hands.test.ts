import assert from 'node:assert/strict';
import { test } from 'node:test';
import { Hands } from '../src/hands';
import type { BodyInfo } from '../src/model';
import type { RunEvent } from '../src/source/source';

const body = (name: string): BodyInfo => ({ name, mass: 1, moments: [1, 1, 1], color: [0, 0, 0], mesh: null, spheres: [] });
const input = (step: number, detail: unknown): RunEvent => ({ time: step / 100, step, kind: 'input', detail });
const pull = (step: number, hand: number, name: string, x: number): RunEvent =>
  input(step, { pull: { hand, body: name, point_body: [1, 2, 3], target: [x, 0, 0], stiffness: 9, damping: 6 } });

test('a hand pulls from the step after it took hold until it lets go', () => {
  const hands = new Hands([body('a'), body('b')]);
  hands.add([pull(10, 1, 'b', 5), pull(14, 1, 'b', 6)]);
  hands.add([input(20, { let_go: { hand: 1 } })]);
  const target = (step: number): number[] => hands.at(step).map((p) => p.target[0]);
  assert.deepEqual(hands.at(10), []);
  assert.deepEqual(hands.at(11), [{ body: 1, point: [1, 2, 3], target: [5, 0, 0] }]);
  assert.deepEqual([14, 15, 20].map(target), [[5], [6], [6]]);
  assert.deepEqual(hands.at(21), []);
});

test('of several moves at one step the last counts, and hands do not mind each other', () => {
  const hands = new Hands([body('a')]);
  hands.add([pull(0, 1, 'a', 1), pull(0, 1, 'a', 2), pull(0, 7, 'a', 3), input(4, { let_go: { hand: 1 } }), pull(4, 1, 'a', 4)]);
  assert.deepEqual(hands.at(1).map((p) => p.target[0]), [2, 3]);
  assert.deepEqual(hands.at(5).map((p) => p.target[0]), [4, 3]);
});

test('what is no pull of a known body is passed over', () => {
  const hands = new Hands([body('a')]);
  hands.add([input(0, 'pause'), input(0, { kick: { body: 'a' } }), pull(0, 1, 'nobody', 1), input(0, null)]);
  hands.add([{ ...pull(0, 1, 'a', 1), kind: 'command' }]);
  assert.deepEqual(hands.at(9), []);
});
