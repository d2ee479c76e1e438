import ServiceRuntime

extension Store {
    /// Records that a backup with a copy of this store is complete and on disk, for the audit
    /// trail, the log and the metric that shows its age.
    /// - Parameter bytes: the size of the whole backup, for the log.
    /// - Throws: as `write`.
    package func recordBackup(bytes: Int) async throws {
        let at = try await write(about: [.table("store_file")]) { transaction in
            try transaction.put(
                "UPDATE store_file SET backed_up_at_ms = ? WHERE id = 1",
                [SQLValue(transaction.at)])
            try transaction.audit(AuditEvent(.backedUp))
            return transaction.at
        }
        metrics.setLastBackup(at)
        logger.info(
            "store.backed_up", "a backup with this store was completed",
            fields: [.part: .text(name), .bytes: .count(bytes)])
    }
}
