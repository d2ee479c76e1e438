import Cryptography
package import ServiceRuntime

/// Proves a store's audit trail from its links, in parts. It finds what the store itself can
/// show. An older copy of the store, one whose newest records and links were removed, and one
/// without any link look as they did once; only a head that was kept elsewhere tells.
package struct TrailVerification: Sendable {
    /// Records of one part, but for its last span.
    static let recordsMax: Int64 = 200_000
    /// Spans of one part.
    static let spansMax = 1_000
    /// How often a part is looked at again from a link that another duty has moved meanwhile.
    private static let restartsMax = 8

    private let store: Store
    private let keys: AuditKeys
    private let time: any Time

    /// Of a store's trail.
    /// - Throws: `rpc/internal` for a store without keys, which no program opens.
    package init(of store: Store, time: any Time) throws(ServiceError) {
        guard let trail = store.auditTrail else {
            throw ServiceError(.internalError, detail: "the audit trail of this store has no keys")
        }
        self.store = store
        keys = trail.keys
        self.time = time
    }

    /// The service, as its heads and cuts name it.
    package var service: String { keys.service }

    /// The public half of the key that signs the trail's heads and cuts.
    package var publicKey: [UInt8] { keys.publicKey.bytes }

    /// That key's id in them, its thumbprint (RFC 7638).
    package var keyIdentifier: String { keys.publicKey.thumbprint }

    /// A part of the trail that was looked at.
    package struct Part: Sendable {
        /// The position up to which all is proven; 0 for none.
        package fileprivate(set) var position: Int64 = 0
        /// The link at `position`.
        package fileprivate(set) var link: [UInt8] = []
        /// There is nothing after this part that has a link.
        package fileprivate(set) var isWhole = false
        /// How many records were proven.
        package fileprivate(set) var records: Int64 = 0
        /// The time of the first of them.
        package fileprivate(set) var firstAt: Timestamp?
        /// The time of the last of them.
        package fileprivate(set) var lastAt: Timestamp?
        /// Of a whole part, how many records have no link yet.
        package fileprivate(set) var uncovered: Int64 = 0
        /// The position up to which records were cut off; nil if they were not.
        package fileprivate(set) var cutPosition: Int64?
        /// What was proven, span by span.
        package fileprivate(set) var spans: [Span] = []
        /// What the service has said and signed, and what the store agrees with.
        package fileprivate(set) var statements: [TrailStatement] = []
        /// Where the trail is not what was linked; nothing after it was looked at.
        package fileprivate(set) var broken: TrailBreak?
    }

    /// A proven span.
    package struct Span: Sendable {
        /// The position of its last record.
        package let last: Int64
        /// When it was linked.
        package let at: Timestamp
        /// The trail's id.
        package let trail: [UInt8]
        /// Whether it has another record than heads.
        package let hasOthers: Bool
    }

    /// Looks at the trail from a position on.
    /// - Parameters:
    ///   - position: up to where it is proven; 0 for its start.
    ///   - link: the link there, as the part before this one had it.
    /// - Throws: as `Store.read`; `CancellationError`.
    package func part(after position: Int64, link: [UInt8]) async throws -> Part {
        var part = Part()
        (part.position, part.link) = (position, link)
        try await store.number(.audit)
        do {
            try await prove(&part, after: position, link: link)
        } catch let broken as TrailBreak {
            part.broken = broken
        }
        return part
    }

    private func prove(_ part: inout Part, after position: Int64, link: [UInt8]) async throws {
        var former = try await start(at: position)
        if let former {
            guard former.isMade(with: keys), former.last != position || former.link == link else {
                throw TrailBreak(
                    reason: .link, first: min(former.first, former.last), last: former.last,
                    from: nil, to: former.at)
            }
        }
        let proof = SpanProof(store: store, keys: keys, time: time)
        var restarts = 0
        while part.records < Self.recordsMax, part.spans.count < Self.spansMax {
            let after = former?.last ?? .min
            let next = try await store.read { try $0.links(after: after, limit: 1).first }
            guard let next else { return try await finish(&part, after: former) }
            do {
                let content = try await proof.content(of: next, after: former)
                let statements = try await checked(content.statements)
                part.add(next, content, statements)
                former = next
            } catch let broken as TrailBreak {
                // Spans may have been joined or cut off since their links were read.
                let again = try await start(at: former?.last ?? 0)
                guard again != former, restarts < Self.restartsMax else { throw broken }
                restarts += 1
                former = again
            }
        }
        part.cutPosition = try await store.read { try $0.anchor() }?.last
    }

    /// The link to go on from: the last one up to a position, or the anchor.
    private func start(at position: Int64) async throws -> TrailLink? {
        try await store.read { try $0.lastLink(upTo: position) ?? $0.anchor() }
    }

    /// What the statements of proven records say.
    /// - Throws: `TrailBreak` if one was not signed by the service, or names another link than the
    ///   store has.
    private func checked(_ records: [StatingRecord]) async throws -> [TrailStatement] {
        var checked: [TrailStatement] = []
        for record in records {
            // Whatever is wrong with it, it is not the service's.
            let statement = try? TrailStatement(record.text, signedBy: keys.publicKey)
            guard let statement, statement.kind == record.kind, statement.service == keys.service,
                statement.position < record.number, try await agrees(with: statement)
            else {
                throw TrailBreak(
                    reason: .statement, first: record.number, last: record.number, from: nil,
                    to: record.at)
            }
            checked.append(statement)
        }
        return checked
    }

    /// Whether the store has the link that a head or a cut names, or has cut it off.
    private func agrees(with statement: TrailStatement) async throws -> Bool {
        try await store.read { session in
            if let cut = try session.anchor()?.last, statement.position < cut { return true }
            let link = try session.link(at: statement.position)
            return link?.link == statement.link && link?.trail == statement.trail
        }
    }

    /// What is after the last link.
    private func finish(_ part: inout Part, after former: TrailLink?) async throws {
        let rest = try await store.read { try $0.uncovered(after: former?.last ?? .min) }
        part.statements += try await checked(rest.statements)
        part.uncovered = rest.records
        part.cutPosition = try await store.read { try $0.anchor() }?.last
        // An earlier version's purge could leave gaps, in records that are still to be linked.
        if let former, let first = rest.first, let last = rest.last,
            rest.records <= AuditLinking.spanMax,
            first != former.last &+ 1 || last &- first != rest.records - 1
        {
            throw TrailBreak(
                reason: .number, first: former.last &+ 1, last: last, from: former.at, to: nil)
        }
        part.isWhole = true
    }
}

