import Glibc

/// Reads the records of a file one after the other. Memory is bounded by one record and one chunk,
/// whatever the file's size. The file is closed with the last reference.
final class RecordReader {
    /// The layout of records in a file.
    enum Form: Sendable {
        /// A JSON object in each line.
        case lines
        /// JSON objects in the first array of one document, as Firebase's `auth:export` writes
        /// them.
        case array
    }

    /// One record.
    struct Record {
        let bytes: [UInt8]
        /// Its end in the file: a reader can continue from there.
        let end: Int64
    }

    /// Longer records are rejected, each by itself, since no account needs them. Their bytes beyond
    /// the limit are read and dropped.
    static let recordBytesMax = 64 * 1_024
    private static let chunkBytes = 1 << 20
    /// What may precede the first user of a Firebase export.
    private static let headBytesMax = 64

    private let path: String
    private let file: Int32
    private let form: Form
    /// Size of the whole file in bytes; nil if it is not known, as for a pipe.
    let byteCount: Int64?
    private var buffer: [UInt8] = []
    private var next = 0
    /// The position in the file at which the buffer begins.
    private var offset: Int64
    private var isInArray: Bool
    private var isOver = false

    /// Opens `path` at the end of a record, or at the beginning; `-` is standard input.
    init(_ path: String, form: Form, from offset: Int64 = 0) throws {
        self.path = path
        self.form = form
        self.offset = offset
        isInArray = offset > 0
        file = path == "-" ? STDIN_FILENO : open(path, O_RDONLY | O_CLOEXEC)
        guard file >= 0 else { throw ToolError.system(path, errno) }
        var status = stat()
        let isFile = fstat(file, &status) == 0 && status.st_mode & S_IFMT == S_IFREG
        byteCount = isFile ? Int64(status.st_size) : nil
        guard offset == 0 || lseek(file, off_t(offset), SEEK_SET) == off_t(offset) else {
            throw ToolError.system("\(path): resuming at byte \(offset)", errno)
        }
    }

    deinit { if path != "-" { close(file) } }

    /// Whether the file begins as Firebase's `auth:export` writes it. Reads nothing away.
    /// - Throws: `ToolError` if the file cannot be read.
    func beginsAsFirebaseExport() throws -> Bool {
        guard try peek() != nil else { return false }
        let head = buffer[next...].prefix(Self.headBytesMax).filter { !Self.isSpace($0) }
        return head.starts(with: #"{"users":["#.utf8)
    }

    /// The next record; nil at the end.
    /// - Throws: `ToolError` if the file does not have this layout.
    func record() throws -> Record? {
        switch form {
        case .lines: try line()
        case .array: try object()
        }
    }

    private func line() throws -> Record? {
        while true {
            var line: [UInt8] = []
            while let byte = try byte(), byte != UInt8(ascii: "\n") {
                if line.count <= Self.recordBytesMax { line.append(byte) }
            }
            if line.contains(where: { !Self.isSpace($0) }) { return Record(bytes: line, end: end) }
            if try peek() == nil { return nil }
        }
    }

    private func object() throws -> Record? {
        if isOver { return nil }
        if !isInArray { try findArray() }
        while let byte = try byte() {
            switch byte {
            case UInt8(ascii: "{"): return try object(from: byte)
            case UInt8(ascii: "]"):
                isOver = true
                return nil
            case UInt8(ascii: ","): continue
            case _ where Self.isSpace(byte): continue
            default: throw broken
            }
        }
        throw broken
    }

    private func object(from first: UInt8) throws -> Record {
        var bytes = [first]
        func take() throws -> UInt8 {
            guard let byte = try byte() else { throw broken }
            if bytes.count <= Self.recordBytesMax { bytes.append(byte) }
            return byte
        }
        var depth = 1
        var isInString = false
        while depth > 0 {
            let byte = try take()
            if isInString {
                if byte == UInt8(ascii: "\\") {
                    _ = try take()
                } else if byte == UInt8(ascii: "\"") {
                    isInString = false
                }
            } else if byte == UInt8(ascii: "\"") {
                isInString = true
            } else if byte == UInt8(ascii: "{") {
                depth += 1
            } else if byte == UInt8(ascii: "}") {
                depth -= 1
            }
        }
        return Record(bytes: bytes, end: end)
    }

    /// Finds the opening bracket; only `{"users":` may precede it.
    private func findArray() throws {
        var before: [UInt8] = []
        while let byte = try byte(), before.count < Self.headBytesMax {
            if byte == UInt8(ascii: "[") {
                isInArray = true
                let head = before.filter { !Self.isSpace($0) }
                guard head.isEmpty || head == Array(#"{"users":"#.utf8) else { throw broken }
                return
            }
            before.append(byte)
        }
        throw broken
    }

    private var end: Int64 { offset + Int64(next) }

    private var broken: ToolError {
        ToolError("\(path): invalid from byte \(end) on: it may be truncated")
    }

    private static func isSpace(_ byte: UInt8) -> Bool {
        byte == 0x20 || byte == 0x09 || byte == 0x0A || byte == 0x0D
    }

    private func peek() throws -> UInt8? {
        if next == buffer.count {
            offset += Int64(next)
            next = 0
            buffer = try chunk()
        }
        return buffer.isEmpty ? nil : buffer[next]
    }

    private func chunk() throws -> [UInt8] {
        var failure: Int32 = 0
        let bytes = [UInt8](unsafeUninitializedCapacity: Self.chunkBytes) { buffer, filled in
            let count = Glibc.read(file, buffer.baseAddress, buffer.count)
            if count < 0 { failure = errno }
            filled = max(0, count)
        }
        guard failure == 0 else { throw ToolError.system(path, failure) }
        return bytes
    }

    private func byte() throws -> UInt8? {
        guard let byte = try peek() else { return nil }
        next += 1
        return byte
    }
}
