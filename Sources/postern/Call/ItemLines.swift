import Dispatch
import Glibc

/// The lines of a streamed request: each line that is not blank is one item's JSON. Waiting for a
/// line that has not been written yet can be cancelled.
struct ItemLines: Sendable {
    /// Maximum length of a line in bytes: more than any item can have.
    private static let lineBytesMax = 4 * 1_024 * 1_024
    /// How often a waiting reader checks for cancellation, in milliseconds.
    private static let pollMilliseconds: Int32 = 100

    private var bytes: [UInt8]
    /// Index of the first byte that has not been returned.
    private var start = 0
    /// The source of further bytes; nil after its end.
    private var file: Int32?

    /// The lines of a text.
    init(_ text: [UInt8]) {
        bytes = text
    }

    /// The lines of an open file.
    init(file: Int32) {
        bytes = []
        self.file = file
    }

    /// The next line that is not blank; nil after the last.
    /// - Throws: `ToolError`, or `CancellationError` while it waits.
    mutating func next() async throws -> String? {
        while true {
            if let line = takeLine() {
                if !line.allSatisfy(\.isWhitespace) { return line }
            } else if let file {
                try Task.checkCancellation()
                try take(await Self.chunk(of: file))
            } else {
                return nil
            }
        }
    }

    /// A complete line, or the rest after the last line break at the end of the input.
    private mutating func takeLine() -> String? {
        guard start < bytes.count else { return nil }
        let end = bytes[start...].firstIndex(of: UInt8(ascii: "\n"))
        guard end != nil || file == nil else { return nil }
        let line = String(decoding: bytes[start..<(end ?? bytes.count)], as: UTF8.self)
        start = end.map { $0 + 1 } ?? bytes.count
        return line
    }

    /// - Parameter chunk: further bytes, none at the end; nil if nothing has arrived yet.
    private mutating func take(_ chunk: [UInt8]?) throws {
        guard let chunk else { return }
        if chunk.isEmpty { file = nil }
        bytes.removeFirst(start)
        start = 0
        bytes += chunk
        guard bytes.count <= Self.lineBytesMax else {
            throw ToolError("a line is over \(Self.lineBytesMax) bytes")
        }
    }

    /// Reads what is available, on a thread that may block.
    private static func chunk(of file: Int32) async throws -> [UInt8]? {
        try await withCheckedThrowingContinuation { continuation in
            DispatchQueue.global().async {
                continuation.resume(with: Result { try read(file) })
            }
        }
    }

    private static func read(_ file: Int32) throws -> [UInt8]? {
        var state = pollfd(fd: file, events: Int16(POLLIN), revents: 0)
        let ready = poll(&state, 1, pollMilliseconds)
        if ready == 0 || (ready < 0 && errno == EINTR) { return nil }
        var buffer = [UInt8](repeating: 0, count: 64 * 1_024)
        let count = Glibc.read(file, &buffer, buffer.count)
        if count < 0, errno == EINTR { return nil }
        guard count >= 0 else { throw ToolError.system("standard input", errno) }
        return Array(buffer[..<count])
    }
}
