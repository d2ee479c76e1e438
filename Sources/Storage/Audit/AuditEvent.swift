package import ServiceRuntime

/// One thing that happened, as the audit trail keeps it: who and what by keys, addresses
/// and devices only as keyed hashes, so that erasing an account leaves the trail without personal
/// data. Never a secret, an address or a token.
package struct AuditEvent: Hashable, Sendable {
    /// What happened.
    package let kind: AuditKind
    /// The account's key.
    package var account: Int64?
    /// The session's key.
    package var session: Int64?
    /// Keyed hash of the address that was named, where there may be no account behind it.
    package var subject: [UInt8]?
    /// Keyed hash of the client's address.
    package var clientAddress: [UInt8]?
    /// Keyed hash of the device's id.
    package var device: [UInt8]?
    /// The catalogue's code where it was refused; nil where it was done.
    package var outcome: ErrorCode?
    /// Which attempt it was, where attempts are counted.
    package var attempt: Int64?
    /// Who had it done, where that was not the account's owner: the application, and whom it named
    /// (I-09).
    package var actor: String?

    /// An event of `kind`, with what is known of it.
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
