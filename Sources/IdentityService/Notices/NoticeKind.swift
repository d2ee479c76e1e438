import Messages

/// What an account's owner can be told (S-03, G-10, N-01). Numbers stand in the store; below
/// `firstOwn` they are the wire's, for what other services tell.
enum NoticeKind: Int64, CaseIterable, Sendable {
    case sessionDisplaced = 1
    case sessionReplayed = 2
    case passwordChanged = 64
    case methodAdded = 65
    case methodRemoved = 66
    case addressClaimed = 67
    case welcome = 68
    case newDevice = 70
    case accountSuspended = 71
    case accountRestored = 72

    /// From here on they are identity's own: nobody else tells of them.
    private static let firstOwn: Int64 = 64

    /// The kind that a caller gives; nil for none, and for one that we do not know.
    init?(_ message: IdentityV1.NoticeKind) {
        let number = Int64(message.rawValue)
        guard number < Self.firstOwn else { return nil }
        self.init(rawValue: number)
    }

    /// The mail that tells it.
    /// - Parameter names: of the methods that it is about; of a welcome, its reader's.
    func mail(device: String, time: String, naming names: [String]) -> IdentityMail {
        switch self {
        case .sessionDisplaced: .sessionDisplaced(device: device, time: time)
        case .sessionReplayed: .sessionReplayed(device: device, time: time)
        case .passwordChanged: .passwordChanged(device: device, time: time)
        case .newDevice: .newDevice(method: names.first ?? "", device: device, time: time)
        case .methodAdded:
            .methodAdded(method: names.first ?? "", device: device, time: time)
        case .methodRemoved:
            .methodRemoved(method: names.first ?? "", device: device, time: time)
        case .addressClaimed: .addressClaimed(methods: names, time: time)
        case .accountSuspended: .accountSuspended(time: time)
        case .accountRestored: .accountRestored(time: time)
        case .welcome: .welcome(name: names.first ?? "", device: device, time: time)
        }
    }
}
