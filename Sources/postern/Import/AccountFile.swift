import Contracts
import Messages
import RPC
import ServiceRuntime

/// A file of accounts, whatever its form, as records for the service.
struct AccountFile {
    /// How its records are read.
    enum Content {
        case lines
        case firebase(FirebaseUser)
    }

    private var reader: RecordReader
    private let content: Content
    /// The service's ids of what hashes share, by the file's.
    private var parameters: [Int64: Int64] = [:]
    /// Where records are read from.
    let start: Int64
    private let keep: (IdentityV1.HashParameters) async throws -> Int64

    /// A file from a record's end on.
    /// - Parameter keep: has the service keep what hashes share, and gives its id.
    init(
        _ path: String, _ content: Content, from start: Int64,
        keep: @escaping (IdentityV1.HashParameters) async throws -> Int64
    ) async throws {
        self.content = content
        self.keep = keep
        self.start = start
        let form: RecordReader.Form = if case .lines = content { .lines } else { .array }
        if start > 0, case .lines = content {
            // What hashes share stands before the first account, and is needed all the way.
            var head = try RecordReader(path, form: .lines)
            while let record = try head.record(),
                case .parameters(let shared) = RecordLine.read(record.bytes)
            {
                parameters[shared.parametersId] = try await keep(shared)
            }
        }
        reader = try RecordReader(path, form: form, from: start)
    }

    /// Bytes of the whole file; nil where that is not known.
    var byteCount: Int64? { reader.byteCount }

    /// The next records, as many as go together; nil at the end.
    mutating func batch(from position: Int64) async throws -> ImportBatch? {
        var batch = ImportBatch(from: position)
        var isEmpty = true
        while !batch.isFull, let record = try reader.record() {
            isEmpty = false
            let (read, lost) = try await read(record.bytes)
            batch.add(read, lost: lost, end: record.end)
        }
        return isEmpty ? nil : batch
    }

    private mutating func read(_ bytes: [UInt8]) async throws -> (ReadRecord, [String]) {
        if case .firebase(let user) = content { return user.read(bytes) }
        switch RecordLine.read(bytes) {
        case .parameters(let shared):
            parameters[shared.parametersId] = try await keep(shared)
            return (.parameters(shared), [])
        case .account(var record):
            record.passwordHash = renamed(record.passwordHash)
            return (.account(record), [])
        case let other: return (other, [])
        }
    }

    /// A hash of Firebase's under the service's id of its project, where the file says whose it is.
    private func renamed(_ hash: String) -> String {
        guard hash.hasPrefix("$firebase-scrypt$") else { return hash }
        var parts = hash.split(separator: "$", omittingEmptySubsequences: false).map(String.init)
        guard parts.count == 6, parts[3].hasPrefix("k="), let id = Int64(parts[3].dropFirst(2)),
            let known = parameters[id]
        else { return hash }
        parts[3] = "k=\(known)"
        return parts.joined(separator: "$")
    }
}
