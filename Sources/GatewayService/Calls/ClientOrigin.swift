import Addresses
import Contracts
import Messages
import RPC
import ServiceRuntime

extension GatewayV1.Device? {
    /// The device's id; empty for none. Read before any other step: a device that the session service
    /// rejects must not leave an account without a session.
    /// - Throws: as `Device.requireBounds`.
    func requiredID() throws(ServiceError) -> String {
        guard let device = self else { return "" }
        try device.requireBounds()
        return device.deviceId
    }
}

extension CallContext {
    /// Longer than any IPv6 address (RFC 4291) with an interface name.
    private static let addressBytesMax = 64

    /// The user's address; nil where none is asserted, or where the caller may not assert one.
    ///
    /// Anything except one bare IPv4 or IPv6 address is rejected. An address with a port would be
    /// another subject in each call. If it counted as no address, it would share the application's
    /// limits, which are much larger.
    /// - Throws: `rpc/invalid-argument` with `client-address` for anything except one bare address.
    func personsAddress() throws(ServiceError) -> String? {
        guard mayAssertClientAddress else { return nil }
        let entries = metadata.entries.filter { $0.key == Metadata.Key.clientAddress }
        guard !entries.isEmpty else { return nil }
        guard entries.count == 1, let text = clientAddress,
            text.utf8.count <= Self.addressBytesMax, ClientAddress(text) != nil
        else {
            throw ServiceError.invalidArgument(
                Metadata.Key.clientAddress, "Send one IPv4 or IPv6 address, without a port.")
        }
        return text
    }

    /// The name of the app that calls through the web service; nil for other callers. Attack: any
    /// other application could name an app, to use up its limits or to hide in the audit trail.
    var app: String? { application == Self.webService ? metadata.app : nil }

    /// The ways to sign in that this app does not have (G-36); none for other callers. Attack: an
    /// application that everybody can reach sends it, and hides ways from the errors of others. It
    /// hides them in the answers to its own calls only, and as the web service alone is believed,
    /// apps cannot say it at all.
    var appWithout: Set<SignInWay> { application == Self.webService ? metadata.appWithout : [] }
}
