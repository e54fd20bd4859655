// The list of alarms on the right of the page, and the sound that goes with it.

const ORDER = { raised: 0, watch: 1, quiet: 2 };
const REPEAT_SOUND_MS = 90_000;

/** The newest notice of each station, alarms first, then by size of the surge. */
export function latestByStation(notices) {
  const latest = new Map();
  for (const notice of notices) {
    const known = latest.get(notice.station);
    if (!known || notice.time > known.time) {
      latest.set(notice.station, notice);
    }
  }
  return [...latest.values()].sort(
    (a, b) => ORDER[a.state] - ORDER[b.state] || Math.abs(b.surge) - Math.abs(a.surge),
  );
}

export function describe(notice, locale = "en-GB") {
  const when = new Intl.DateTimeFormat(locale, {
    hour: "2-digit",
    minute: "2-digit",
    timeZone: "UTC",
  }).format(new Date(notice.time));
  const sign = notice.surge >= 0 ? "+" : "\u2212";
  return `${when} UTC, ${notice.text} (${sign}${Math.abs(notice.surge).toFixed(2)} m)`;
}

export class NoticePanel {
  constructor(root, { storage = globalThis.localStorage, play = () => {} } = {}) {
    this.root = root;
    this.storage = storage;
    this.play = play;
    this.lastSound = 0;
  }

  /** Silence lasts until the station's state changes, not for a number of minutes. */
  silence(notice) {
    this.storage.setItem(`silenced:${notice.station}`, `${notice.state}@${notice.time}`);
  }

  isSilenced(notice) {
    return this.storage.getItem(`silenced:${notice.station}`) === `${notice.state}@${notice.time}`;
  }

  show(notices, now = Date.now()) {
    const current = latestByStation(notices).filter((notice) => notice.state !== "quiet");
    this.root.replaceChildren(...current.map((notice) => this.row(notice)));
    const loud = current.some((n) => n.state === "raised" && !this.isSilenced(n));
    if (loud && now - this.lastSound >= REPEAT_SOUND_MS) {
      this.lastSound = now;
      this.play();
    }
    document.title = current.length > 0 ? `(${current.length}) Tidewatch` : "Tidewatch";
  }

  row(notice) {
    const item = document.createElement("li");
    item.className = `notice ${notice.state}`;
    item.textContent = describe(notice);
    const button = document.createElement("button");
    button.type = "button";
    button.textContent = this.isSilenced(notice) ? "Silenced" : "Silence";
    button.disabled = this.isSilenced(notice);
    button.addEventListener("click", () => {
      this.silence(notice);
      button.textContent = "Silenced";
      button.disabled = true;
    });
    item.append(button);
    return item;
  }
}
