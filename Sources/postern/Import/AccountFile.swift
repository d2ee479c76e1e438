import Contracts
import Messages
import RPC
import ServiceRuntime

/// A file of accounts in any of the formats, as records for the service.
struct AccountFile {
    /// The format of its records.
    enum Content {
        case lines
        case firebase(FirebaseUser)
    }

    private var reader: RecordReader
    private let content: Content
    /// The service's ids of hash parameters, by the file's ids.
    private var parameters: [Int64: Int64] = [:]
    /// The position that records are read from.
    let start: Int64
    private let keep: (IdentityV1.HashParameters) async throws -> Int64

    /// Opens a file at the end of a record.
    /// - Parameter keep: stores hash parameters at the service, and returns their id.
    init(
        _ path: String, _ content: Content, from start: Int64,
        keep: @escaping (IdentityV1.HashParameters) async throws -> Int64
    ) async throws {
        self.content = content
        self.keep = keep
        self.start = start
        let form: RecordReader.Form = if case .lines = content { .lines } else { .array }
        if start > 0, case .lines = content {
            // Hash parameters precede the first account, and hashes of later accounts refer to
            // them.
            var head = try RecordReader(path, form: .lines)
            while let record = try head.record(),
                case .parameters(let shared) = RecordLine.read(record.bytes)
            {
                parameters[shared.parametersId] = try await keep(shared)
            }
        }
        reader = try RecordReader(path, form: form, from: start)
    }

    /// The size of the whole file in bytes; nil if not known.
    var byteCount: Int64? { reader.byteCount }

    /// The next batch of records; nil at the end.
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

    /// A Firebase hash with the service's id of its parameters, if the file contains these.
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
