/// Reads an archive that `TarWriter` has written, and refuses any other: each error says the byte
/// of the archive at which it begins. Memory is bounded by the parts that the source returns.
struct TarReader {
    private let source: () throws -> [UInt8]?
    private var buffer: [UInt8] = []
    private var position = 0
    /// The position of the buffer's first byte in the archive.
    private var bufferOffset: Int64 = 0
    private var entries: Set<BackupEntry> = []
    /// What has not been read of the present file, and of the zeros behind it, in bytes.
    private var rest: Int64 = 0
    private var padding = 0

    /// - Parameter source: returns the archive's bytes, in parts of any length; nil at its end.
    init(_ source: @escaping () throws -> [UInt8]?) {
        self.source = source
    }

    /// The next file; nil at the end of the archive. What was not read of the file before is
    /// skipped.
    /// - Throws: `ToolError` for damage; what the source throws.
    mutating func next() throws -> TarHeader? {
        while try read() != nil {}
        let begin = offset
        let block = try take(TarHeader.blockBytes)
        if block.allSatisfy({ $0 == 0 }) {
            try requireEnd()
            return nil
        }
        guard let header = TarHeader(block) else {
            throw Self.damage("no header of a file that `postern backup` writes", at: begin)
        }
        guard entries.insert(header.entry).inserted else {
            throw Self.damage("a second file \(header.entry.name)", at: begin)
        }
        rest = header.byteCount
        padding = header.paddingCount
        return header
    }

    /// The next bytes of the file; nil at its end.
    /// - Throws: as `next`.
    mutating func read() throws -> [UInt8]? {
        guard rest > 0 else {
            try requireZeros(padding)
            padding = 0
            return nil
        }
        guard try fill() else { throw Self.damage("it ends within a file", at: offset) }
        let count = Int(min(rest, Int64(buffer.count - position)))
        defer {
            position += count
            rest -= Int64(count)
        }
        return Array(buffer[position..<position + count])
    }

    private var offset: Int64 { bufferOffset + Int64(position) }

    /// Two blocks of zeros end the archive, the first of which has been read.
    private mutating func requireEnd() throws {
        try requireZeros(TarHeader.blockBytes)
        guard try !fill() else { throw Self.damage("something follows its end", at: offset) }
    }

    private mutating func requireZeros(_ count: Int) throws {
        let begin = offset
        guard try take(count).allSatisfy({ $0 == 0 }) else {
            throw Self.damage("no zeros where files are padded", at: begin)
        }
    }

    private mutating func take(_ count: Int) throws -> [UInt8] {
        var taken: [UInt8] = []
        while taken.count < count {
            guard try fill() else { throw Self.damage("it ends without its end mark", at: offset) }
            let part = buffer[position...].prefix(count - taken.count)
            taken += part
            position += part.count
        }
        return taken
    }

    /// Reads the next part when the buffer is used up.
    /// - Returns: false at the end of the archive.
    private mutating func fill() throws -> Bool {
        while position == buffer.count {
            guard let part = try source() else { return false }
            bufferOffset += Int64(buffer.count)
            (buffer, position) = (part, 0)
        }
        return true
    }

    private static func damage(_ what: String, at offset: Int64) -> ToolError {
        ToolError("the backup's archive is damaged at byte \(offset): \(what)")
    }
}
