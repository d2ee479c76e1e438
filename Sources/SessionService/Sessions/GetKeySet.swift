package import Messages
package import RPC

extension SessionsHandler {
    /// Returns the JWKS of access tokens (`CurrentSigningKeys`).
    package func getKeySet(
        _ request: SessionV1.GetKeySetRequest, _ context: CallContext
    ) -> SessionV1.GetKeySetResponse {
        SessionV1.GetKeySetResponse(jwks: accessTokens.keys.current.keySetText)
    }
}
