import Cryptography
import Messages
import ServiceRuntime

/// The device that somebody signs in from, as the caller names it.
struct SignInDevice: Hashable, Sendable {
    /// Empty where it was not named.
    let id: String
    let shown: DeviceShown

    init(_ origin: IdentityV1.Origin?) {
        id = origin?.deviceId ?? ""
        shown = DeviceShown(origin)
    }

    /// By which it is known again in an account; nil where it was not named.
    func key(in account: AccountID, _ keys: IdentityKeys) -> [UInt8]? {
        guard !id.isEmpty else { return nil }
        return keys.devices.lookUpKey(
            DelimitedParts.joined([Array(account.text.utf8), Array(id.utf8)]))
    }
}
