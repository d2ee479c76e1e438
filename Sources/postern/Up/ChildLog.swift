import FoundationEssentials
import Glibc

/// What a program has written to its log since it was started.
struct ChildLog {
    private static let bytesMax = 16 * 1024

    private struct Line: Decodable {
        let level: String
        let event: String
        let detail: String?
    }

    private let path: String
    private let start: off_t

    /// The log that `path` is from now on; earlier starts have written to it too.
    init(_ path: String) {
        var status = stat()
        self.path = path
        start = stat(path, &status) == 0 ? status.st_size : 0
    }

    /// The sentence of the last error; without one, the last lines as they are.
    var reason: String {
        let lines = written().split(separator: UInt8(ascii: "\n")).suffix(5)
        let errors = lines.compactMap { line in
            // What is no line of ours, such as a loader's complaint, is shown as it is.
            try? JSONDecoder().decode(Line.self, from: Data(line))
        }.filter { $0.level == "error" }
        if let last = errors.last { return last.detail ?? last.event }
        return lines.map { String(decoding: $0, as: UTF8.self) }.joined(separator: "\n")
    }

    private func written() -> [UInt8] {
        let file = open(path, O_RDONLY | O_CLOEXEC)
        guard file >= 0 else { return [] }  // the error stands without it
        defer { close(file) }
        var buffer = [UInt8](repeating: 0, count: Self.bytesMax)
        let end = lseek(file, 0, SEEK_END)
        let count = pread(file, &buffer, buffer.count, max(start, end - off_t(Self.bytesMax)))
        return Array(buffer[..<max(count, 0)])
    }
}
