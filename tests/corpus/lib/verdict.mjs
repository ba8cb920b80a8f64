// Does a result say what its case asks for?
import { parts } from './parts.mjs';

const expressions = (list) => list.map((text) => new RegExp(text, 'im'));

// How a run ended, from the last line of the head that says so: a number, 'timeout' or 'killed'.
export function ending(text) {
    const head = text.split('\n\n')[0].split('\n');
    for (const line of head.reverse()) {
        const code = /^exit code (\d+)/.exec(line);
        if (code)
            return Number(code[1]);
        if (/^timed out after /.test(line))
            return 'timeout';
        if (/^killed/.test(line))
            return 'killed';
    }
    return null;
}

// What is wrong with a result, in words; [] when nothing is. `elsewhere`: the fault does not happen
// on this machine, as the case says (`here`).
export function complaints(one, result) {
    const { added, output, bracketed, hints } = parts(result.text);
    const wrong = [];
    const elsewhere = one.here !== undefined;

    if (elsewhere && !new RegExp(one.here, 'im').test(result.text))
        wrong.push(`it does not work here after all: nothing matches /${one.here}/`);
    if (elsewhere && one.exit !== 0 && ending(result.text) === 0)
        for (const line of hints)
            wrong.push(`a hint, though nothing is wrong: ${line}`);
    if (!elsewhere && !one.negative) {
        if (one.exit !== 0 && !result.isError)
            wrong.push(`the fault did not happen: it ended with ${ending(result.text)}, `
                + `the report has ${one.exit}`);
        const where = one.message_names_fix ? `${added}\n${output}` : added;
        if (!expressions(one.must_contain_any).some((e) => e.test(where)))
            wrong.push(`said nowhere: ${one.must_contain_any.map((e) => `/${e}/`).join(' or ')}`);
    }
    if (one.negative && one.exit === 0 && ending(result.text) !== 0)
        wrong.push('the call failed; when it was reported it worked');
    for (const e of expressions(one.must_not))
        if (e.test(added))
            wrong.push(`must not be said: ${e} (${e.exec(added)[0]})`);
    if (one.no_hint)
        for (const line of bracketed)
            wrong.push(`a hint where there must be none: ${line}`);
    return { wrong, hints, bracketed };
}
