package import Cryptography
package import ServiceRuntime

/// How a store's audit trail is kept: the keys that authenticate it, and the retention time.
package struct AuditTrail: Sendable {
    let keys: AuditKeys
    /// How long a record is kept; nil for ever.
    let keptFor: Duration?
    /// The ids of trails are drawn from it.
    let randomness: any Randomness

    /// A trail under these keys.
    package init(keys: AuditKeys, keptFor: Duration?, randomness: any Randomness) {
        self.keys = keys
        self.keptFor = keptFor
        self.randomness = randomness
    }
}

/// The keys by which an audit trail is tamper-evident, both derived from its service's master
/// key. An attacker with write access to the store, but without that key, can forge neither links
/// nor signatures.
package struct AuditKeys: Sendable {
    /// The service, as the tool names it: `rate-limit`.
    let service: String
    /// Makes links (`TrailLink`).
    private let links: KeyedHash
    /// Signs heads and cuts (`TrailStatement`).
    let signing: Ed25519SigningKey

    /// The keys of `service` under its master key.
    /// - Throws: `CryptographyError` when OpenSSL fails.
    package init(master: SecretBytes, service: String) throws {
        self.service = service
        links = KeyedHash(master: master, purpose: "audit/link")
        signing = try Ed25519SigningKey(
            seed: KeyDerivation.key(from: master, purpose: "audit/statement"))
    }

    /// The public half of the key that signs heads and cuts.
    package var publicKey: Ed25519VerifyingKey { signing.verifyingKey }

    /// The link of a trail at a position. It says nothing about the position before it, so that
    /// links between two others can be left out later.
    func link(
        trail: [UInt8], form: Int64, position: Int64, at: Timestamp, digest: TrailDigest
    ) -> [UInt8] {
        let numbers = [form, position, at.milliseconds].bigEndianBytes
        return links.hash(DelimitedParts.joined([trail, numbers, digest.bytes]))
    }
}

/// The hash of all records of a trail up to one of them. It needs no key: what a link adds is the
/// proof that the service has written them.
struct TrailDigest: Hashable, Sendable {
    let bytes: [UInt8]

    /// A stored digest.
    init(bytes: [UInt8]) { self.bytes = bytes }

    /// That of a trail which begins.
    /// - Parameter former: the last link of the trail before it, which a restore has replaced;
    ///   empty for the first one. So a trail that was cut out is missed.
    init(beginning trail: [UInt8], after former: [UInt8]) {
        bytes = SHA256.hash(
            DelimitedParts.joined([Array("postern audit trail".utf8), trail, former]))
    }

    /// The digest with one more record. Its parts are written into one array: a `verify` hashes
    /// millions of records.
    func adding(_ record: LinkedRecord) -> TrailDigest {
        var joined: [UInt8] = []
        joined.reserveCapacity(512)
        DelimitedParts.append(to: &joined) { $0 += bytes }
        for value in record.values {
            DelimitedParts.append(to: &joined, value.appendLinked)
        }
        return TrailDigest(bytes: SHA256.hash(joined))
    }
}

/// A record with all columns that links cover.
struct LinkedRecord: Sendable {
    /// Which columns those are. A release that adds a column to `audit` adds a form with it here,
    /// and links of earlier forms stay right. `position` is in none: an earlier version fills it.
    static let form: Int64 = 1

    let number: Int64
    let at: Timestamp
    let kind: String
    let detail: String?
    /// The columns in their order.
    fileprivate let values: [SQLValue]

    fileprivate init(_ row: SQLRow) throws {
        number = try row.integer("number")
        at = try row.timestamp("at_ms")
        kind = try row.text("kind")
        detail = try row.optionalText("detail")
        values = row.values
    }

    var isHead: Bool { kind == AuditKind.auditHead.rawValue }

    /// Whether a settled restore wrote it, with which a new trail begins: the positions after it
    /// are those of other records in the store that was replaced.
    var beginsTrail: Bool { kind == AuditKind.backupRestored.rawValue }
}

extension SQLSession {
    /// Records after a position, in the order of their positions.
    func linkedRecords(
        after position: Int64, upTo last: Int64 = .max, limit: Int
    ) throws -> [LinkedRecord] {
        try query(
            """
            SELECT number, at_ms, kind, account, session, subject, client_address, device, outcome,
                attempt, actor, app, detail, country, agent
            FROM audit WHERE number > ? AND number <= ? ORDER BY number LIMIT ?
            """,
            [.integer(position), .integer(last), .integer(Int64(limit))], LinkedRecord.init)
    }
}

extension SQLValue {
    /// Appends the value as a part of a digest: nothing for `NULL`, and a byte for the type before
    /// any other, so that an empty text is not `NULL`.
    fileprivate func appendLinked(to part: inout [UInt8]) {
        switch self {
        case .null: break
        case .integer(let number):
            part.append(1)
            part.append(bigEndian: number)
        case .text(let text):
            part.append(2)
            part += text.utf8
        case .blob(let bytes):
            part.append(3)
            part += bytes
        case .real(let number):
            part.append(4)
            part.append(bigEndian: number.bitPattern)
        }
    }
}
