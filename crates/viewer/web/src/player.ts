// The playhead: follows a live run's newest frame or moves through what is recorded, and tells between which
// two frames to draw.
import { frameBytes } from './frame';
import { Lru } from './lru';
import type { Frame } from './model';
import type { Command, Kind, Shared, Source } from './source/source';

/** Draw this: between `a` and `b`, at `s` from 0 to 1. */
export interface Shown {
  a: Frame;
  b: Frame | null;
  s: number;
  time: number;
}

export const SLOWEST = 0.1;
export const FASTEST = 4;
const CACHE_BYTES = 64 * 1024 * 1024;
/** Frames asked for and not yet there, at most; and for how long one waits for each. */
const MOST_PENDING = 8;
const PATIENCE = 2;
/** A replay does not catch up with a longer pause between two pictures (a sleeping tab); a live run does. */
const LONGEST_DT = 0.25;
/** How many frames ahead of a replay are fetched. */
const AHEAD = 6;

type Asked = Pick<Source, 'want' | 'frame' | 'command'>;

export class Player {
  loop = false;
  private kind: Kind = 'live';
  private frameSeconds = 1 / 30;
  private count = 0;
  private speedSet = 1;
  /** Following the head of a live run. */
  private following = true;
  /** The live run goes on, as the server says. */
  private running = false;
  /** What the server was just asked for; until it answers, its older news do not count. */
  private asked: { running?: boolean; speed?: number }[] = [];
  /** The replay of what is recorded goes on. */
  private replaying = false;
  /** In frames, between them as well. */
  private position = 0;
  private last: Shown | null = null;

  private readonly cache = new Lru<Frame>(CACHE_BYTES);
  private readonly pending = new Map<number, number>();
  private clock = 0;

  /** The latest frames of the live run, the moment drawn between them, and simulated seconds per second. */
  private recent: { index: number; frame: Frame; arrived: number }[] = [];
  private liveTime = NaN;
  private pace = 1;
  private credit = false;

  /** `refused` is told what a command failed with. */
  constructor(
    private readonly source: Asked,
    private readonly refused: (error: unknown) => void,
  ) {}

  /** A new run begins; everything of the one before is forgotten. */
  open(kind: Kind, frameSeconds: number, autoplay: boolean): void {
    this.kind = kind;
    this.frameSeconds = frameSeconds > 0 ? frameSeconds : 1 / 30;
    this.following = kind === 'live';
    this.replaying = kind !== 'live' && autoplay;
    this.count = 0;
    this.position = 0;
    this.asked = [];
    this.last = null;
    this.cache.clear();
    this.recent = [];
    this.liveTime = NaN;
    this.disconnected();
  }

  /** What was asked for will not come any more. */
  disconnected(): void {
    this.pending.clear();
    this.credit = false;
  }

  shared(state: Shared): void {
    this.count = Math.max(this.count, state.frames);
    if (this.kind !== 'live') return;
    this.running = state.playing;
    this.speedSet = state.speed;
  }

  frame(index: number, frame: Frame, newest: boolean): void {
    this.pending.delete(index);
    this.cache.set(index, frame, frameBytes(frame));
    this.count = Math.max(this.count, index + 1);
    if (!newest) return;
    this.credit = false;
    const before = this.recent.at(-1);
    if (before !== undefined && index <= before.index) return;
    if (before !== undefined && this.clock > before.arrived && this.running) {
      const seen = (frame.time - before.frame.time) / (this.clock - before.arrived);
      this.pace += 0.15 * (Math.min(seen, 2 * FASTEST) - this.pace);
    }
    this.recent.push({ index, frame, arrived: this.clock });
    if (this.recent.length > 8) this.recent.shift();
  }

  /** Lets `dt` seconds pass; gives what to draw, or null as long as there is nothing. */
  advance(dt: number): Shown | null {
    this.clock += dt;
    this.last = (this.following ? this.advanceLive(dt) : this.advancePast(Math.min(dt, LONGEST_DT))) ?? this.last;
    return this.last;
  }

  // ---- What is asked of it ----

  toggle(): void {
    if (this.following) return this.run(!this.playing);
    if (this.replaying) {
      this.replaying = false;
    } else if (this.position < this.count - 1) {
      this.replaying = true;
    } else if (this.kind === 'live' && !this.loop) {
      this.goLive();
    } else {
      this.position = 0;
      this.replaying = true;
    }
  }

  step(frames: number): void {
    if (this.following) {
      if (this.playing) this.run(false);
      if (frames > 0) {
        for (let i = 0; i < frames; i++) this.send({ do: 'step' });
        return;
      }
      this.scrub(this.index + frames);
      return;
    }
    const from = frames > 0 ? Math.floor(this.position + 1e-9) : Math.ceil(this.position - 1e-9);
    if (from + frames > this.count - 1 && this.kind === 'live') this.end();
    else this.scrub(from + frames);
  }

  /** Goes to a recorded frame and stays there; a live run pauses. */
  scrub(index: number): void {
    if (this.following && this.playing) this.run(false);
    this.following = false;
    this.replaying = false;
    this.position = Math.min(Math.max(index, 0), Math.max(this.count - 1, 0));
  }

  /** The frame nearest to a moment; frames are evenly spaced but perhaps for the last. */
  scrubToTime(time: number): void {
    this.scrub(Math.round(time / this.frameSeconds));
  }

  end(): void {
    if (this.kind !== 'live') return this.scrub(this.count - 1);
    this.follow();
  }

