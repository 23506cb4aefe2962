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
    case .connect: "see whether the host is up, and a firewall between"
    case .tls: "ca_file adds an authority of your own; else the site's certificate is at fault"
    case .timeout: "raise connect_timeout or total_timeout, or lower per_host"
    case .stalled: "raise stall_timeout, or lower per_host"
    case .reset: "lower per_host or set rate; perhaps http_version: 1.1 helps"
    case .truncated: "try again; if it stays so, the server is at fault"
    case .proxy: "check proxy in the job file, else http_proxy and https_proxy"
    case .protocolError: "look at it with curl -v; it may be no web server"
    case .encoding: "look at it with curl -v; the server is at fault"
    case .http: "it depends on the status"
    case .redirect: "see where it leads with curl -IL"
    case .tooLarge: "raise max_size if the file is meant, or media.max_pixels if its picture is"
    case .wrongType: "see what came, often a page of words; expect says what may come"
    case .corrupt: "try again; if it stays so, the file at the server is broken"
    case .checksum: "the list or the file is out of date; ask who made the list"
    case .blockedAddress: "allow_private_addresses: true if that is meant"
    case .unavailable: "asked again after 1, 7, then 30 days; --failed asks at once"
    case .invalid: "fix it in the list"
    case .disk: "runner doctor looks at space and rights"
    case .cancelled: "the next run goes on"
    }
}

private func advice(status: Int64) -> String {
    switch status {
    case 401, 403, 407:
        "The server refuses: check keys and headers of the job file; perhaps it refuses this machine."
    case 404, 410: "The server has no such file: asked again after 1, 7, then 30 days; --failed asks at once."
    case 429: "These were too many requests: set transfer.rate or lower per_host, and try again later."
    case 408, 425, 500...: "The server is at fault, or overloaded: try again later; lower per_host if it is the load."
    default: "The server does not take the request: compare the URL with the site's own."
    }
}
