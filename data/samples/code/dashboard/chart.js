// Draws levels and the predicted tide as SVG paths. Pure: data in, strings out.

const PADDING = { left: 44, right: 12, top: 10, bottom: 26 };

/** Round steps for an axis: 1, 2 or 5 times a power of ten, at most `most` of them. */
export function niceStep(range, most = 6) {
  const raw = range / most;
  const power = 10 ** Math.floor(Math.log10(raw));
  for (const factor of [1, 2, 5, 10]) {
    if (factor * power >= raw) {
      return factor * power;
    }
  }
  return 10 * power;
}

export function scale([low, high], [from, to]) {
  const ratio = (to - from) / (high - low || 1);
  return (value) => from + (value - low) * ratio;
}

/**
 * Break the line where readings are missing for longer than `gapMs` (fifteen minutes) or where a
 * reading was rejected: a straight line over a gap would look like a measurement.
 */
export function linePath(points, x, y, gapMs = 15 * 60 * 1000) {
  let path = "";
  let previous = null;
  for (const point of points) {
    if (point.metres === null || point.flag > 2) {
      previous = null;
      continue;
    }
    const pen = previous === null || point.time - previous.time > gapMs ? "M" : "L";
    path += `${pen}${x(point.time).toFixed(1)},${y(point.metres).toFixed(1)}`;
    previous = point;
  }
  return path;
}

/**
 * Thin a long series for the screen: of every column of pixels keep the lowest and the highest
 * point in their order, so that peaks survive. A mean would shave the top off every storm.
 */
export function thinForWidth(points, columns) {
  if (points.length <= 2 * columns) {
    return points;
  }
  const size = points.length / columns;
  const kept = [];
  for (let column = 0; column < columns; column += 1) {
    const part = points.slice(Math.floor(column * size), Math.floor((column + 1) * size));
    const valid = part.filter((point) => point.metres !== null);
    if (valid.length === 0) {
      kept.push(part[0]);
      continue;
    }
    const low = valid.reduce((a, b) => (b.metres < a.metres ? b : a));
    const high = valid.reduce((a, b) => (b.metres > a.metres ? b : a));
    kept.push(...(low.time <= high.time ? [low, high] : [high, low]));
  }
  return kept;
}

export function renderChart({ levels, tide, from, to, width, height, alarm }) {
  const values = [...levels, ...tide].map((p) => p.metres).filter((m) => m !== null);
  if (values.length === 0) {
    return `<svg viewBox="0 0 ${width} ${height}"><text x="20" y="30">No readings yet</text></svg>`;
  }
  const lowest = Math.min(...values) - 0.2;
  const highest = Math.max(...values, alarm ?? -Infinity) + 0.2;
  const x = scale([from, to], [PADDING.left, width - PADDING.right]);
  const y = scale([lowest, highest], [height - PADDING.bottom, PADDING.top]);
  const step = niceStep(highest - lowest);
  const grid = [];
  for (let mark = Math.ceil(lowest / step) * step; mark <= highest; mark += step) {
    const at = y(mark).toFixed(1);
    grid.push(`<path class="grid" d="M${PADDING.left},${at}H${width - PADDING.right}"/>`);
    grid.push(`<text class="tick" x="${PADDING.left - 6}" y="${at}">${mark.toFixed(1)}</text>`);
  }
  const limit = alarm === undefined ? "" : `<path class="alarm" d="M${PADDING.left},${y(alarm)}H${width}"/>`;
  const shown = thinForWidth(levels, width - PADDING.left - PADDING.right);
  return [
    `<svg viewBox="0 0 ${width} ${height}" role="img" aria-label="Water level">`,
    ...grid,
    limit,
    `<path class="tide" d="${linePath(tide, x, y)}"/>`,
    `<path class="level" d="${linePath(shown, x, y)}"/>`,
    "</svg>",
  ].join("");
}
