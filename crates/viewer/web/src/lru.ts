// A least-recently-used cache with a limit in bytes.

export class Lru<V> {
  private readonly entries = new Map<number, { value: V; bytes: number }>();
  private total = 0;

  constructor(private readonly most: number) {}

  /** The value of a key, which becomes the most recently used. */
  get(key: number): V | undefined {
    const entry = this.entries.get(key);
    if (entry === undefined) return undefined;
    this.entries.delete(key);
    this.entries.set(key, entry);
    return entry.value;
  }

  has(key: number): boolean {
    return this.entries.has(key);
  }

  /** Stores a value and removes the least recently used ones; the newest always stays. */
  set(key: number, value: V, bytes: number): void {
    this.total += bytes - (this.entries.get(key)?.bytes ?? 0);
    this.entries.delete(key);
    this.entries.set(key, { value, bytes });
    for (const [oldest, entry] of this.entries) {
      if (this.total <= this.most || oldest === key) break;
      this.entries.delete(oldest);
      this.total -= entry.bytes;
    }
  }

  clear(): void {
    this.entries.clear();
    this.total = 0;
  }

  get bytes(): number {
    return this.total;
  }
}
