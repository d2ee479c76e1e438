import ServiceRuntime

extension Transaction {
    /// Appends an event to the audit trail, as durable as the change that it tells of and undone
    /// with it.
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
