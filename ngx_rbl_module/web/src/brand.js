// Who runs the portal: a name and a logo, which the operator may have given.

import { useEffect, useState } from 'preact/hooks';

import { get } from './api.js';
import { html } from './html.js';

let brand = { name: '', logo: '' };
const known = get('portal.json').then(({ data }) => {
    brand = data;
}, () => {});

export function useBrand() {
    const [, show] = useState(brand);

    useEffect(() => {
        known.then(() => show(brand));
    }, []);

    return brand;
}

// The logo, or the mark of the program.  A text beside it says whose it is.
export const Mark = () => html`<img class="mark" height="28" alt=""
    src=${useBrand().logo || 'icon.svg'} />`;
