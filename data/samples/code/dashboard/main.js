// Starts the page: one chart for each station, refreshed while the page is visible.

import { TideApi } from "./api.js";
import { renderChart } from "./chart.js";
import { NoticePanel } from "./notices.js";

const HOUR = 3_600_000;
const REFRESH_MS = 60_000;
const BACKGROUND_REFRESH_MS = 10 * 60_000;
const HISTORY_HOURS = 36;
const FORECAST_HOURS = 12;

function cardFor(station) {
  const card = document.createElement("article");
  card.id = `station-${station.code}`;
  const title = document.createElement("h2");
  title.textContent = station.name;
  const figure = document.createElement("figure");
  card.append(title, figure);
  return card;
}

/** A chart older than twenty minutes is greyed, so that nobody trusts a frozen picture. */
export function isStale(levels, now, limitMs = 20 * 60_000) {
  const newest = levels.at(-1);
  return newest === undefined || now - newest.time > limitMs;
}

export class Dashboard {
  constructor(api, root, panel) {
    this.api = api;
    this.root = root;
    this.panel = panel;
    this.stations = [];
    this.timer = undefined;
    this.request = undefined;
  }

  async start() {
    this.stations = await this.api.stations();
    this.root.replaceChildren(...this.stations.map(cardFor));
    document.addEventListener("visibilitychange", () => this.schedule(0));
    this.schedule(0);
  }

  schedule(delay) {
    clearTimeout(this.timer);
    this.timer = setTimeout(() => this.refresh(), delay);
  }

  async refresh() {
    this.request?.abort(new DOMException("a newer refresh began", "AbortError"));
    this.request = new AbortController();
    const { signal } = this.request;
    const now = Date.now();
    try {
      const results = await Promise.allSettled(
        this.stations.map((station) => this.refreshStation(station, now, signal)),
      );
      for (const [index, result] of results.entries()) {
        if (result.status === "rejected") {
          this.markBroken(this.stations[index], result.reason);
        }
      }
      this.panel.show(await this.api.notices(new Date(now - 24 * HOUR), signal), now);
    } catch (error) {
      if (error.name !== "AbortError") {
        console.error("refresh failed", error);
      }
    }
    this.schedule(document.hidden ? BACKGROUND_REFRESH_MS : REFRESH_MS);
  }

  async refreshStation(station, now, signal) {
    const from = new Date(now - HISTORY_HOURS * HOUR);
    const to = new Date(now + FORECAST_HOURS * HOUR);
    const { levels, tide } = await this.api.levels(station.code, from, to, signal);
    const card = document.getElementById(`station-${station.code}`);
    card.classList.toggle("stale", isStale(levels, now));
    card.classList.remove("broken");
    card.querySelector("figure").innerHTML = renderChart({
      levels,
      tide,
      from: from.getTime(),
      to: to.getTime(),
      width: 640,
      height: 220,
      alarm: station.alarmLevel,
    });
  }

  markBroken(station, reason) {
    const card = document.getElementById(`station-${station.code}`);
    card.classList.add("broken");
    card.title = String(reason.message ?? reason);
  }
}

const page = document.querySelector("#stations");
if (page) {
  const panel = new NoticePanel(document.querySelector("#notices"));
  new Dashboard(new TideApi(page.dataset.api), page, panel).start();
}
