import Glibc
import TestSupport
import Testing

extension TemporaryFolder {
    /// Writes what need not be text.
    func write(bytes: [UInt8], to name: String) throws {
        let file = open(file(name), O_WRONLY | O_CREAT | O_TRUNC, 0o600)
        #expect(file >= 0)
        #expect(Glibc.write(file, bytes, bytes.count) == bytes.count)
        close(file)
    }

    /// Takes a file away.
    func remove(_ name: String) throws {
        #expect(unlink(file(name)) == 0)
    }
}
