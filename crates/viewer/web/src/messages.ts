// The message line: lasting messages (a lost connection, a quarantine) and brief ones.
import { setText } from './dom';

export class Messages {
  private readonly lasting = new Map<string, string>();
  private brief: string | null = null;
  private timer = 0;

  constructor(private readonly area: HTMLElement) {
    area.addEventListener('click', () => this.dismiss());
  }

  get current(): string | null {
    return this.brief ?? [...this.lasting.values()].at(-1) ?? null;
  }

  /** Shows a message for some seconds. */
  showBriefly(text: string, seconds = 5): void {
    this.brief = text;
    clearTimeout(this.timer);
    this.timer = window.setTimeout(() => {
      this.brief = null;
      this.show();
    }, seconds * 1000);
    this.show();
  }

  /** Shows a message about a topic until it is replaced or removed with null. */
  setLasting(about: string, text: string | null): void {
    if ((this.lasting.get(about) ?? null) === text) return;
    this.lasting.delete(about);
    if (text !== null) this.lasting.set(about, text);
    this.show();
  }

  private dismiss(): void {
    if (this.brief !== null) this.brief = null;
    else this.lasting.clear();
    this.show();
  }

  private show(): void {
    // The text stays while the line fades out.
    if (this.current !== null) setText(this.area, this.current);
    this.area.classList.toggle('shown', this.current !== null);
    this.area.classList.toggle('lasting', this.brief === null);
  }
}
