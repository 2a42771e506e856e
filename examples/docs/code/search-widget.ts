/**
 * The search box of the reading room's catalogue screens.
 *
 * `mountSearchBox` wires an input to a list: it waits until the reader stops typing, asks the search service, drops
 * answers that arrive after a newer question, and remembers recent answers so that going back costs nothing.
 */

export interface Hit {
  /** Address in the archive, such as `charts/east-pier.pdf`. */
  readonly document: string;
  readonly title: string;
  /** Counted from 1; absent where the document has no pages. */
  readonly page?: number;
  readonly excerpt: string;
}

export interface Answer<T> {
  readonly items: readonly T[];
  readonly tookMs: number;
}

export interface SearchOptions {
  readonly collection?: "catalogue" | "registers" | "charts" | "letters";
  readonly limit?: number;
}

/** What the widget needs from a back end; tests hand in an object of their own. */
export interface SearchBackend<T> {
  search(question: string, options: SearchOptions, signal: AbortSignal): Promise<Answer<T>>;
}

export class SearchFailed extends Error {
  constructor(
    readonly status: number,
    message: string,
  ) {
    super(message);
    this.name = "SearchFailed";
  }

  /** Whether the same question may succeed in a moment. */
  get isTemporary(): boolean {
    return this.status === 429 || this.status >= 500;
  }
}

/** Keeps the values that were used last; the one unused for longest goes first. */
export class RecentlyUsed<K, V> {
  private readonly entries = new Map<K, V>();

  constructor(private readonly capacity: number) {
    if (capacity < 1) throw new RangeError(`capacity must be at least 1, not ${capacity}`);
  }

  get(key: K): V | undefined {
    const value = this.entries.get(key);
    if (value !== undefined) {
      // A Map iterates in order of insertion, so putting the key back makes it the youngest.
      this.entries.delete(key);
      this.entries.set(key, value);
    }
    return value;
  }

  set(key: K, value: V): void {
    this.entries.delete(key);
    this.entries.set(key, value);
    if (this.entries.size > this.capacity) {
      const [oldest] = this.entries.keys();
      this.entries.delete(oldest as K);
    }
  }
}

/** Asks the search service over HTTP. */
export class HttpBackend implements SearchBackend<Hit> {
  private readonly recent = new RecentlyUsed<string, Answer<Hit>>(50);

  constructor(
    private readonly baseUrl: string,
    private readonly token: () => Promise<string>,
  ) {}

  async search(question: string, options: SearchOptions, signal: AbortSignal): Promise<Answer<Hit>> {
    const url = new URL("search", this.baseUrl);
    url.searchParams.set("q", question);
    url.searchParams.set("limit", String(options.limit ?? 8));
    if (options.collection) url.searchParams.set("collection", options.collection);

    const known = this.recent.get(url.href);
    if (known) return known;

    const response = await fetch(url, {
      headers: { Authorization: `Bearer ${await this.token()}` },
      signal,
    });
    if (!response.ok) {
      throw new SearchFailed(response.status, `the search service answered ${response.status}`);
    }
    const answer = (await response.json()) as Answer<Hit>;
    this.recent.set(url.href, answer);
    return answer;
  }
}

/** Calls `action` with the latest arguments once `delayMs` have passed without another call. */
export function debounce<A extends unknown[]>(action: (...args: A) => void, delayMs: number): (...args: A) => void {
  let timer: ReturnType<typeof setTimeout> | undefined;
  return (...args: A) => {
    clearTimeout(timer);
    timer = setTimeout(() => action(...args), delayMs);
  };
}

/**
 * Show the answers to what is typed into `input` as links in `list`.
 *
 * @returns a function that takes the widget off the page again.
 */
export function mountSearchBox(
  input: HTMLInputElement,
  list: HTMLUListElement,
  backend: SearchBackend<Hit>,
  options: SearchOptions = {},
): () => void {
  let pending: AbortController | undefined;

  const ask = async (question: string): Promise<void> => {
    pending?.abort();
    if (question.trim().length < 3) {
      list.replaceChildren();
      return;
    }
    const mine = (pending = new AbortController());
    try {
      const answer = await backend.search(question, options, mine.signal);
      if (!mine.signal.aborted) list.replaceChildren(...answer.items.map(asListItem));
    } catch (error) {
      if (mine.signal.aborted) return;
      const temporary = error instanceof SearchFailed && error.isTemporary;
      list.replaceChildren(asMessage(temporary ? "The index is busy, please try again." : "Search is not available."));
    }
  };

  const onInput = debounce(() => void ask(input.value), 250);
  input.addEventListener("input", onInput);
  return () => {
    input.removeEventListener("input", onInput);
    pending?.abort();
    list.replaceChildren();
  };
}

function asListItem(hit: Hit): HTMLLIElement {
  const link = document.createElement("a");
  link.href = `/archive/${hit.document.split("/").map(encodeURIComponent).join("/")}${hit.page ? `#page=${hit.page}` : ""}`;
  // textContent, never innerHTML: titles come from scanned letters and may hold anything.
  link.textContent = hit.page ? `${hit.title}, page ${hit.page}` : hit.title;
  const excerpt = document.createElement("p");
  excerpt.textContent = hit.excerpt;
  const item = document.createElement("li");
  item.append(link, excerpt);
  return item;
}

function asMessage(text: string): HTMLLIElement {
  const item = document.createElement("li");
  item.setAttribute("role", "status");
  item.textContent = text;
  return item;
}
