// Screens by the part of the address behind "#": "#/screen/rest?query".

import { useEffect, useState } from 'preact/hooks';

export function route(hash) {
    const [, screen = '', rest = '', query = '']
        = /^#\/([a-z_]*)\/?([^?]*)\??(.*)$/.exec(hash) || [];

    return { screen, rest, query };
}

export function useHash() {
    const [hash, setHash] = useState(location.hash);

    useEffect(() => {
        const changed = () => setHash(location.hash);

        addEventListener('hashchange', changed);
        return () => removeEventListener('hashchange', changed);
    }, []);

    return hash;
}
