import Contracts
import Messages
import RPC
import ServiceRuntime

/// Where a call came from, as the inner services store it for the audit trail and for mails.
enum Origin {
    private static let deviceIDBytesMax = 128
    /// The longest that the session service accepts.
    private static let platformBytesMax = 32
    private static let nameBytesMax = 256

    /// The caller's device, with its address if the application may assert one. Read before any
    /// other step: a device that the session service rejects must not leave an account without a
    /// session.
    /// - Throws: `rpc/invalid-argument` for a field that is too long, and as
    ///   `CallContext.personsAddress`.
    static func of(
        _ device: GatewayV1.Device?, _ context: CallContext
    ) throws(ServiceError) -> IdentityV1.Origin {
        let device = device ?? GatewayV1.Device()
        for (field, text, bytesMax) in [
            ("device.device_id", device.deviceId, deviceIDBytesMax),
            ("device.platform", device.platform, platformBytesMax),
            ("device.name", device.name, nameBytesMax),
        ] where text.utf8.count > bytesMax {
            throw ServiceError(.invalidArgument, fields: [field])
        }
        return IdentityV1.Origin(
            clientAddress: try context.personsAddress() ?? "", deviceId: device.deviceId,
            platform: device.platform, deviceName: device.name)
    }
}

extension CallContext {
    /// The language of messages to an account that the call creates: the requested one, or the
    /// user's most preferred one of those that Postern has; empty for the operator's default.
    func mailLanguage(_ requested: String = "") -> String {
        requested.isEmpty ? metadata.acceptedLanguage?.rawValue ?? "" : requested
    }
}
