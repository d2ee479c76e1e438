/// What a store records of a call. `Storage` imports neither the RPC runtime nor the generated
/// messages, so their types conform to these protocols.
package protocol IdempotentCall: Sendable {
    /// The calling application, which the connection has identified.
    var application: String { get }
    /// The key that a caller sends again with each retry of one call; nil if there is none.
    var idempotencyKey: String? { get }
}

/// Where a call comes from, in clear; empty fields are unknown.
package protocol ClientOrigin: Sendable {
    /// The client's IP address.
    var clientAddress: String { get }
    /// The device's id, which the client states itself.
    var deviceId: String { get }
    /// The name of the app, which the web service knows by its key.
    var app: String { get }
}