  goLive(): void {
    if (this.kind !== 'live') return;
    this.follow();
    this.run(true);
  }

  /** The same run anew; a recording goes back to its beginning. */
  reset(): void {
    if (this.kind === 'live') {
      this.send({ do: 'reset' });
      return;
    }
    this.position = 0;
  }

  setSpeed(speed: number): void {
    const value = Math.min(Math.max(speed, SLOWEST), FASTEST);
    if (this.kind === 'live') this.ask({ speed: value }, { do: 'speed', value });
    else this.speedSet = value;
  }

  // ---- What it tells ----

  get playing(): boolean {
    return this.following ? (this.asking('running') ?? this.running) : this.replaying;
  }

  get live(): boolean {
    return this.following;
  }

  get speed(): number {
    return this.asking('speed') ?? this.speedSet;
  }

  get frames(): number {
    return this.count;
  }

  /** The frame at the playhead. */
  get index(): number {
    return this.following ? (this.recent.at(-1)?.index ?? 0) : Math.round(this.position);
  }

  get atEnd(): boolean {
    return !this.following && this.position >= this.count - 1;
  }

  get duration(): number {
    return Math.max(this.count - 1, 0) * this.frameSeconds;
  }

  // ---- How it does it ----

  private follow(): void {
    this.following = true;
    this.replaying = false;
    this.recent = this.recent.slice(-1);
    this.liveTime = this.recent.at(-1)?.frame.time ?? NaN;
  }

  private run(running: boolean): void {
    this.ask({ running }, { do: running ? 'play' : 'pause' });
  }

  private ask(what: { running?: boolean; speed?: number }, command: Command): void {
    this.asked.push(what);
    const answered = (): void => {
      this.asked = this.asked.filter((other) => other !== what);
    };
    this.source.command(command).then(
      () => {
        this.running = what.running ?? this.running;
        this.speedSet = what.speed ?? this.speedSet;
        answered();
      },
      (error: unknown) => {
        answered();
        this.refused(error);
      },
    );
  }

  private asking<K extends 'running' | 'speed'>(key: K): { running?: boolean; speed?: number }[K] {
    return this.asked.findLast((what) => what[key] !== undefined)?.[key];
  }

  private send(command: Command): void {
    this.source.command(command).catch(this.refused);
  }

  private advanceLive(dt: number): Shown | null {
    const newest = this.recent.at(-1);
    if (!this.credit) {
      this.credit = true;
      this.source.want(newest?.index ?? -1);
    }
    if (newest === undefined) return null;
    const before = this.recent.at(-2) ?? newest;
    const gap = Math.max(newest.frame.time - before.frame.time, this.frameSeconds);
    const delay = newest.frame.time - this.liveTime;
    // One gap behind the newest frame, there is mostly one to move towards.
    if (!(delay >= 0 && delay < 4 * gap)) this.liveTime = newest.frame.time - gap;
    const hurry = Math.min(Math.max(1 + 0.3 * (delay / gap - 0.75), 0.7), 1.5) || 1;
    const rate = this.playing ? Math.max(this.pace, 0.02) * hurry : Math.max(this.speed, 1);
    this.liveTime = Math.min(this.liveTime + dt * rate, newest.frame.time);
    let i = this.recent.length - 1;
    while (i > 0 && this.recent[i]!.frame.time > this.liveTime) i--;
    this.recent.splice(0, i);
    const [a, b] = [this.recent[0]!.frame, this.recent[1]?.frame ?? null];
    if (b === null) return { a, b, s: 0, time: a.time };
    const s = Math.min(Math.max((this.liveTime - a.time) / (b.time - a.time), 0), 1);
    return { a, b, s, time: a.time + s * (b.time - a.time) };
  }

  private advancePast(dt: number): Shown | null {
    const end = Math.max(this.count - 1, 0);
    if (this.count === 0) return null;
    if (this.replaying) {
      // Not farther than what is there: a late frame holds the replay up instead of being left out.
      const wanted = Math.min(this.position + (dt * this.speed) / this.frameSeconds, end);
      let there = Math.floor(this.position);
      while (there < Math.ceil(wanted) && this.cache.has(there + 1)) there++;
      if (this.cache.has(Math.floor(this.position))) {
        this.position = Math.max(this.position, Math.min(wanted, there));
      }
      if (this.position >= end) this.ended();
      if (this.following) return this.advanceLive(0);
    }
    const index = Math.min(Math.floor(this.position), end);
    this.fetch(index, this.replaying ? AHEAD : 1);
    const a = this.cache.get(index);
    const s = this.position - index;
    const b = s > 0 ? this.cache.get(index + 1) : null;
    if (a === undefined || b === undefined) return null;
    return { a, b, s, time: b === null ? a.time : a.time + s * (b.time - a.time) };
  }

  /** The replay came to the end of what is recorded. */
  private ended(): void {
    if (this.loop) this.position = 0;
    else if (this.kind === 'live') this.goLive();
    else this.replaying = false;
  }

  private fetch(first: number, ahead: number): void {
    for (const [index, since] of this.pending) {
      if (this.clock - since > PATIENCE) this.pending.delete(index);
    }
    for (let index = first; index <= Math.min(first + ahead, this.count - 1); index++) {
      if (this.pending.size >= MOST_PENDING) return;
      if (this.cache.has(index) || this.pending.has(index)) continue;
      this.pending.set(index, this.clock);
      this.source.frame(index);
    }
  }
}
