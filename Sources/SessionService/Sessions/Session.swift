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
    /// Of the leaf, the newest refresh token.
    var counter: Int64
    let createdAt: Timestamp
    /// When it was last used, as far as is on disk (`Activity`).
    var usedAt: Timestamp
    /// When identity made the latest proof of it.
    var provedAt: Timestamp
    /// How and when its owner proved to be it (`amr`, `auth_time`).
    var proofs: SessionProofs
    /// Noted end; one that time alone has brought may not be noted yet (`SessionLife`).
    var end: End?
    /// When the leaf was made; long ago where that is not known, which grants no grace.
    var rotatedAt = Timestamp(milliseconds: 0)
    /// Keyed hash of the id of the device that it was opened on.
    var device: [UInt8]?
    /// The key that it is bound to, if any.
    var deviceKey: DeviceKey?
}
