import Messages

/// What an account's owner can be told of its sessions (S-03, G-10). Numbers are the wire's and
/// stand in the store.
enum NoticeKind: Int64, CaseIterable, Sendable {
    case sessionDisplaced = 1
    case sessionReplayed = 2

    /// The kind that a caller gives; nil for none, and for one that we do not know.
    init?(_ message: IdentityV1.NoticeKind) {
        self.init(rawValue: Int64(message.rawValue))
    }

    /// The mail that tells it.
    func mail(device: String, time: String) -> IdentityMail {
        switch self {
        case .sessionDisplaced: .sessionDisplaced(device: device, time: time)
        case .sessionReplayed: .sessionReplayed(device: device, time: time)
        }
    }
}
