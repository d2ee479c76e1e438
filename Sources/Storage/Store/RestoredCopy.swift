import ServiceRuntime

extension Store {
    /// Where this is a restored copy (SQLite/RestoredCopyMark.swift), ends what must not come back
    /// with it, once. The service calls it at its start, before anything else uses the store.
    ///
    /// `flow`, its audit event and the end of the mark are one transaction: after a crash before
    /// the commit, the next start does it again. In any other store nothing happens.
    /// - Parameters:
    ///   - subjects: as in `write`.
    ///   - flow: ends what must end, and returns how much that was, for the audit trail and the
    ///     log.
    /// - Throws: what `flow` throws; otherwise as `write`. The service must not start then.
    package func settleRestoredCopy(
        about subjects: [Subject], _ flow: @escaping @Sendable (Transaction) throws -> Int
    ) async throws {
        guard isRestoredCopy else { return }
        let ended: Int? = try await write(about: subjects) { transaction in
            guard try transaction.isMarkedAsCopy() else { return nil }
            let ended = try flow(transaction)
            try transaction.audit(AuditEvent(.backupRestored, attempt: Int64(ended)))
            try transaction.forgetCopy()
            return ended
        }
        guard let ended else { return }
        logger.warning(
            "store.restored",
            "this store is a restored copy: what could have ended since it was made was ended",
            fields: [.part: .text(name), .count: .count(ended)])
    }
}
