import Glibc
import Testing

@testable import postern

@Suite("postern call: lines as they arrive", .timeLimit(.minutes(1)))
struct ItemLinesTests {
    @Test("lines are split correctly wherever the bytes are cut; blank lines are skipped")
    func lines() async throws {
        let text = "one\n\n  \ntwo\r\nthree"
        for cut in 0...text.utf8.count {
            let pipe = try Pipe()
            var lines = ItemLines(file: pipe.reader)
            pipe.write(Array(text.utf8.prefix(cut)))
            async let rest: Void = pipe.finish(Array(text.utf8.dropFirst(cut)))
            var found: [String] = []
            while let line = try await lines.next() { found.append(line) }
            await rest
            #expect(found == ["one", "two\r", "three"])
        }
    }

    @Test("a line is returned before the next one is written, and waiting can be cancelled")
    func cancelled() async throws {
        let pipe = try Pipe()
        pipe.write(Array("one\ntw".utf8))
        let waiting = Task {
            var lines = ItemLines(file: pipe.reader)
            let first = try await lines.next()
            #expect(first == "one")
            withUnsafeCurrentTask { $0?.cancel() }
            _ = try await lines.next()
        }
        await #expect(throws: CancellationError.self) { try await waiting.value }
    }
}

/// A pipe of the system, closed in `deinit`.
private final class Pipe: Sendable {
    let reader: Int32
    private let writer: Int32

    init() throws {
        var ends: [Int32] = [0, 0]
        try #require(pipe(&ends) == 0)
        (reader, writer) = (ends[0], ends[1])
    }

    deinit {
        close(reader)
        close(writer)
    }

    func write(_ bytes: [UInt8]) {
        _ = Glibc.write(writer, bytes, bytes.count)
    }

    /// Writes the last bytes and closes the pipe's write end.
    func finish(_ bytes: [UInt8]) async {
        write(bytes)
        write([])
        dup2(reader, writer)  // replaces the write end, so that the reader sees the end
    }
}
