// Ranges in the table of hosts: a row that opens, with the rows of its
// addresses below it.  Which are open is in the address.

import { useEffect, useRef, useState } from 'preact/hooks';

import { get, kept } from './api.js';
import { State } from './parts.js';
import { t } from './text.js';

const most = 500;               // addresses of a call
const every = 60000;            // ms

// The SIDs of the ranges that are open, by the query of an address.
export const openIn = (query) => (new URLSearchParams(query).get('open') || '')
    .split(',').filter((id) => id);

// Those of a query after one was opened or closed.
export function turned(query, id) {
    const open = openIn(query);

    return (open.includes(id) ? open.filter((one) => one !== id)
        : [...open, id]).join(',');
}

async function addressesOf(id) {
    const rows = [];
    let after = '';

    do {
        const { data, next } = await get(`hosts/find.json?parent=${id}&limit=${
            most}${after && `&after=${after}`}`);

        rows.push(...data);
        after = next;
    } while (after);

    return rows;
}

// The rows of the addresses of open ranges, {id: rows}; brief makes a row of a
// record.
export function useAddresses(account, open, brief) {
    const name = `addresses ${account}`;
    const known = kept.get(name) || new Map();
    const [, draw] = useState(0);
    const over = useRef(false);

    kept.set(name, known);

    async function load(ids) {
        for (const id of ids) {
            const rows = await addressesOf(id).catch(() => null);

            if (over.current) {
                return;
            }

            if (rows) {
                known.set(id, rows.map(brief));
                draw((n) => n + 1);
            }
        }
    }

    useEffect(() => {
        const again = () => document.visibilityState === 'visible'
            && load(open);
        const timer = setInterval(again, every);

        load(open.filter((id) => !known.has(id)));
        return () => clearInterval(timer);
    }, [open.join()]);

    useEffect(() => () => {
        over.current = true;
    }, []);

    return { of: known, reload: () => load(open) };
}

// The state of a range in a row, from what its strip says.
export function RangeState(strip) {
    if (!strip || !strip.addresses) {
        return '';
    }

    const { addresses: total, listed, unclear } = strip;

    return listed > 0 ? State({ name: 'listed',
        text: t('range_row_listed', { n: listed, total }) })
        : unclear > 0 ? State({ name: 'unknown',
            text: t('range_row_unknown', { n: unclear, total }) })
            : State({ name: 'clear',
                text: t('range_row_clear', { n: total }) });
}
