/// What a store needs of a call to recognise its retry. `Storage` imports neither the RPC runtime
/// nor the generated messages, so their types conform to this protocol and to `ClientOrigin`.
package protocol IdempotentCall: Sendable {
    /// The calling application, which the connection has identified.
    var application: String { get }
    /// The key that a caller sends again with each retry of one call; nil if there is none.
    var idempotencyKey: String? { get }
}
