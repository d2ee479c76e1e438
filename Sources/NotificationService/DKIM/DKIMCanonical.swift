/// The "relaxed" canonical form of a mail that is signed (RFC 6376, 3.4.2 and 3.4.4). Relays fold
/// lines and trim spaces, and a signature that breaks on the way is worse than none.
enum DKIMCanonical {
    private static let space: UInt8 = 32
    private static let tab: UInt8 = 9

    /// A header field: name in lower case, unfolded, each run of white space as one space, none at
    /// either end of the value. Without a line end.
    static func field(_ field: MailHeader.Field) -> [UInt8] {
        let name = field.name.utf8.map { (65...90).contains($0) ? $0 | 0x20 : $0 }
        let value = collapsed(field.value.utf8.lazy.filter { $0 != 13 && $0 != 10 })
        let start = value.first == space ? 1 : 0
        return name + [UInt8(ascii: ":")] + value[start...]
    }

    /// A body: each run of white space as one space, none at the ends of lines, no empty lines at
    /// the end, each line terminated by CR LF. A body without lines is empty.
    static func body(_ body: [UInt8]) -> [UInt8] {
        var canonical: [UInt8] = []
        canonical.reserveCapacity(body.count)
        var emptyLines = 0
        var rest = body[...]
        while !rest.isEmpty {
            let end = rest.firstIndex(of: 10) ?? rest.endIndex
            var line = rest[..<end]
            rest = rest[min(end + 1, rest.endIndex)...]
            if line.last == 13 { line.removeLast() }
            append(line, to: &canonical, emptyLines: &emptyLines)
        }
        return canonical
    }

    /// Empty lines are held back until a non-empty line follows.
    private static func append(
        _ line: ArraySlice<UInt8>, to canonical: inout [UInt8], emptyLines: inout Int
    ) {
        let needsWork = line.contains { $0 == tab || $0 == space }
        let text = needsWork ? collapsed(line)[...] : line
        if text.isEmpty {
            emptyLines += 1
            return
        }
        for _ in 0..<emptyLines { canonical += [13, 10] }
        emptyLines = 0
        canonical += text
        canonical += [13, 10]
    }

    /// Replaces runs of spaces and tabs by one space; removes them at the end.
    private static func collapsed(_ bytes: some Sequence<UInt8>) -> [UInt8] {
        var result: [UInt8] = []
        for byte in bytes {
            let isWhite = byte == space || byte == tab
            if isWhite, result.last == space { continue }
            result.append(isWhite ? space : byte)
        }
        if result.last == space { result.removeLast() }
        return result
    }
}
