// A check on demand: starts it, and shows how far it is until it has ended.

import { useEffect, useState } from 'preact/hooks';

import { post } from './api.js';
import { follow, over } from './check_runs.js';
import { html } from './html.js';
import { Problem } from './parts.js';
import { refused } from './refusal.js';
import { t } from './text.js';

export function CheckNow({ id, onDone }) {
    const [check, setCheck] = useState(null);
    const [problem, setProblem] = useState('');
    const [alive] = useState({ is: true });

    useEffect(() => () => {
        alive.is = false;
    }, []);

    async function start() {
        setProblem('');
        setCheck({ status: 'queued' });

        try {
            const { data } = await post('check/start.json', { host: id });

            await follow(data.id, (now) => alive.is && setCheck(now));
        } catch (refusal) {
            setProblem(refused(refusal));
        }

        if (alive.is) {
            onDone();
        }
    }

    const busy = check && !over(check) && !problem;

    return html`<div class="check-now">
        <button onClick=${start} disabled=${busy}>${t('check_now')}</button>
        <span role="status">${check && !problem
            && t(`check_${check.status}`, { done: check.checked_count || 0,
                total: check.total_count || 0 })}</span>
        <${Problem} text=${problem} />
    </div>`;
}
