/// Decides whether a sign-in comes from a new device (G-08). Pure:
///
///     device id sent    known    known devices    new
///     no                –        any              no
///     yes               yes      any              no
///     yes               no       none             no: it is the account's first device, or the
///                                                 account is older than this table, and nothing
///                                                 tells whether the device was used before
///     yes               no       some             yes
enum KnownDeviceRule {
    /// Known devices for each account. Beyond this, the least recently used one is dropped; it
    /// counts as new when it returns.
    static let devicesMax = 32

    static func isNew(isNamed: Bool, isKnown: Bool, knownDevices: Int) -> Bool {
        isNamed && !isKnown && knownDevices > 0
    }
}
