import ServiceRuntime

/// One sign-in on one device, and with it one family of refresh tokens.
struct Session: Hashable, Sendable {
    /// When and why it ended.
    struct End: Hashable, Sendable {
        let at: Timestamp
        let reason: EndReason
    }

    let id: SessionID
    let account: AccountID
    /// Of the one refresh token that is good now.
    var counter: Int64
    let createdAt: Timestamp
    /// When it was last refreshed.
    var usedAt: Timestamp
    /// When the account proved itself (`auth_time`).
    let authenticatedAt: Timestamp
    /// When identity made the proof that opened it.
    let provedAt: Timestamp
    /// How the account proved itself (`amr`).
    let methods: [String]
    /// Noted end; one that time alone has brought may not be noted yet (`SessionLife`).
    var end: End?
}
