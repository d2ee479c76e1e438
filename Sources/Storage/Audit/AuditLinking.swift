import Logging
import ServiceRuntime

/// Makes the links of a store's audit trail (`TrailLink`), and its heads: A-02.
///
/// | what is there | what the duty does, each second |
/// |---|---|
/// | records without a link, one a minute old or 10,000 of them | a span of 10,000 at most |
/// | among them that of a settled restore | the span ends before it, another trail begins |
/// | the last link is of another hour than now, without a head | a head; the hour's spans join |
/// | the same, but all records of that hour are heads | nothing: an idle service writes nothing |
///
/// No write waits for it, so the newest records are not covered: those of a minute. A link is made
/// after all earlier ones, and a head before the first link of another hour, so a verifier finds
/// one that is missing. Of two instances that make a link at once, one inserts it; the other sees
/// another last link in its flow, and looks again.
struct AuditLinking: Sendable {
    /// Records of one span: what is linked at once, and what a finding names.
    static let spanMax: Int64 = 10_000
    /// How long a record waits for its link while there are few.
    static let interval: Duration = .seconds(60)
    /// Records of a span into which others were joined: two years of minutes would be a million
    /// rows.
    static let joinedMax: Int64 = 100_000
    /// Records of one read: a millisecond or two of a reader.
    static let readMax = 2_000
    /// The length of a trail's id, in bytes: two restores of one store never have the same.
    static let trailBytes = 16

    let store: Store
    let trail: AuditTrail
    let time: any Time

    var duty: Duty { Duty("audit-chain", every: .seconds(1), step: step) }

    /// Makes one head or one link at most.
    /// - Returns: whether there may be more to do at once.
    /// - Throws: as `Store.read` and `Store.write`; `CryptographyError`.
    func step() async throws -> Bool {
        // One moment for the whole step: a link made in another hour than the last one comes after
        // that one's head.
        let now = time.now()
        try await store.number(.audit)
        let end = try await store.read { try $0.trailEnd(at: now) }
        if let last = end.last, end.needsHead {
            try await writeHead(of: last)
            return false
        }
        guard let first = end.uncovered, first.isDue(at: now) else { return false }
        return try await link(after: end.last, at: now)
    }

    /// Links the records after the last link, up to `spanMax`.
    private func link(after former: TrailLink?, at now: Timestamp) async throws -> Bool {
        var span: TrailSpan?
        reading: while (span?.records ?? 0) < Self.spanMax {
            let after = span?.last ?? former?.last ?? .min
            let records = try await store.read {
                try $0.linkedRecords(after: after, limit: Self.readMax)
            }
            for record in records {
                var present = span ?? begin(with: record, after: former)
                if present.records > 0, record.beginsTrail { break reading }
                present.add(record)
                span = present
            }
            if records.count < Self.readMax { break }
        }
        guard let span else { return false }
        let link = TrailLink(span, at: now, keys: trail.keys)
        try await store.write(about: [.table("audit_link")]) { transaction in
            guard try transaction.lastLink()?.link == former?.link else { return }
            try transaction.insert(link)
        }
        return true
    }

    private func begin(with record: LinkedRecord, after former: TrailLink?) -> TrailSpan {
        guard let former, !record.beginsTrail else {
            return TrailSpan(
                beginning: trail.randomness.bytes(Self.trailBytes), after: former, with: record)
        }
        return TrailSpan(after: former)
    }

    /// Writes the head of an hour, and joins its spans.
    private func writeHead(of last: TrailLink) async throws {
        let keys = trail.keys
        let text: String? = try await store.write(about: [.table("audit_link")]) { transaction in
            guard try transaction.lastLink()?.link == last.link else { return nil }
            let links = try transaction.links(ofHourOf: last)
            let head = TrailStatement(
                .head, of: last, records: links.reduce(0) { $0 &+ $1.records },
                service: keys.service)
            let text = try head.signed(by: keys)
            try transaction.audit(
                AuditEvent(.auditHead, attempt: last.last, detail: .statement(text)))
            for joined in Self.joined(links) where !links.contains(joined) {
                try transaction.join(joined)
            }
            return text
        }
        guard let text else { return }
        store.logger.info(
            "audit.head", "the audit trail up to here; keep it elsewhere to prove it",
            fields: [
                .part: .text(keys.service), .row: .integer(last.last), .statement: .text(text),
            ])
    }

