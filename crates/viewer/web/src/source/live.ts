// A run behind a WebSocket: sends commands, forwards the messages of the server, and reconnects when the connection
// is lost.
import { decodeFrame } from '../frame';
import { type Chart, type Header, clothVertices } from '../model';
import type { Command, Listener, RunEvent, SceneInfo, SeriesData, SeriesInfo, Shared, Source } from './source';

interface Hello {
  run: number;
  live: boolean;
  header: Header;
  title: string | null;
  scenes: SceneInfo[];
  series: SeriesInfo[];
  chart?: Chart | null;
  movements: string[];
  movement: number;
}
interface State extends Shared {
  run: number;
}
interface Message {
  hello?: Hello;
  state?: State;
  ack?: { id: number; error?: string | null };
  events?: { run: number; events: RunEvent[] };
  series?: SeriesData & { run: number };
}

/** The bytes before a frame: kind, run and index. */
const FRAME_HEAD = 16;
const NEWEST = 1;
const CONNECTION_LOST = 'The connection to Conatus is lost. Reconnecting… Is the program still running?';

export class LiveSource implements Source {
  readonly saveAddress = 'recording.mcap';
  private socket: WebSocket | null = null;
  private listener: Listener | null = null;
  private run = 0;
  private vertices = 0;
  private nextId = 1;
  private failures = 0;
  private readonly waiting = new Map<number, { done: () => void; fail: (reason: Error) => void }>();

  constructor(private readonly address: string) {}

  start(listener: Listener): void {
    this.listener = listener;
    this.connect();
  }

  want(after: number): void {
    this.send({ do: 'want', after });
  }

  frame(index: number): void {
    this.send({ do: 'frame', index });
  }

  series(from: number, stride: number): void {
    this.send({ do: 'series', from, stride });
  }

  command(command: Command): Promise<void> {
    const id = this.nextId++;
    return new Promise((done, fail) => {
      if (!this.send({ id, ...command })) fail(new Error(CONNECTION_LOST));
      else this.waiting.set(id, { done, fail });
    });
  }

  private send(message: object): boolean {
    if (this.socket?.readyState !== WebSocket.OPEN) return false;
    this.socket.send(JSON.stringify(message));
    return true;
  }

  private connect(): void {
    const socket = new WebSocket(this.address);
    socket.binaryType = 'arraybuffer';
    this.socket = socket;
    socket.onopen = () => {
      this.failures = 0;
    };
    socket.onmessage = (event: MessageEvent<string | ArrayBuffer>) => {
      if (typeof event.data === 'string') this.text(JSON.parse(event.data) as Message);
      else this.binary(event.data);
    };
    socket.onclose = () => {
      for (const { fail } of this.waiting.values()) fail(new Error(CONNECTION_LOST));
      this.waiting.clear();
      this.listener?.connection(false, CONNECTION_LOST);
      this.failures++;
      setTimeout(() => this.connect(), Math.min(500 * this.failures, 3000));
    };
  }

  private text(message: Message): void {
    const listener = this.listener;
    if (listener === null) return;
    if (message.hello) {
      const { run, live, chart, ...rest } = message.hello;
      this.run = run;
      this.vertices = clothVertices(rest.header);
      listener.connection(true, null);
      listener.run({ kind: live ? 'live' : 'recording', number: run, chart: chart ?? null, ...rest });
    }
    if (message.ack) {
      const waiting = this.waiting.get(message.ack.id);
      this.waiting.delete(message.ack.id);
      if (message.ack.error) waiting?.fail(new Error(message.ack.error));
      else waiting?.done();
    }
    // Messages about an earlier run are ignored.
    if (message.state?.run === this.run) listener.shared(message.state);
    if (message.events?.run === this.run) listener.events(message.events.events);
    if (message.series?.run === this.run) listener.series(message.series);
  }

  private binary(buffer: ArrayBuffer): void {
    const view = new DataView(buffer);
    if (buffer.byteLength < FRAME_HEAD || view.getUint32(4, true) !== this.run) return;
    const newest = view.getUint32(0, true) === NEWEST;
    const frame = decodeFrame(buffer, FRAME_HEAD, this.vertices);
    this.listener?.frame(Number(view.getBigUint64(8, true)), frame, newest);
  }
}
