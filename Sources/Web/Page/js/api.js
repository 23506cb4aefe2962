// Requests to the server of this page. A failure is a `Problem` with the words of the server.

export class Problem extends Error {
    constructor(status, title, detail, retryAfter = null) {
        super(detail ? `${title}: ${detail}` : title);
        this.status = status;
        this.title = title;
        this.detail = detail ?? "";
        /** Seconds until it may be asked again, where the server says so. */
        this.retryAfter = retryAfter;
    }

    get isUnreachable() {
        return this.status === 0;
    }
}

async function request(method, path, { body, signal } = {}) {
    const options = { method, signal, headers: { Accept: "application/json" } };
    if (body !== undefined) {
        options.headers["Content-Type"] = "application/json";
        options.body = JSON.stringify(body);
    }
    let response;
    try {
        response = await fetch(`/api${path}`, options);
    } catch (error) {
        if (error.name === "AbortError") throw error;
        throw new Problem(0, "The server of this page does not answer");
    }
    if (response.ok) {
        const text = await response.text();
        return text ? JSON.parse(text) : null;
    }
    let problem = {};
    try {
        problem = await response.json();
    } catch {
        // Not from this server; the status says what there is to say.
    }
    if (response.status === 401) {
        throw new Problem(401, "This browser is not signed in", "open the link that runner web printed");
    }
    throw new Problem(response.status, problem.title ?? `The server answered ${response.status}`, problem.detail, Number(response.headers.get("Retry-After")) || null);
}

export const get = (path, options) => request("GET", path, options);
export const post = (path, body = {}) => request("POST", path, { body });
export const remove = (path) => request("DELETE", path);

/** `path?a=1&b=2` of those parameters that have a value. */
export function withQuery(path, parameters) {
    const query = new URLSearchParams();
    for (const [name, value] of Object.entries(parameters)) {
        if (value !== undefined && value !== null && value !== "") query.set(name, value);
    }
    const text = query.toString();
    return text ? `${path}?${text}` : path;
}

export const jobPath = (name) => `/jobs/${encodeURIComponent(name)}`;

/** Where a thumbnail is; `version` makes the address that of its bytes, so that it may be kept for ever. */
export function thumbnailURL(id, version) {
    return version ? `/pictures/${id}?v=${encodeURIComponent(version)}` : null;
}

export function pictureURL(id, picture) {
    return withQuery(`/pictures/${id}`, { kind: picture.kind, position: picture.position, v: picture.sha256 });
}

export function fileURL(id, sha256) {
    return withQuery(`/files/${id}`, { v: sha256 });
}

/** The collections of a job; of one that has never run there are none. */
export async function collectionsOf(job) {
    try {
        return await get(`${jobPath(job)}/collections`);
    } catch (error) {
        if (error.status === 404) return [];
        throw error;
    }
}
