import ServiceRuntime

extension Transaction {
    /// Appends an event to the audit trail in this transaction: it commits or rolls back with the
    /// change that it records.
    /// - Throws: `SQLError`.
    package func audit(_ event: AuditEvent) throws {
        try execute(
            """
            INSERT INTO audit (
                at_ms, kind, account, session, subject, client_address, device, outcome, attempt,
                actor)
            VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?)
            """,
            [
                SQLValue(at), .text(event.kind.rawValue), SQLValue(event.account),
                SQLValue(event.session), SQLValue(event.subject), SQLValue(event.clientAddress),
                SQLValue(event.device), SQLValue(event.outcome?.rawValue), SQLValue(event.attempt),
                SQLValue(event.actor),
            ])
    }
}
