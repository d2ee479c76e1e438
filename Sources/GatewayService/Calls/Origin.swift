import Addresses
import Contracts
import Messages
import RPC
import ServiceRuntime

/// Where a call came from, as the inner services store it for the audit trail and for mails.
enum Origin {
    /// The caller's device, with its address if the application may assert one. Read before any
    /// other step: a device that the session service rejects must not leave an account without a
    /// session.
    /// - Throws: as `Device.requireBounds` and `CallContext.personsAddress`.
    static func of(
        _ device: GatewayV1.Device?, _ context: CallContext
    ) throws(ServiceError) -> IdentityV1.Origin {
        let device = device ?? GatewayV1.Device()
        try device.requireBounds()
        return IdentityV1.Origin(
            clientAddress: try context.personsAddress() ?? "", deviceId: device.deviceId,
            platform: device.platform, deviceName: device.name, app: context.app ?? "")
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

    /// The language of messages to an account that the call creates: the requested one, or the
    /// user's most preferred one of those that Postern has; empty for the operator's default.
    /// - Throws: `rpc/invalid-argument` with `mail_language` for a text that is no language tag.
    func mailLanguage(_ requested: String) throws(ServiceError) -> String {
        guard !requested.isEmpty else { return acceptedLanguage }
        guard LanguageTag.isValid(requested) else {
            throw ServiceError(.invalidArgument, fields: ["mail_language"])
        }
        return requested
    }

    /// The user's most preferred language of those that Postern has; empty for none.
    var acceptedLanguage: String { metadata.acceptedVoice?.language.rawValue ?? "" }
}
