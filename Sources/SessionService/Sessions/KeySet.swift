package import Messages
package import RPC

extension SessionsHandler {
    /// Returns the JWKS of access tokens (`CurrentSigningKeys`).
    package func keySet(
        _ request: SessionV1.KeySetRequest, _ context: CallContext
    ) -> SessionV1.KeySetResponse {
        SessionV1.KeySetResponse(jwks: accessTokens.keys.current.keySetText)
    }
}
