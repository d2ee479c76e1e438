/// Lends the bytes of any collection to C. Arrays, slices, buffers and native strings' UTF-8 are
/// lent in place; others are copied first.
func withContiguousBytes<R>(
    of bytes: some Collection<UInt8>, _ body: (UnsafeRawBufferPointer) throws -> R
) rethrows -> R {
    let result = try bytes.withContiguousStorageIfAvailable {
        try body(UnsafeRawBufferPointer($0))
    }
    if let result { return result }
    return try Array(bytes).withUnsafeBytes(body)
}
