import Messages
import ServiceRuntime

/// One sign-in on one device, with its refresh token family.
struct Session: Hashable, Sendable {
    /// When and why it ended.
    struct End: Hashable, Sendable {
        let at: Timestamp
        let reason: EndReason
    }

    let id: SessionID
    let account: AccountID
    /// The counter of the leaf, the newest refresh token.
    var counter: Int64
    let createdAt: Timestamp
    /// When it was last used, as stored on disk (`Activity` may be later).
    var usedAt: Timestamp
    /// When identity issued the sign-in proof that opened it.
    var provedAt: Timestamp
    /// How and when its owner proved their identity (`amr`, `auth_time`).
    var proofs: SessionProofs
    /// The stored end; that of a session that has timed out may not be written yet (`SessionLife`).
    var end: End?
    /// When the leaf was issued; 0 where unknown, which gives no grace.
    var rotatedAt = Timestamp(milliseconds: 0)
    /// Keyed hash of the id of the device that it was opened on.
    var device: [UInt8]?
    /// The device key that it is bound to, if any.
    var deviceKey: DeviceKey?
    /// The account's session generation in the proof that opened it (`AccountEnd`); 0 for a proof
    /// of an earlier build.
    var generation: Int64 = 0
}

/// Why a session ended (S-02, S-06). The numbers are those on the wire and in the store, and are
/// never reused.
enum EndReason: Int64, CaseIterable, Sendable {
    case signedOut = 1
    case inactive = 2
    case maximumAge = 3
    case displaced = 4
    case replayed = 5
    case security = 6
    case revoked = 7
    case providerRevoked = 8
    case accountDeleted = 9

    /// The reason on the wire.
    var message: SessionV1.EndReason { SessionV1.EndReason(rawValue: Int32(rawValue)) }

    /// The reason in a request; nil for none or an unknown one.
    init?(_ message: SessionV1.EndReason) {
        self.init(rawValue: Int64(message.rawValue))
    }
}
