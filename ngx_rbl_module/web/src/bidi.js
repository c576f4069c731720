// Texts from outside next to texts of the portal (Unicode, UAX 9).  Their marks
// must not change the direction of the text around them.

const marks = /[\u2066-\u2069]/g;
const close = '\u2069';

// The text with each of its isolates closed, and without marks that would close
// another one.  Embeddings and overrides end with the isolate around them.
export function closed(text) {
    let open = 0;

    if (typeof text !== 'string' || text.search(marks) < 0) {
        return text;
    }

    return text.replace(marks, (mark) => {
        if (mark === close && open === 0) {
            return '';
        }

        open += mark === close ? -1 : 1;
        return mark;
    }) + close.repeat(open);
}

// For a text inside a sentence, where it cannot be an element.
export function isolate(text) {
    return `\u2068${closed(text)}${close}`;
}
