import Messages

/// A device as its owner named it; `DeviceWords` says what of it may stand in a mail.
struct DeviceShown: Hashable, Sendable {
    let name: String
    let platform: String

    init(name: String, platform: String) {
        self.name = name
        self.platform = platform
    }

    /// The device that a request came from.
    init(_ origin: IdentityV1.Origin?) {
        self.init(name: origin?.deviceName ?? "", platform: origin?.platform ?? "")
    }
}
