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
    /// When it was last used, as far as is on disk (`Activity`).
    var usedAt: Timestamp
    /// When the account proved itself (`auth_time`).
    var authenticatedAt: Timestamp
    /// When identity made the latest proof of it.
    var provedAt: Timestamp
    /// How the account proved itself (`amr`).
    var methods: [String]
    /// Noted end; one that time alone has brought may not be noted yet (`SessionLife`).
    var end: End?
}