extension TrailVerification.Part {
    fileprivate mutating func add(
        _ link: TrailLink, _ content: SpanContent, _ stated: [TrailStatement]
    ) {
        (position, self.link) = (link.last, link.link)
        statements += stated
        records += link.records
        firstAt = firstAt ?? content.firstAt
        lastAt = content.lastAt
        spans.append(
            TrailVerification.Span(
                last: link.last, at: link.at, trail: link.trail, hasOthers: content.hasOthers))
    }
}

/// Records that have no link.
private struct UncoveredRecords: Sendable {
    let records: Int64
    let first: Int64?
    let last: Int64?
    let statements: [StatingRecord]
}

extension SQLSession {
    fileprivate func uncovered(after position: Int64) throws -> UncoveredRecords {
        let statements = try query(
            """
            SELECT number, at_ms, kind, detail FROM audit
            WHERE number > ? AND kind IN (?, ?) ORDER BY number
            """,
            [
                .integer(position), .text(AuditKind.auditHead.rawValue),
                .text(AuditKind.auditCut.rawValue),
            ]
        ) { row in
            try TrailStatement.Kind(recordKind: row.text("kind")).map { kind in
                StatingRecord(
                    number: try row.integer("number"), at: try row.timestamp("at_ms"), kind: kind,
                    text: try row.optionalText("detail") ?? "")
            }
        }
        let found = try queryOne(
            """
            SELECT count(*) AS records, min(number) AS oldest, max(number) AS newest
            FROM audit WHERE number > ?
            """, [.integer(position)]
        ) { row in
            UncoveredRecords(
                records: try row.integer("records"), first: try row.optionalInteger("oldest"),
                last: try row.optionalInteger("newest"), statements: statements.compactMap(\.self))
        }
        return found ?? UncoveredRecords(records: 0, first: nil, last: nil, statements: [])
    }
}
