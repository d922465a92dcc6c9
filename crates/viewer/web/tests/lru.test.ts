import assert from 'node:assert/strict';
import { test } from 'node:test';
import { Lru } from '../src/lru';

test('the least recently used value is removed first', () => {
  const kept = new Lru<string>(30);
  kept.set(1, 'a', 10);
  kept.set(2, 'b', 10);
  kept.set(3, 'c', 10);
  assert.equal(kept.get(1), 'a');
  kept.set(4, 'd', 10);
  assert.equal(kept.get(2), undefined);
  assert.deepEqual([kept.get(1), kept.get(3), kept.get(4)], ['a', 'c', 'd']);
  assert.equal(kept.bytes, 30);
});

test('a replaced value counts once, and one larger than the limit stays alone', () => {
  const kept = new Lru<string>(30);
  kept.set(1, 'a', 10);
  kept.set(1, 'b', 20);
  assert.equal(kept.bytes, 20);
  kept.set(2, 'c', 100);
  assert.equal(kept.has(1), false);
  assert.equal(kept.get(2), 'c');
  assert.equal(kept.bytes, 100);
});
