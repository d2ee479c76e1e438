import Cryptography
import JSON
import Messages
import RPC
import ServiceRuntime

/// A file of accounts in any of the formats, as records for the service.
struct AccountFile {
    private let reader: RecordReader
    /// Converts the records of a Firebase export; nil for lines of JSON.
    private let firebase: FirebaseUser?
    /// The service's ids of hash parameters, by the file's ids.
    private var parameters: [Int64: Int64] = [:]
    /// The position that records are read from.
    let start: Int64
    private let storeParameters: (IdentityV1.HashParameters) async throws -> Int64

    /// Opens a file at the end of a record.
    /// - Parameter storeParameters: stores hash parameters at the service, and returns their id.
    /// - Throws: `ToolError`; also for a Firebase export that is to be read as lines, each of which
    ///   would be rejected.
    init(
        _ path: String, _ firebase: FirebaseUser?, from start: Int64,
        storeParameters: @escaping (IdentityV1.HashParameters) async throws -> Int64
    ) async throws {
        self.firebase = firebase
        self.storeParameters = storeParameters
        self.start = start
        if start > 0, firebase == nil {
            // Hash parameters precede the first account, and hashes of later accounts refer to
            // them.
            let head = try RecordReader(path, form: .lines)
            while let record = try head.record(),
                case .parameters(let shared) = RecordLine.read(record.bytes)
            {
                parameters[shared.parametersId] = try await storeParameters(shared)
            }
        }
        reader = try RecordReader(path, form: firebase == nil ? .lines : .array, from: start)
        if firebase == nil, start == 0, try reader.beginsAsFirebaseExport() {
            throw ToolError(
                "\(path) is an export of Firebase and has no lines of accounts; did you mean "
                    + "`postern import firebase \(path) --hash-config FILE`?")
        }
    }

    /// The size of the whole file in bytes; nil if not known.
    var byteCount: Int64? { reader.byteCount }

    /// The next batch of records; nil at the end.
    mutating func batch(from position: Int64) async throws -> Batch? {
        var batch = Batch(from: position)
        var isEmpty = true
        while !batch.isFull, let record = try reader.record() {
            isEmpty = false
            let (read, lost) = try await read(record.bytes)
            batch.add(read, lost: lost, end: record.end)
        }
        return isEmpty ? nil : batch
    }

    private mutating func read(_ bytes: [UInt8]) async throws -> (ReadRecord, [String]) {
        if let firebase { return firebase.read(bytes) }
        switch RecordLine.read(bytes) {
        case .parameters(let shared):
            parameters[shared.parametersId] = try await storeParameters(shared)
            return (.parameters(shared), [])
        case .account(var record):
            guard let hash = renamed(record.passwordHash) else {
                return (
                    .refused(
                        RefusedRecord(
                            externalID: record.externalId, code: "rpc/invalid-argument",
                            field: "password_hash",
                            reason: PasswordHashError.projectMissing.rawValue)), []
                )
            }
            record.passwordHash = hash
            return (.account(record), [])
        case let other: return (other, [])
        }
    }

    /// A hash; a Firebase hash with the service's id of its parameters. Nil if the file does not
    /// contain these before the hash: the id would mean other parameters of the service, and every
    /// password would be wrong.
    private func renamed(_ hash: String) -> String? {
        guard hash.hasPrefix("$firebase-scrypt$") else { return hash }
        var parts = hash.split(separator: "$", omittingEmptySubsequences: false).map(String.init)
        guard parts.count == 6, parts[3].hasPrefix("k="), let id = Int64(parts[3].dropFirst(2))
        else { return hash }  // the service rejects it
        guard let known = parameters[id] else { return nil }
        parts[3] = "k=\(known)"
        return parts.joined(separator: "$")
    }

    /// Records that are sent to the service in one call.
    struct Batch: Sendable {
        /// The maximum that the service accepts in one call.
        private static let recordsMax = 200
        /// A server accepts frames of 128 KiB; the rest is for the envelope of the records.
        private static let bytesMax = 96 * 1_024

        private(set) var accounts: [IdentityV1.AccountRecord] = []
        /// Records that the reader has rejected.
        private(set) var refused: [RefusedRecord] = []
        /// Data that the file lacks, and records that were left out.
        private(set) var lost: [String] = []
        /// The position at which the last of them ends.
        private(set) var end: Int64
        private var bytes = 0

        /// An empty batch.
        init(from position: Int64) { end = position }

        /// Whether another record might exceed the limits.
        var isFull: Bool {
            accounts.count + refused.count + lost.count >= Self.recordsMax
                || bytes >= Self.bytesMax - RecordReader.recordBytesMax
        }

        /// Adds the result of reading a record that ends at `end`.
        mutating func add(_ read: ReadRecord, lost: [String], end: Int64) {
            let start = self.end
            self.end = end
            self.lost += lost
            switch read {
            case .account(let record):
                accounts.append(record)
                bytes += record.encodedByteCount + 8
            case .refused(var record):
                record.offset = start
                refused.append(record)
            case .skipped(let what): self.lost.append(what)
            case .parameters: break
            }
        }
    }
}

/// The result of reading a record, before it is sent to the service.
enum ReadRecord {
    /// An account to import.
    case account(IdentityV1.AccountRecord)
    /// It is invalid; reported like a record that the service has rejected.
    case refused(RefusedRecord)
    /// It contains nothing to import and is not an error: an anonymous user.
    case skipped(what: String)
    /// Hash parameters, at the beginning of an export of Postern.
    case parameters(IdentityV1.HashParameters)

    /// A record that is too long, or no object.
    static var noObject: ReadRecord {
        unreadable(field: "no JSON object of 64 KiB at the most")
    }

    /// A record that is not in the file's format.
    static func unreadable(_ id: String = "", field: String) -> ReadRecord {
        .refused(
            RefusedRecord(
                externalID: id, code: "rpc/invalid-argument", field: field, reason: "unreadable"))
    }
}

/// Why a record was rejected, for the file of rejected records.
struct RefusedRecord: Hashable {
    let externalID: String
    let code: String
    let field: String
    let reason: String
    /// Bytes of the file before the record; nil for one that the service has rejected, which has
    /// an id.
    var offset: Int64?

    /// A line of the file of rejected records.
    var line: String {
        var object: JSONObject = [
            "external_id": .string(externalID), "code": .string(code), "field": .string(field),
            "reason": .string(reason),
        ]
        if let offset { _ = object.add("offset", .integer(offset)) }
        return JSONWriter.text(object)
    }
}
