// A component that is loaded when it is shown for the first time: that of this
// name of a module, with the messages that it alone needs.  Its function load
// begins to load it before.

import { useLayoutEffect, useState } from 'preact/hooks';

import { html } from './html.js';
import { loadPart, t } from './text.js';

export function lazy(load, name, part = '') {
    let Ready = null;

    function Lazy(props) {
        const [state, setState] = useState(Ready ? 'ready' : 'loading');

        // a module that is loaded already is shown at once
        useLayoutEffect(() => {
            if (state === 'loading') {
                Lazy.load().then(() => setState('ready'),
                    () => setState('lost'));
            }
        }, []);

        return Ready ? html`<${Ready} ...${props} />`
            : html`<p class="loading" role="status">
                ${t(state === 'lost' ? 'outdated' : 'loading')}</p>`;
    }

    Lazy.load = async () => {
        const [module] = await Promise.all([load(), loadPart(part)]);

        Ready = module[name];
    };

    return Lazy;
}
