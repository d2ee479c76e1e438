import Cryptography
import Glibc

/// The records that were not taken, a JSON line for each: which, and why. No hash and no address is
/// in it; the owner of the file alone can read it all the same.
final class DeadLetters {
    private let path: String
    private var descriptor: Int32 = -1

    /// Letters at the end of `path`, which is made when there is the first.
    init(_ path: String) { self.path = path }

    deinit { if descriptor >= 0 { close(descriptor) } }

    /// Adds some, at once: what follows may be a power cut.
    func add(_ refused: [RefusedRecord]) throws {
        guard !refused.isEmpty else { return }
        if descriptor < 0 {
            descriptor = open(path, O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0o600)
            guard descriptor >= 0 else { throw ToolError.system(path, errno) }
        }
        let bytes = refused.flatMap { Array((Self.line($0) + "\n").utf8) }
        guard write(descriptor, bytes, bytes.count) == bytes.count else {
            throw ToolError.system(path, errno)
        }
    }

    private static func line(_ refused: RefusedRecord) -> String {
        JSONWriter.text([
            "external_id": .string(refused.externalID), "code": .string(refused.code),
            "field": .string(refused.field), "reason": .string(refused.reason),
        ])
    }
}
