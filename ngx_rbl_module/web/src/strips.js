// The last 30 days of the hosts that are shown: a strip for each, read some at
// a time once the table does not scroll, and drawn a few in a frame.

import { useLayoutEffect, useRef, useState } from 'preact/hooks';

import { get, kept } from './api.js';
import { html } from './html.js';
import { t } from './text.js';

const days = 30;
const together = 50;            // hosts of a call
const most = 4;                 // new strips in a frame
const pause = 200;              // ms without a movement
const fresh = 300000;           // ms

// A bar for each run of a letter: its top and height, of 8.
function bars(text, letter, top) {
    return [...text.matchAll(new RegExp(`${letter}+`, 'g'))].map((run) =>
        `M${run.index} ${top}h${run[0].length}V8h-${run[0].length}z`).join('');
}

const count = (text, letter) => text.split(letter).length - 1;

function drawn(strip) {
    if (!strip) {
        return { says: t('strip_days', { n: days }) };
    }

    const listed = count(strip.days, 'l');
    const unknown = count(strip.days, 'u');

    return { ground: bars(strip.days, '[^n]', 7),
        listed: bars(strip.days, 'l', 0),
        unknown: bars(strip.days, 'u', 5),
        says: t('strip_listed', { n: listed, days })
            + (unknown > 0 ? ` ${t('strip_unknown', { n: unknown })}` : '') };
}

// A function, not a component, as all of a row.  A range has none.
export function Strip(strip) {
    if (strip && !strip.days) {
        return '';
    }

    const { ground, listed, unknown, says } = drawn(strip);

    return html`<svg class="strip" viewBox="0 0 ${days} 8" role="img"
        preserveAspectRatio="none" aria-label=${says}><title>${says}</title>
        <path class="ground" d=${ground} /><path class="unknown" d=${unknown} />
        <path class="listed" d=${listed} /></svg>`;
}

// What it returns: of(id), the strip of a host if it is there; near(ids), to be
// called with the hosts that are near the window.
export function useStrips(account) {
    const name = `strips ${account}`;
    const [, draw] = useState(0);
    const run = useRef({ over: false, wanted: [], timer: 0, busy: false,
        arrived: [] });
    const strips = kept.get(name) || new Map();

    kept.set(name, strips);

    useLayoutEffect(() => () => {
        run.current.over = true;
        clearTimeout(run.current.timer);
    }, []);

    function show() {
        const { arrived, over } = run.current;

        arrived.splice(0, most).forEach(([id, strip]) => strips.set(id, strip));

        if (!over) {
            draw((n) => n + 1);
        }

        if (arrived.length > 0) {
            requestAnimationFrame(show);
        }
    }

    // A host that is not there any longer has no strip.
    function arrive(asked, data) {
        const found = new Map(data.map((strip) => [strip.id, strip]));
        const { arrived } = run.current;
        const idle = arrived.length === 0;

        arrived.push(...asked.map((id) => [id, { ...found.get(id),
            at: Date.now() }]));

        if (idle && arrived.length > 0) {
            requestAnimationFrame(show);
        }
    }

    async function load() {
        const { busy } = run.current;
        const missing = () => run.current.wanted.filter((id) =>
            !(strips.get(id)?.at > Date.now() - fresh)
            && !run.current.arrived.some(([there]) => there === id))
            .slice(0, together);

        if (busy) {
            return;
        }

        run.current.busy = true;

        try {
            for (let ids = missing(); ids.length > 0 && !run.current.over;
                ids = missing())
            {
                const { data, left } = await get(
                    `hosts/strips.json?hosts=${ids.join(',')}`);

                arrive(ids.slice(0, ids.length - left), data);
            }
        } catch {
            // The next movement asks again.
        }

        run.current.busy = false;
    }

    function near(ids) {
        run.current.wanted = ids;
        clearTimeout(run.current.timer);
        run.current.timer = setTimeout(load, pause);
    }

    return { of: (id) => strips.get(id), near };
}