    /// The spans of an hour, joined into as few as may be. An anchor stays as it is, and so does a
    /// span before one of another trail or form.
    static func joined(_ links: [TrailLink]) -> [TrailLink] {
        var joined: [TrailLink] = []
        for link in links {
            if let before = joined.last, !before.isAnchor, before.trail == link.trail,
                before.form == link.form, before.records &+ link.records <= joinedMax
            {
                joined.removeLast()
                var both = link
                both.first = before.first
                both.records = before.records &+ link.records
                joined.append(both)
            } else {
                joined.append(link)
            }
        }
        return joined
    }
}

/// The end of a trail.
private struct TrailEnd: Sendable {
    /// The last link; nil for none.
    let last: TrailLink?
    /// Whether its hour has ended without a head.
    let needsHead: Bool
    /// What has no link; nil if all has.
    let uncovered: Uncovered?

    struct Uncovered: Sendable {
        let first: Int64
        let firstAt: Timestamp
        let last: Int64

        /// Whether it is to be linked. A record of a later time was written before the clock went
        /// back.
        func isDue(at now: Timestamp) -> Bool {
            let (count, overflow) = last.subtractingReportingOverflow(first)
            return overflow || count >= AuditLinking.spanMax - 1
                || firstAt <= now - AuditLinking.interval
                || firstAt > now + AuditLinking.interval
        }
    }
}

extension SQLSession {
    fileprivate func trailEnd(at now: Timestamp) throws -> TrailEnd {
        let last = try lastLink()
        let first = try queryOne(
            "SELECT number, at_ms FROM audit WHERE number > ? ORDER BY number LIMIT 1",
            [.integer(last?.last ?? .min)]
        ) { (number: try $0.integer(0), at: try $0.timestamp(1)) }
        let newest = try queryOne("SELECT max(number) FROM audit") { try $0.optionalInteger(0) }
        let uncovered = first.map {
            TrailEnd.Uncovered(
                first: $0.number, firstAt: $0.at, last: (newest ?? nil) ?? $0.number)
        }
        return TrailEnd(
            last: last, needsHead: try last.map { try needsHead($0, at: now) } ?? false,
            uncovered: uncovered)
    }

    private func needsHead(_ last: TrailLink, at now: Timestamp) throws -> Bool {
        guard last.hour != now.seconds / 3_600 else { return false }
        let head = try queryOne(
            "SELECT number FROM audit WHERE number > ? AND kind = ? ORDER BY number LIMIT 1",
            [.integer(last.last), .text(AuditKind.auditHead.rawValue)]
        ) { try $0.integer(0) }
        guard head == nil, let first = try links(ofHourOf: last).first?.first else { return false }
        return try queryOne(
            "SELECT 1 FROM audit WHERE number >= ? AND number <= ? AND kind <> ? LIMIT 1",
            [.integer(first), .integer(last.last), .text(AuditKind.auditHead.rawValue)]
        ) { _ in true } ?? false
    }
}

extension Transaction {
    /// Stores a span into which those before it were joined.
    fileprivate func join(_ link: TrailLink) throws {
        try put(
            "DELETE FROM audit_link WHERE last_position >= ? AND last_position < ?",
            [.integer(link.first), .integer(link.last)])
        try put(
            "UPDATE audit_link SET first_position = ?, records = ? WHERE last_position = ?",
            [.integer(link.first), .integer(link.records), .integer(link.last)])
    }
}
