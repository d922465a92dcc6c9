// Light or dark: what the system prefers, until the user chooses; the choice is remembered.

export type ThemeName = 'light' | 'dark';
const KEY = 'conatus-theme';

export class Theme {
  private chosen = remembered();
  private readonly dark = matchMedia('(prefers-color-scheme: dark)');

  constructor(private readonly changed: (theme: ThemeName) => void) {
    this.dark.addEventListener('change', () => this.apply());
    this.apply();
  }

  get name(): ThemeName {
    return this.chosen ?? (this.dark.matches ? 'dark' : 'light');
  }

  toggle(): void {
    this.chosen = this.name === 'dark' ? 'light' : 'dark';
    try {
      localStorage.setItem(KEY, this.chosen);
    } catch {
      // Some browsers keep nothing for a file opened from disk; then the choice lasts as long as the page.
    }
    this.apply();
  }

  private apply(): void {
    document.documentElement.dataset['theme'] = this.name;
    this.changed(this.name);
  }
}

function remembered(): ThemeName | null {
  try {
    const kept = localStorage.getItem(KEY);
    return kept === 'light' || kept === 'dark' ? kept : null;
  } catch {
    return null;
  }
}
