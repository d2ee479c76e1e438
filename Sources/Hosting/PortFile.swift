import Glibc

/// Writes the ports in use to a file once the program is ready: two lines, the port for calls and
/// the port for metrics. The file is written completely or not at all.
package enum PortFile {
    static func write(_ path: String, port: Int, metricsPort: Int) throws {
        let text = "\(port)\n\(metricsPort)\n"
        let draft = "\(path).\(getpid())"
        guard let file = fopen(draft, "w") else { throw failure(path, errno) }
        let isWritten = fputs(text, file) >= 0
        guard fclose(file) == 0, isWritten, rename(draft, path) == 0 else {
            let reason = errno
            _ = unlink(draft)
            throw failure(path, reason)
        }
    }

    /// Reads the ports from `path`. Nil while the file does not exist.
    package static func read(_ path: String) -> (port: Int, metricsPort: Int)? {
        guard let file = fopen(path, "r") else { return nil }
        defer { fclose(file) }
        var buffer = [UInt8](repeating: 0, count: 64)
        let count = fread(&buffer, 1, buffer.count, file)
        let lines = String(decoding: buffer[..<count], as: UTF8.self).split(separator: "\n")
        guard lines.count == 2, let port = Int(lines[0]), let metrics = Int(lines[1]) else {
            return nil
        }
        return (port, metrics)
    }

    private static func failure(_ path: String, _ code: Int32) -> StartError {
        StartError("cannot write the port file \(path): \(String(cString: strerror(code)))")
    }
}
