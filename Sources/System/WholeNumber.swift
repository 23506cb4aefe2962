/// The largest number that is taken from the network: 2^53 bytes, seconds or items are more than there are of anything, and
/// leave room for sums and units.
package let largestWholeNumber: Int64 = 1 << 53

/// The number that decimal digits write, nil for any other text, a sign included. A greater one than ``largestWholeNumber``
/// counts as that.
///
/// Numbers from replies, lists and headers are read by this, so that no arithmetic with them overflows.
package func wholeNumber(_ text: some StringProtocol) -> Int64? {
    wholeNumber(bytes: text.utf8)
}

/// The same of ASCII bytes.
package func wholeNumber(bytes: some Collection<UInt8>) -> Int64? {
    guard !bytes.isEmpty else { return nil }
    var value: Int64 = 0
    for byte in bytes {
        guard byte >= UInt8(ascii: "0"), byte <= UInt8(ascii: "9") else { return nil }
        value = min(value * 10 + Int64(byte - UInt8(ascii: "0")), largestWholeNumber)
    }
    return value
}
