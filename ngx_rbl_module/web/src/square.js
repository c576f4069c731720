// Up to 256 addresses as a square of cells, each a link to its host.  Arrow
// keys go from one to the next; the key Tab stops at one of them.

import { useRef, useState } from 'preact/hooks';

import { isolate } from './bidi.js';
import { html } from './html.js';
import { shapes } from './parts.js';
import { t } from './text.js';

const width = 16;
const unit = 20;                // of the drawing, for a cell
const steps = { ArrowLeft: -1, ArrowRight: 1, ArrowUp: -width,
    ArrowDown: width };

// The last part of an address, and that of the one `n` behind it.
function lastOf(address, n) {
    const last = address.split(/[.:]/).at(-1);

    return address.includes('.') ? `${Number(last) + n}`
        : (parseInt(last || '0', 16) + n).toString(16);
}

function Cell({ cell, size, current, onFocus }) {
    const x = cell.place % width * unit;
    const y = Math.floor(cell.place / width) * unit;
    const name = `${isolate(cell.host)} ${t(`state_${cell.state}`)}`;

    return html`<a href="#/host/${cell.id}" aria-label=${name}
        data-place=${cell.place} tabindex=${current ? 0 : -1}
        onFocus=${() => onFocus(cell.place)} class="cell ${cell.state}">
        <title>${name}</title>
        <rect x=${x + 1} y=${y + 1} width=${size} height=${size} rx="3" />
        <path transform="translate(${x + 4} ${y + 4}) scale(.75)"
            fill-rule="evenodd" d=${shapes[cell.state]} /></a>`;
}

// part: an answer of range/cells.
export function Square({ part }) {
    const root = useRef();
    const [at, setAt] = useState(-1);
    const { cells, first, size } = part;
    const columns = Math.min(size, width);
    const rows = Math.ceil(size / width);
    const places = new Set(cells.map(({ place }) => place));
    const stop = places.has(at) ? at : cells.length > 0 ? cells[0].place : -1;
    const labels = [...Array(rows).keys()];

    // The next host in that direction.
    function go(event) {
        const step = steps[event.key];
        let place = stop;

        if (!step || event.altKey || event.ctrlKey || event.metaKey) {
            return;
        }

        event.preventDefault();

        do {
            place += step;
        } while (place >= 0 && place < size && !places.has(place));

        if (places.has(place)) {
            root.current.querySelector(`[data-place="${place}"]`).focus();
        }
    }

    return html`<svg class="square" role="group" onKeyDown=${go} ref=${root}
        aria-label=${t('square', { first, n: cells.length })}
        viewBox="${-2 * unit} 0 ${(columns + 2) * unit} ${rows * unit}">
        ${labels.map((row) => html`<text key=${row} x=${-6}
            y=${row * unit + 14} text-anchor="end" aria-hidden="true">
            ${lastOf(first, row * width)}</text>`)}
        ${[...Array(size).keys()].filter((place) => !places.has(place))
            .map((place) => html`<circle key=${place} class="none" r="1.5"
                cx=${(place % width + .5) * unit}
                cy=${(Math.floor(place / width) + .5) * unit} />`)}
        ${cells.map((cell) => html`<${Cell} key=${cell.id} cell=${cell}
            size=${unit - 2} current=${cell.place === stop}
            onFocus=${setAt} />`)}
    </svg>`;
}
