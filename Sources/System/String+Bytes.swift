extension String {
    /// The bytes of the text, read in place: to walk its `utf8` takes several times as many instructions.
    package func withBytes<Result>(_ body: (UnsafeBufferPointer<UInt8>) -> Result) -> Result {
        var text = self
        return text.withUTF8(body)
    }
}
