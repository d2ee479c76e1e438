/// Whether a sign-in is from a new device (G-08). Pure:
///
///     device named   known    the account's known devices    new
///     no             –        any                            no
///     yes            yes      any                            no
///     yes            no       none                           no: the first one, or an account from
///                                                            before devices were kept; to call it new
///                                                            would be a guess
///     yes            no       some                           yes
enum KnownDeviceRule {
    /// Devices that are kept of an account. With one more, the one not seen for longest is forgotten,
    /// and new again when it comes back.
    static let devicesMax = 32

    static func isNew(isNamed: Bool, isKnown: Bool, knownDevices: Int) -> Bool {
        isNamed && !isKnown && knownDevices > 0
    }
}
