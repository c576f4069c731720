// useLoad: the answer of a GET, loaded again every ten seconds while the page
// is visible.  An answer that could be had stays while the service is away.

import { useEffect, useLayoutEffect, useRef, useState } from 'preact/hooks';

import { get } from './api.js';
import { withoutGone } from './later.js';

const pause = 10000;

// Without a path nothing is loaded.  Another `round` loads at once, and so does
// the state's reload(); what is shown stays until then.  every: the time
// between two loads (ms).
export function useLoad(path, round = 0, every = pause) {
    const [state, setState] = useState({});
    const now = useRef(() => {});

    useLayoutEffect(() => {
        if (!path) {
            return undefined;
        }

        let timer = 0;
        let over = false;

        async function load() {
            clearTimeout(timer);

            const next = await get(path).then(
                (body) => ({ body }),
                (refusal) => ({ refusal }));

            if (!over) {
                setState((last) => ({ body: last.body, ...next }));
                clearTimeout(timer);
                timer = setTimeout(load, every);
            }
        }

        function seen() {
            if (document.visibilityState === 'visible') {
                load();
            } else {
                clearTimeout(timer);
            }
        }

        now.current = load;
        load();
        document.addEventListener('visibilitychange', seen);

        return () => {
            over = true;
            clearTimeout(timer);
            document.removeEventListener('visibilitychange', seen);
        };
    }, [path, round]);

    useEffect(() => () => setState({}), [path]);

    return { ...state, body: withoutGone(path, state.body),
        reload: () => now.current() };
}
