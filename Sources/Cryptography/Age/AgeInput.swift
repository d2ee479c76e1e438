/// The bytes of an age file, read piece by piece, with their place in the file.
struct AgeInput {
    /// A header line without its line feed.
    struct Line {
        let offset: Int
        let bytes: [UInt8]
    }

    /// The most that a header may have, in bytes. A recipient takes about 100.
    static let headerBytesMax = 64 << 10
    /// How much is read at once while the end of the header is not known, in bytes.
    private static let pieceBytes = 1 << 10

    private let read: (Int) throws -> [UInt8]
    private var held: [UInt8] = []
    private var isAtEnd = false
    /// The place in the file of the next byte.
    private(set) var offset = 0
    /// All header lines so far, with their line feeds.
    private(set) var header: [UInt8] = []

    /// The file of which `read` returns the next bytes: at most the given number, none at its end.
    init(reading read: @escaping (Int) throws -> [UInt8]) {
        self.read = read
    }

    /// The next `count` bytes, or fewer at the end of the file. They remain the next ones.
    mutating func peek(_ count: Int) throws -> ArraySlice<UInt8> {
        while held.count < count, !isAtEnd {
            let piece = try read(count - held.count)
            precondition(held.count + piece.count <= count, "more bytes than were asked for")
            isAtEnd = piece.isEmpty
            held += piece
        }
        return held.prefix(count)
    }

    /// Moves on by `count` bytes that `peek` has returned.
    mutating func skip(_ count: Int) {
        held.removeFirst(count)
        offset += count
    }

    /// The next line of the header.
    /// - Throws: `AgeFileError` if the file ends before the line does, or the header is too long;
    ///   what `read` throws.
    mutating func line() throws -> Line {
        var wanted = Self.pieceBytes
        while true {
            guard header.count + wanted <= Self.headerBytesMax else {
                throw AgeFileError(offset, .malformedHeader("it has no end within 64 KiB"))
            }
            let next = try peek(max(wanted, held.count))
            if let end = next.firstIndex(of: UInt8(ascii: "\n")) {
                let line = Line(offset: offset, bytes: Array(next[..<end]))
                header += next[...end]
                skip(line.bytes.count + 1)
                return line
            }
            guard next.count >= wanted else { throw AgeFileError(offset, .truncated) }
            wanted += Self.pieceBytes
        }
    }
}
