import Messages

/// A device with the name that its owner gave it. `DeviceWords` filters the name before it appears
/// in a mail.
struct DeviceShown: Hashable, Sendable {
    let name: String
    let platform: String

    init(name: String, platform: String) {
        self.name = name
        self.platform = platform
    }

    /// The device that sent a request.
    init(_ origin: IdentityV1.Origin?) {
        self.init(name: origin?.deviceName ?? "", platform: origin?.platform ?? "")
    }
}
