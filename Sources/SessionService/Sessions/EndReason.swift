import Messages

/// Why a session is over (S-02, S-06). Numbers are the wire's and stand in the store; they are
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

    /// The reason on the wire.
    var message: SessionV1.EndReason { SessionV1.EndReason(rawValue: Int32(rawValue)) }

    /// The reason that a caller gives; nil for none, and for one that we do not know.
    init?(_ message: SessionV1.EndReason) {
        self.init(rawValue: Int64(message.rawValue))
    }
}
