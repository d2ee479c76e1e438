package import ServiceRuntime

/// Where a trail is not what was linked: the first span that is not, or a single record.
package struct TrailBreak: Error, Hashable, Sendable, CustomStringConvertible {
    /// What is wrong. The raw value is part of `Events/VerifyTrail`.
    package enum Reason: String, CaseIterable, Sendable {
        /// The records are not those that were linked, or what came before the first is missing.
        case records
        /// The link was not made with the service's key, or one before it is missing.
        case link
        /// A newer version has made the link, of columns that this one does not know.
        case form
        /// A record that says of itself that it is a head or a cut was not signed by the service,
        /// or names another link than the store has.
        case statement
        /// Among the records that have no link yet, one is missing.
        case number
    }

    /// What is wrong.
    package let reason: Reason
    /// The position of the first record that it is about.
    package let first: Int64
    /// The position of the last.
    package let last: Int64
    /// When the link before it was made; nil if there is none.
    package let from: Timestamp?
    /// When the link at its end was made, or the single record written.
    package let to: Timestamp?

    package var description: String { "\(first) to \(last): \(reason.rawValue)" }
}

/// What a proven span holds.
struct SpanContent: Sendable {
    private(set) var firstAt: Timestamp?
    private(set) var lastAt: Timestamp?
    /// The latest time of its records: clocks are set back.
    private(set) var youngest: Timestamp?
    /// Whether it has another record than heads.
    private(set) var hasOthers = false
    /// Its heads and cuts.
    private(set) var statements: [StatingRecord] = []

    fileprivate mutating func add(_ record: LinkedRecord) {
        firstAt = firstAt ?? record.at
        lastAt = record.at
        youngest = max(youngest ?? record.at, record.at)
        hasOthers = hasOthers || !record.isHead
        if let kind = TrailStatement.Kind(recordKind: record.kind) {
            statements.append(
                StatingRecord(
                    number: record.number, at: record.at, kind: kind, text: record.detail ?? ""))
        }
    }
}

/// A record that says something about its trail, not yet believed.
struct StatingRecord: Sendable {
    let number: Int64
    let at: Timestamp
    let kind: TrailStatement.Kind
    let text: String
}

extension TrailStatement.Kind {
    /// What the records of a kind say; nil for other kinds.
    init?(recordKind: String) {
        switch recordKind {
        case AuditKind.auditHead.rawValue: self = .head
        case AuditKind.auditCut.rawValue: self = .cut
        default: return nil
        }
    }
}

/// Reads records again, to prove that they are those that were linked.
struct SpanProof: Sendable {
    let store: Store
    let keys: AuditKeys
    let time: any Time

    /// The records of a span.
    ///
    /// It rests after each read for as long as that took, so that a reader's thread is free half of
    /// the time for the service's own calls.
    /// - Parameter former: the link before it, proven already; nil for the start of the trail.
    /// - Throws: `TrailBreak`; as `Store.read`; `CancellationError`.
    func content(of link: TrailLink, after former: TrailLink?) async throws -> SpanContent {
        guard link.form == LinkedRecord.form else { throw broken(.form, link, former) }
        let isNext = former.map { $0.last &+ 1 == link.first } ?? true
        guard isNext, link.records > 0, link.isMade(with: keys) else {
            throw broken(.link, link, former)
        }
        var (content, span) = (SpanContent(), TrailSpan?.none)
        var after = former?.last ?? .min
        while after < link.last {
            let began = time.uptime()
            let records = try await store.read { [after] in
                try $0.linkedRecords(
                    after: after, upTo: link.last, limit: AuditLinking.readMax)
            }
            let took = time.uptime() - began
            for record in records {
                var present = span ?? Self.begin(link, after: former, with: record)
                present.add(record)
                span = present
                content.add(record)
            }
            guard let end = records.last else { break }
            after = end.number
            if took > .zero { try await time.sleep(for: took) }
        }
        guard let span, span.first == link.first, span.last == link.last,
            span.records == link.records, span.digest == link.digest
        else { throw broken(.records, link, former) }
        return content
    }

    private static func begin(
        _ link: TrailLink, after former: TrailLink?, with record: LinkedRecord
    ) -> TrailSpan {
        guard let former, former.trail == link.trail else {
            return TrailSpan(beginning: link.trail, after: former, with: record)
        }
        return TrailSpan(after: former)
    }

    private func broken(
        _ reason: TrailBreak.Reason, _ link: TrailLink, _ former: TrailLink?
    ) -> TrailBreak {
        TrailBreak(
            reason: reason, first: former.map { $0.last &+ 1 } ?? link.first, last: link.last,
            from: former?.at, to: link.at)
    }
}
