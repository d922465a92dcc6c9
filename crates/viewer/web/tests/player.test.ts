import assert from 'node:assert/strict';
import { test } from 'node:test';
import { Player, type DrawnMoment } from '../src/player';
import type { Command, Kind, Shared } from '../src/source/source';
import { frameAt } from './support';

const DT = 0.1;

/** A server of frames 0.1 s apart that records its requests. */
class World {
  readonly commands: Command[] = [];
  wants: number[] = [];
  asked: number[] = [];
  answers = true;
  refusals: unknown[] = [];
  readonly player: Player;
  private acks: (() => void)[] = [];

  constructor(kind: Kind, frames: number, autoplay = false) {
    this.player = new Player(
      {
        want: (after) => this.wants.push(after),
        frame: (index) => {
          this.asked.push(index);
          if (this.answers) this.player.frame(index, frameAt(index * DT), false);
        },
        command: (command) => {
          this.commands.push(command);
          return new Promise((done) => this.acks.push(done));
        },
      },
      (error) => this.refusals.push(error),
    );
    this.player.open(kind, DT, autoplay);
    this.setState({ playing: kind === 'live', frames });
    if (kind === 'live' && frames > 0) this.newest(frames - 1);
  }

  setState(state: Partial<Shared>): void {
    this.player.shared({ playing: false, speed: 1, frames: 0, factor: 1, quarantined: [], pulls: [], message: null, search: null, ...state });
  }

  newest(index: number): void {
    this.player.frame(index, frameAt(index * DT), true);
  }

  async acknowledge(): Promise<void> {
    this.acks.splice(0).forEach((ack) => ack());
    await Promise.resolve();
    await Promise.resolve();
  }

  advance(seconds: number, pieces = 1): DrawnMoment {
    let shown: DrawnMoment | null = null;
    for (let i = 0; i < pieces; i++) shown = this.player.advance(seconds / pieces);
    assert.ok(shown !== null);
    return shown;
  }

  get did(): string[] {
    return this.commands.map((command) => command.do);
  }
}

const near = (a: number, b: number): void => assert.ok(Math.abs(a - b) < 1e-9, `${a} is not ${b}`);

test('a recording plays at its speed and is interpolated between frames', () => {
  const world = new World('file', 100, true);
  world.advance(0);
  near(world.advance(1.25, 25).time, 1.25);
  near(world.player.advance(0)!.s, 0.5);
  world.player.setSpeed(2);
  near(world.advance(1, 20).time, 3.25);
  world.player.setSpeed(100);
  assert.equal(world.player.speed, 4);
  assert.deepEqual(world.commands, []);
});

test('a recording stops at its end, restarts from there, and loops if enabled', () => {
  const world = new World('file', 11, true);
  near(world.advance(2, 40).time, 1);
  assert.equal(world.player.playing, false);
  assert.equal(world.player.index, 10);
  world.player.toggle();
  near(world.advance(0.05).time, 0.05);
  world.player.loop = true;
  world.advance(5.025, 201);
  assert.equal(world.player.playing, true);
  assert.ok(world.player.index < 10);
});

test('a recording steps by frames and stays within its bounds', () => {
  const world = new World('recording', 11);
  world.player.step(1);
  assert.equal(world.player.index, 1);
  world.player.step(-10);
  assert.equal(world.player.index, 0);
  world.player.step(10);
  world.player.step(10);
  assert.equal(world.player.index, 10);
  near(world.advance(0).time, 1);
  world.player.scrubToTime(0.52);
  assert.equal(world.player.index, 5);
  world.player.reset();
  assert.equal(world.player.index, 0);
  world.player.end();
  assert.equal(world.player.index, 10);
});

test('a step from between two frames goes to the next frame in that direction', () => {
  const world = new World('file', 20, true);
  world.advance(0);
  world.advance(0.55, 11);
  world.player.toggle();
  world.player.step(1);
  near(world.advance(0).time, 0.6);
  world.player.step(-1);
  near(world.advance(0).time, 0.5);
});

test('a replay waits for late frames instead of skipping them', () => {
  const world = new World('recording', 100, true);
  world.answers = false;
  assert.equal(world.player.advance(0.1), null);
  assert.deepEqual(world.asked, [0, 1, 2, 3, 4, 5, 6]);
  assert.equal(world.player.advance(1), null);
  world.player.frame(0, frameAt(0), false);
  world.player.frame(1, frameAt(DT), false);
  near(world.advance(0.05).time, 0.05);
  near(world.advance(1).time, 0.1);
  world.player.frame(2, frameAt(2 * DT), false);
  near(world.advance(0.05).time, 0.15);
});

