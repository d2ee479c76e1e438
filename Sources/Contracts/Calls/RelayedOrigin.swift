package import RPC
import ServiceRuntime

/// Where a call comes from that the gateway passes on, as the gateway says in its metadata. It is
/// believed because it is the gateway, whatever the list of callers says of addresses: without them
/// all newcomers would share one limit.
package struct RelayedOrigin: ClientOrigin {
    /// As in `ClientOrigin`.
    package let clientAddress: String
    /// Of the request, which names the device.
    package let deviceId = ""
    /// As in `ClientOrigin`.
    package let app: String

    /// What the metadata say.
    /// - Parameter context: of a call of the gateway (`CallContext.requireGateway`).
    package init(_ context: CallContext) {
        clientAddress = context.metadata[Metadata.Key.clientAddress] ?? ""
        app = context.metadata.app ?? ""
    }
}
