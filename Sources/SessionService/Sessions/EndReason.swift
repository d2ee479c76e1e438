import Messages

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

    /// The reason on the wire.
    var message: SessionV1.EndReason { SessionV1.EndReason(rawValue: Int32(rawValue)) }

    /// The reason in a request; nil for none or an unknown one.
    init?(_ message: SessionV1.EndReason) {
        self.init(rawValue: Int64(message.rawValue))
    }
}
