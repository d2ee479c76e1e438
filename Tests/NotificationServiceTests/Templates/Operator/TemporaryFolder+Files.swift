import Glibc
import TestSupport
import Testing

extension TemporaryFolder {
    /// Writes bytes that need not be UTF-8.
    func write(bytes: [UInt8], to name: String) throws {
        let file = open(file(name), O_WRONLY | O_CREAT | O_TRUNC, 0o600)
        #expect(file >= 0)
        #expect(Glibc.write(file, bytes, bytes.count) == bytes.count)
        close(file)
    }

    /// Deletes a file.
    func remove(_ name: String) throws {
        #expect(unlink(file(name)) == 0)
    }
}
