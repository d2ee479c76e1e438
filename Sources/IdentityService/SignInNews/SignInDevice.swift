import Cryptography
import Messages
import ServiceRuntime

/// The device of a sign-in, as the caller describes it.
struct SignInDevice: Hashable, Sendable {
    /// Empty when the caller sent none.
    let id: String
    let shown: DeviceShown

    init(_ origin: IdentityV1.Origin?) {
        id = origin?.deviceId ?? ""
        shown = DeviceShown(origin)
    }

    /// The keyed hash that identifies the device within an account; nil without a device id.
    func key(in account: AccountID, _ keys: IdentityKeys) -> [UInt8]? {
        guard !id.isEmpty else { return nil }
        return keys.devices.lookUpKey(
            DelimitedParts.joined([Array(account.text.utf8), Array(id.utf8)]))
    }
}
