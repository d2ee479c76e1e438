package import ServiceRuntime

/// One event in the audit trail. Accounts and sessions are named by their keys, addresses
/// and devices only by keyed hashes, so erasing an account leaves no personal data in the trail
/// . Never holds a secret, an address or a token.
package struct AuditEvent: Hashable, Sendable {
    /// What happened.
    package let kind: AuditKind
    /// The account's key.
    package var account: Int64?
    /// The session's key.
    package var session: Int64?
    /// Keyed hash of the address that the request named, where there may be no account for it.
    package var subject: [UInt8]?
    /// Keyed hash of the client's address.
    package var clientAddress: [UInt8]?
    /// Keyed hash of the device's id.
    package var device: [UInt8]?
    /// The error code where the request was refused; nil where it succeeded.
    package var outcome: ErrorCode?
    /// The number of the attempt, or a count of attempts, where they are counted.
    package var attempt: Int64?
    /// Who acted, where that was not the account's owner: the application and the operator that it
    /// named (I-09).
    package var actor: String?

    /// An event of `kind` with its known fields.
    package init(
        _ kind: AuditKind, account: Int64? = nil, session: Int64? = nil, subject: [UInt8]? = nil,
        clientAddress: [UInt8]? = nil, device: [UInt8]? = nil, outcome: ErrorCode? = nil,
        attempt: Int64? = nil
    ) {
        self.kind = kind
        self.account = account
        self.session = session
        self.subject = subject
        self.clientAddress = clientAddress
        self.device = device
        self.outcome = outcome
        self.attempt = attempt
    }
}

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
