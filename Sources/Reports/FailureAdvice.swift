internal import Model

/// What a failure means and what to do about it, in a sentence. Empty for a word of a newer program.
func failureAdvice(word: String, status: Int64?) -> String {
    guard let word = FailureWord(rawValue: word) else { return "" }
    if word == .http { return advice(status: status ?? 0) }
    let meaning = word.explanation.prefix(1).uppercased() + word.explanation.dropFirst()
    return "\(meaning): \(advice(word))."
}

private func advice(_ word: FailureWord) -> String {
    switch word {
    case .dns: "check its spelling in the list, and this machine's DNS"
    case .connect: "check that the host is up and that no firewall is in between"
    case .tls: "ca_file adds an authority of your own; otherwise the site's certificate is at fault"
    case .timeout: "raise connect_timeout or total_timeout, or lower per_host"
    case .stalled: "raise stall_timeout, or lower per_host"
    case .reset: "lower per_host or set rate; perhaps http_version: 1.1 helps"
    case .truncated: "try again; if it persists, the server is at fault"
    case .proxy: "check proxy in the job file, then http_proxy and https_proxy"
    case .protocolError: "try curl -v; it may not be a web server"
    case .encoding: "try curl -v; the server is at fault"
    case .http: "it depends on the status"
    case .redirect: "follow it with curl -IL"
    case .tooLarge: "raise max_size for the file, or media.max_pixels for its picture"
    case .wrongType: "look at the response, often an HTML error page; expect sets the accepted types"
    case .corrupt: "try again; if it persists, the file on the server is damaged"
    case .checksum: "the list or the file is out of date; ask who made the list"
    case .blockedAddress: "set transfer.allow_private_addresses: true if this is intended"
    case .unavailable: "retried after 1, 7, then every 30 days; --failed retries at once"
    case .invalid: "fix it in the list"
    case .disk: "runner doctor checks free space and permissions"
    case .cancelled: "the next run continues"
    }
}

private func advice(status: Int64) -> String {
    switch status {
    case 401, 403, 407:
        "The server refuses: check keys and headers of the job file; it may also refuse this machine."
    case 404, 410: "The server has no such file: retried after 1, 7, then every 30 days; --failed retries at once."
    case 429: "These were too many requests: set transfer.rate or lower per_host, and try again later."
    case 408, 425, 500...: "The server is at fault, or overloaded: try again later; lower per_host if it is the load."
    default: "The server rejects the request: compare the URL with the site's own."
    }
}
