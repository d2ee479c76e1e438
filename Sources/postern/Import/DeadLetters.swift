import Glibc
import JSON

/// The file of rejected records, with a JSON line for each: which record, and why. It contains no
/// hash and no address; it is readable by its owner only nevertheless.
final class DeadLetters {
    private let path: String
    private var descriptor: Int32 = -1

    /// Appends to `path`; the file is created with the first record.
    init(_ path: String) { self.path = path }

    deinit { if descriptor >= 0 { close(descriptor) } }

    /// Appends records with one write, unbuffered, so that a crash of the tool loses none.
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
