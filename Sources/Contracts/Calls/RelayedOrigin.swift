package import Messages
package import RPC
package import ServiceRuntime

/// Where a call of the gateway comes from: the address, the app, the place and the agent by its
/// metadata, the device by the request. It is believed because it is the gateway, whatever the list
/// of callers says of addresses: without them all newcomers would share one limit.
package struct RelayedOrigin: ClientOrigin {
    /// As in `ClientOrigin`.
    package let clientAddress: String
    /// As in `ClientOrigin`.
    package let deviceId: String
    /// As in `ClientOrigin`.
    package let app: String
    /// As in `ClientOrigin`.
    package let agent: String
    /// As in `ClientOrigin`.
    package let place: Place?

    /// What the metadata and the request say.
    package init(_ context: CallContext, on device: GatewayV1.Device? = nil) {
        clientAddress = context.metadata[Metadata.Key.clientAddress] ?? ""
        deviceId = device?.deviceId ?? ""
        app = context.metadata.app ?? ""
        agent = context.metadata.agent ?? ""
        place = context.metadata.place
    }
}
