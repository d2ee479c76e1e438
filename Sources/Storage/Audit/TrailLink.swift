import Cryptography
import ServiceRuntime

/// A link of an audit trail: the proof of the records up to a position, which is the end of a
/// *span*.
///
/// Every column can be checked. `digest` is that of the span before it with this span's records;
/// `link` is a keyed hash over trail, form, `last`, time and digest; `first` follows the span
/// before it; and `records` can be counted. So a change of any of them is found.
///
/// Links do not contain each other, only digests do. So links inside an hour can be removed later
/// without a new hash: the span after them then begins earlier (`AuditLinking.joined`).
///
/// After a cut the link at the end of what was removed stays as the *anchor*: a span of no records.
struct TrailLink: Hashable, Sendable {
    /// The position of the span's last record.
    let last: Int64
    /// The position after the span before it; of the first span that of its first record.
    var first: Int64
    /// How many records the span has.
    var records: Int64
    let digest: TrailDigest
    let link: [UInt8]
    let trail: [UInt8]
    /// Which columns the span's records were hashed with (`LinkedRecord.form`).
    let form: Int64
    /// When it was made.
    let at: Timestamp

    static let table = """
        CREATE TABLE audit_link (
            last_position INTEGER PRIMARY KEY,
            first_position INTEGER NOT NULL,
            records INTEGER NOT NULL,
            digest BLOB NOT NULL,
            link BLOB NOT NULL,
            trail BLOB NOT NULL,
            form INTEGER NOT NULL,
            at_ms INTEGER NOT NULL
        ) STRICT;
        """

    /// The columns, for `init(_:)`.
    static let columns = """
        last_position, first_position, records, digest, link, trail, form, at_ms
        """

    /// The link at the end of a span.
    init(_ span: TrailSpan, at: Timestamp, keys: AuditKeys) {
        (last, first, records) = (span.last, span.first, span.records)
        (digest, trail, form) = (span.digest, span.trail, LinkedRecord.form)
        self.at = at
        link = keys.link(trail: trail, form: form, position: last, at: at, digest: digest)
    }

    init(_ row: SQLRow) throws {
        last = try row.integer("last_position")
        first = try row.integer("first_position")
        records = try row.integer("records")
        digest = TrailDigest(bytes: try row.blob("digest"))
        link = try row.blob("link")
        trail = try row.blob("trail")
        form = try row.integer("form")
        at = try row.timestamp("at_ms")
    }

    /// Whether the service has made it.
    func isMade(with keys: AuditKeys) -> Bool {
        constantTimeEqual(
            link, keys.link(trail: trail, form: form, position: last, at: at, digest: digest))
    }

    /// Whether the records up to it were cut off.
    var isAnchor: Bool { records == 0 && first == last &+ 1 }

    /// The hour that it was made in, counted from 1970.
    var hour: Int64 { at.seconds / 3_600 }
}

/// Records that are being hashed, in the order of their positions: until a link is made of them, or
/// to compare them with one.
struct TrailSpan: Sendable {
    let trail: [UInt8]
    private(set) var digest: TrailDigest
    private(set) var first: Int64
    private(set) var last: Int64
    private(set) var records: Int64 = 0

    /// An empty span of a trail that begins.
    init(beginning trail: [UInt8], after former: TrailLink?, with first: LinkedRecord) {
        self.trail = trail
        digest = TrailDigest(beginning: trail, after: former?.link ?? [])
        self.first = former.map { $0.last &+ 1 } ?? first.number
        last = first.number
    }

    /// An empty span that goes on after a link.
    init(after former: TrailLink) {
        (trail, digest) = (former.trail, former.digest)
        (first, last) = (former.last &+ 1, former.last)
    }

    mutating func add(_ record: LinkedRecord) {
        digest = digest.adding(record)
        last = record.number
        records += 1
    }
}

extension SQLSession {
    /// Links after a position, in the order of their positions.
    func links(after position: Int64, limit: Int) throws -> [TrailLink] {
        try query(
            """
            SELECT \(TrailLink.columns) FROM audit_link
            WHERE last_position > ? ORDER BY last_position LIMIT ?
            """,
            [.integer(position), .integer(Int64(limit))], TrailLink.init)
    }

    /// The link at a position; nil if there is none.
    func link(at position: Int64) throws -> TrailLink? {
        try queryOne(
            "SELECT \(TrailLink.columns) FROM audit_link WHERE last_position = ?",
            [.integer(position)], TrailLink.init)
    }

    /// The last link at a position or before it; nil if there is none.
    func lastLink(upTo position: Int64 = .max) throws -> TrailLink? {
        try queryOne(
            """
            SELECT \(TrailLink.columns) FROM audit_link
            WHERE last_position <= ? ORDER BY last_position DESC LIMIT 1
            """,
            [.integer(position)], TrailLink.init)
    }

    /// The links of the hour that a link was made in, up to it.
    func links(ofHourOf last: TrailLink) throws -> [TrailLink] {
        let before = try queryOne(
            """
            SELECT last_position FROM audit_link
            WHERE last_position < ? AND (at_ms < ? OR at_ms >= ?)
            ORDER BY last_position DESC LIMIT 1
            """,
            [
                .integer(last.last), .integer(last.hour &* 3_600_000),
                .integer((last.hour &+ 1) &* 3_600_000),
            ]
        ) { try $0.integer(0) }
        return try query(
            """
            SELECT \(TrailLink.columns) FROM audit_link
            WHERE last_position > ? AND last_position <= ? ORDER BY last_position
            """,
            [.integer(before ?? .min), .integer(last.last)], TrailLink.init)
    }
}

extension Transaction {
    func insert(_ link: TrailLink) throws {
        try put(
            """
            INSERT INTO audit_link (
                last_position, first_position, records, digest, link, trail, form, at_ms)
            VALUES (?, ?, ?, ?, ?, ?, ?, ?)
            """,
            [
                .integer(link.last), .integer(link.first), .integer(link.records),
                .blob(link.digest.bytes), .blob(link.link), .blob(link.trail),
                .integer(link.form), SQLValue(link.at),
            ])
    }
}
