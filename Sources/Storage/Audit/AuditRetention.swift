import Logging
import ServiceRuntime

/// Removes records of a store's audit trail that were kept long enough (I-08), at the front.
///
/// Attack: somebody with write access to the store deletes the oldest records, which looks like
/// expiry. So it is done under a record `audit.cut` that the service signs. In its transaction the
/// link at that place becomes the anchor (`TrailLink`). The rows are deleted after it, in steps;
/// verification ignores those that a crash leaves, and the next start deletes them.
///
/// Attack: the same person sets the times of records back, so that the service deletes the evidence
/// itself. So a span is verified before it is cut, and none is cut from the first broken one on.
struct AuditRetention: Sendable {
    /// The time between two cuts.
    static let interval: Duration = .seconds(86_400)

    let store: Store
    let trail: AuditTrail
    let time: any Time

    var duty: Duty { Duty("audit-retention", every: Self.interval, step: step) }

    /// Removes some rows of what was cut, or cuts.
    /// - Returns: whether there may be more to do at once.
    /// - Throws: as `Store.read` and `Store.write`; `CryptographyError`; `CancellationError`.
    func step() async throws -> Bool {
        guard let keptFor = trail.keptFor else { return false }
        if try await removeRows() { return true }
        guard let end = try await end(before: time.now() - keptFor) else { return false }
        try await cut(at: end)
        return true
    }

    /// The end of the last span at the front all of whose records are older than `limit`; nil for
    /// none.
    private func end(before limit: Timestamp) async throws -> TrailLink? {
        let proof = SpanProof(store: store, keys: trail.keys, time: time)
        var (former, found): (TrailLink?, TrailLink?) = (nil, nil)
        while let link = try await next(after: former) {
            if former == nil, link.isAnchor, link.isMade(with: trail.keys) {
                former = link
                continue
            }
            do {
                let content = try await proof.content(of: link, after: former)
                guard let youngest = content.youngest, youngest < limit else { break }
                (former, found) = (link, link)
            } catch let broken as TrailBreak {
                store.logger.error(
                    "audit.broken",
                    """
                    records of the audit trail were changed, so from there on none is removed; see \
                    `postern audit verify`
                    """, fields: [.detail: .error(broken)])
                break
            }
        }
        return found
    }

    private func next(after former: TrailLink?) async throws -> TrailLink? {
        try await store.read { try $0.links(after: former?.last ?? .min, limit: 1).first }
    }

    private func cut(at link: TrailLink) async throws {
        let keys = trail.keys
        let statement = try TrailStatement(
            .cut, of: link, records: link.records, service: keys.service
        ).signed(by: keys)
        try await store.write(about: [.table("audit_link")]) { transaction in
            // Another instance may have cut here.
            guard let present = try transaction.link(at: link.last), !present.isAnchor
            else { return }
            try transaction.audit(
                AuditEvent(.auditCut, attempt: link.last, detail: .statement(statement)))
            try transaction.put(
                "DELETE FROM audit_link WHERE last_position < ?", [.integer(link.last)])
            try transaction.put(
                "UPDATE audit_link SET first_position = ?, records = 0 WHERE last_position = ?",
                [.integer(link.last &+ 1), .integer(link.last)])
        }
    }

    /// Removes rows up to the anchor, at most those of one purge.
    /// - Returns: whether there may be more.
    private func removeRows() async throws -> Bool {
        let last = try await store.read { session -> Int64? in
            guard let anchor = try session.anchor() else { return nil }
            return try session.queryOne(
                "SELECT 1 FROM audit WHERE number <= ? LIMIT 1", [.integer(anchor.last)]
            ) { _ in anchor.last }
        }
        guard let last else { return false }
        let removed = try await store.write(about: [.expired]) { transaction in
            try transaction.execute(
                """
                DELETE FROM audit WHERE number IN (
                    SELECT number FROM audit WHERE number <= ?1 ORDER BY number LIMIT ?2)
                AND number <= ?1
                """, [.integer(last), .integer(Int64(Purges.rowsMax))])
        }
        return removed >= Purges.rowsMax
    }
}

extension SQLSession {
    /// The link up to which the trail was cut; nil if it was not.
    func anchor() throws -> TrailLink? {
        guard let first = try links(after: .min, limit: 1).first, first.isAnchor else { return nil }
        return first
    }
}
