import Glibc

/// A connection's lines, ended by CR LF, read with a bound on time and length.
final class SinkLines {
    private let descriptor: Int32
    private var waiting: ArraySlice<UInt8> = []

    init(descriptor: Int32) {
        self.descriptor = descriptor
        var limit = timeval(tv_sec: 5, tv_usec: 0)
        setsockopt(
            descriptor, SOL_SOCKET, SO_RCVTIMEO, &limit, socklen_t(MemoryLayout<timeval>.size))
    }

    /// The next line as text; nil at the end.
    func read() -> String? {
        readBytes().map { String(decoding: $0, as: UTF8.self) }
    }

    /// The next line without its CR LF; nil at the end. A line feed ends a line, as in the mails
    /// that these tests send.
    func readBytes() -> [UInt8]? {
        var line: [UInt8] = []
        while line.count < 100_000 {
            if let end = waiting.firstIndex(of: 10) {
                line += waiting[..<end]
                waiting = waiting[(end + 1)...]
                return line.last == 13 ? line.dropLast() : line
            }
            line += waiting
            waiting = []
            guard fill() else { return nil }
        }
        return nil
    }

    /// Waits for more bytes; false at the end.
    func fill() -> Bool {
        var buffer = [UInt8](repeating: 0, count: 65_536)
        let count = recv(descriptor, &buffer, buffer.count, 0)
        waiting += buffer[..<max(0, count)]
        return count > 0
    }

    /// Writes one line.
    func write(_ line: String) {
        let bytes = Array((line + "\r\n").utf8)
        _ = send(descriptor, bytes, bytes.count, Int32(MSG_NOSIGNAL))
    }

    /// Says nothing until the peer hangs up, five seconds at most.
    func waitForEnd() {
        while fill() {}
    }

    func close() {
        Glibc.close(descriptor)
    }
}
