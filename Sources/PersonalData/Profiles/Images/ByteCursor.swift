/// Reads bytes of a photo from their start. Each read is checked against the end, so that no file
/// can make it read further, and returns nil there.
struct ByteCursor {
    private var rest: ArraySlice<UInt8>

    init(_ bytes: ArraySlice<UInt8>) { rest = bytes }

    var isAtEnd: Bool { rest.isEmpty }

    /// The next bytes, without taking them.
    var upcoming: ArraySlice<UInt8> { rest }

    /// Takes so many bytes.
    mutating func take(_ count: Int) -> ArraySlice<UInt8>? {
        guard count >= 0, count <= rest.count else { return nil }
        defer { rest = rest.dropFirst(count) }
        return rest.prefix(count)
    }

    mutating func byte() -> UInt8? { take(1)?.first }

    /// A number of up to four bytes, the highest first.
    mutating func bigEndian(_ count: Int) -> Int? {
        take(count)?.reduce(0) { $0 << 8 | Int($1) }
    }

    /// A number of up to four bytes, the lowest first.
    mutating func littleEndian(_ count: Int) -> Int? {
        take(count)?.reversed().reduce(0) { $0 << 8 | Int($1) }
    }
}

extension Int {
    /// The lowest bytes, the highest of them first.
    func bigEndianBytes(_ count: Int) -> [UInt8] {
        (0..<count).map { UInt8(truncatingIfNeeded: self >> (8 * (count - 1 - $0))) }
    }

    /// The lowest bytes, the lowest first.
    func littleEndianBytes(_ count: Int) -> [UInt8] { bigEndianBytes(count).reversed() }
}
