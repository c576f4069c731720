// Parts of the rows of hosts: the lists that list one, its groups.

import { useMemo } from 'preact/hooks';

import { html } from './html.js';
import { useLoad } from './load.js';
import { byWeight, State } from './parts.js';
import { listsPath } from './paths.js';
import { number, t } from './text.js';

const slow = 60000;             // ms

// {id: name} of the lists of the account; empty until they are loaded, and for
// an account that may not read them.
export function useListNames() {
    const { body } = useLoad(listsPath, 0, slow);

    return useMemo(() => new Map((body ? body.data : []).map((list) =>
        [list.id, list.name || list.host])), [body]);
}

// Of the listings of a host: the heaviest, {id, host, weight}, and how many
// others there are; undefined: none lists it.
export function heaviest(listings) {
    const [first] = [...listings].sort(byWeight);

    return first && { id: first.id, host: first.host, weight: first.weight,
        others: listings.length - 1 };
}

// The state of a host in a row.  Of a listed one that is the heaviest listing;
// names: of lists, by their ids.
export function Listed({ state, on, names }) {
    if (state !== 'listed' || !on) {
        return State({ name: state });
    }

    const { id, host, weight, others } = on;
    const name = names.get(id) || host;

    return State({ name: `listed ${weight}`, text: html`
        <span class="unseen">${t('state_listed')}: </span>
        <bdi title=${name}>${name}</bdi>${' '}
        <span>${weight && t(`weight_${weight}`)}${others > 0
            && ` +${number(others)}`}</span>` });
}