test('a frame that does not arrive is requested again', () => {
  const world = new World('recording', 3);
  world.answers = false;
  world.player.advance(0);
  world.player.advance(1);
  assert.deepEqual(world.asked, [0, 1]);
  world.player.advance(1.5);
  assert.deepEqual(world.asked, [0, 1, 0, 1]);
});

test('a live run has one credit at a time and never passes the newest frame', () => {
  const world = new World('live', 1);
  world.advance(0.02);
  world.advance(0.02);
  assert.deepEqual(world.wants, [0]);
  world.newest(1);
  const shown = world.advance(0.02);
  assert.deepEqual(world.wants, [0, 1]);
  assert.ok(shown.time >= 0 && shown.time <= DT);
  near(world.advance(5, 50).time, DT);
});

test('a live picture moves smoothly, one frame behind', () => {
  const world = new World('live', 1);
  const times: number[] = [];
  for (let i = 1; i < 600; i++) {
    if (i % 6 === 0) world.newest(i / 6);
    times.push(world.advance(DT / 6).time);
  }
  const steps = times.slice(300).map((time, i) => time - times[i + 299]!);
  assert.ok(Math.min(...steps) > 0.5 * (DT / 6), `slowest ${Math.min(...steps)}`);
  assert.ok(Math.max(...steps) < 1.6 * (DT / 6), `fastest ${Math.max(...steps)}`);
  const delay = 99 * DT - times.at(-1)!;
  assert.ok(delay >= 0 && delay < 2 * DT, `delay ${delay}`);
});

test('play and pause take effect immediately, and older states of the server do not undo them', async () => {
  const world = new World('live', 5);
  world.player.toggle();
  assert.equal(world.player.playing, false);
  world.setState({ playing: true, frames: 6 });
  assert.equal(world.player.playing, false);
  await world.acknowledge();
  assert.equal(world.player.playing, false);
  world.setState({ playing: true, frames: 7 });
  assert.equal(world.player.playing, true);
  assert.deepEqual(world.did, ['pause']);
});

test('a requested speed is kept until the server replies', async () => {
  const world = new World('live', 5);
  world.player.setSpeed(2);
  world.setState({ playing: true, speed: 1, frames: 6 });
  assert.equal(world.player.speed, 2);
  await world.acknowledge();
  assert.equal(world.player.speed, 2);
  world.setState({ playing: true, speed: 0.5, frames: 6 });
  assert.equal(world.player.speed, 0.5);
});

test('scrubbing pauses a live run; play replays and then continues live', async () => {
  const world = new World('live', 11);
  world.advance(0.1);
  world.player.scrub(5);
  assert.deepEqual(world.did, ['pause']);
  await world.acknowledge();
  assert.equal(world.player.live, false);
  assert.equal(world.player.playing, false);
  near(world.advance(0).time, 0.5);
  world.player.toggle();
  near(world.advance(0.25, 5).time, 0.75);
  world.advance(0.5, 10);
  assert.equal(world.player.live, true);
  assert.equal(world.player.playing, true);
  assert.deepEqual(world.did, ['pause', 'play']);
});

test('with loop enabled a replay of a live run restarts instead of going live', () => {
  const world = new World('live', 11);
  world.player.loop = true;
  world.player.scrub(8);
  world.player.toggle();
  world.advance(0.4, 8);
  assert.equal(world.player.live, false);
  assert.ok(world.player.index < 5);
});

test('a step forward pauses a live run and requests a frame; a step back shows an earlier frame', () => {
  const world = new World('live', 11);
  world.player.step(1);
  assert.deepEqual(world.did, ['pause', 'step']);
  world.player.step(-3);
  assert.equal(world.player.index, 7);
  assert.equal(world.player.live, false);
  world.player.step(10);
  assert.equal(world.player.live, true);
  assert.deepEqual(world.did, ['pause', 'step']);
  assert.equal(world.player.index, 10);
});

test('the end of a live run is its newest frame, and play continues from there', () => {
  const world = new World('live', 11);
  world.player.scrub(0);
  world.player.end();
  assert.equal(world.player.live, true);
  near(world.advance(0).time, 1);
  world.player.scrub(10);
  world.player.toggle();
  assert.equal(world.player.live, true);
  assert.deepEqual(world.did, ['pause', 'play']);
});

test('a new run discards the previous one', () => {
  const world = new World('live', 11);
  world.player.scrub(5);
  world.player.open('live', DT, false);
  assert.equal(world.player.live, true);
  assert.equal(world.player.frames, 0);
  assert.equal(world.player.advance(0.01), null);
  assert.equal(world.wants.at(-1), -1);
});
