/// What bytes coded as gzip (RFC 1952) decode to; nil for what is not coded so, or not whole.
package func decodedGzip(_ bytes: some Collection<UInt8>) -> [UInt8]? {
    var decoded: [UInt8] = []
    do {
        let decoder = try InflateCoding(.gzip)
        try Array(bytes).withUnsafeBytes { bytes in
            _ = try decoder.take(bytes) { part in
                decoded += part
                return true
            }
        }
        return decoder.isAtEnd ? decoded : nil
    } catch {
        return nil
    }
}
