// useLoad: the answer of a GET, loaded again every ten seconds while the page is
// visible.  An answer that could be had stays while the service is away.

import { useEffect, useState } from 'preact/hooks';

import { get } from './api.js';

const pause = 10000;

// Another `round` loads at once.
export function useLoad(path, round = 0) {
    const [state, setState] = useState({});

    useEffect(() => {
        let timer = 0;
        let over = false;

        async function load() {
            clearTimeout(timer);

            const next = await get(path).then(
                (body) => ({ body }),
                (refusal) => ({ refusal }));

            if (!over) {
                setState((last) => ({ body: last.body, ...next }));
                timer = setTimeout(load, pause);
            }
        }

        function seen() {
            if (document.visibilityState === 'visible') {
                load();
            } else {
                clearTimeout(timer);
            }
        }

        load();
        document.addEventListener('visibilitychange', seen);

        return () => {
            over = true;
            clearTimeout(timer);
            document.removeEventListener('visibilitychange', seen);
        };
    }, [path, round]);

    useEffect(() => () => setState({}), [path]);

    return state;
}
