import Glibc
import TestSupport

extension TemporaryFolder {
    /// Writes a key file that only its owner can read.
    func writeKey(_ text: String, to name: String) throws {
        let path = try write(text, to: name)
        _ = chmod(path, 0o600)
    }

    /// A file's text.
    func text(of name: String) throws -> String {
        guard let stream = fopen(file(name), "r") else { throw Missing() }
        defer { fclose(stream) }
        var buffer = [UInt8](repeating: 0, count: 4_096)
        return String(decoding: buffer[..<fread(&buffer, 1, buffer.count, stream)], as: UTF8.self)
    }

    /// The file does not exist.
    struct Missing: Error {}

    /// Deletes a file.
    func remove(_ name: String) { _ = unlink(file(name)) }
}
