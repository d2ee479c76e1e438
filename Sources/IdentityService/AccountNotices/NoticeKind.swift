import Messages

/// The kinds of notices to an account's owner (S-03, G-10, N-01). The raw values are stored. Values
/// below `firstOwn` are also the wire values, for notices that other services request.
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

    /// Values from here on belong to the identity service; no other service can request them.
    private static let firstOwn: Int64 = 64

    /// The kind that a caller requests; nil when it is missing or unknown.
    init?(_ message: IdentityV1.NoticeKind) {
        let number = Int64(message.rawValue)
        guard number < Self.firstOwn else { return nil }
        self.init(rawValue: number)
    }

    /// The mail for this kind.
    /// - Parameter names: the affected sign-in methods; for `.welcome`, the reader's name.
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
