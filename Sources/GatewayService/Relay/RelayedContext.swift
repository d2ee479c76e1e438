import Cryptography
import RPC
import ServiceRuntime

extension CallContext {
    /// The context in which a call is passed on to the owner of its method: the deadline and the
    /// trace, and what the gateway has checked. Nothing else of the caller's metadata goes along.
    ///
    /// Attack: a caller sends a `client-address`, an `app` or `paid-units` of its own, which the owner
    /// would take for the gateway's word.
    /// - Throws: `auth/invalid-access-token` without a token where the method requires one;
    ///   `rpc/invalid-argument` for metadata that are malformed.
    func relayed(to method: MethodDescription) throws(ServiceError) -> CallContext {
        var onward = onward(
            idempotencyKey: method.remembersRepeats
                ? try DerivedIdempotencyKey.of(self, method.rpcName) : nil)
        onward.metadata[Metadata.Key.clientAddress] = try personsAddress()
        onward.metadata[Metadata.Key.app] = app
        onward.metadata[Metadata.Key.acceptLanguage] = metadata.acceptedVoice?.tag
        switch method.session {
        case .none: return onward
        case .required: return onward.bearing(try fitting(requiredAccessToken()))
        case .optional, .anyAge:
            return onward.bearing(try accessToken().map(fitting))
        }
    }

    /// An access token that fits into the metadata that the gateway writes. A longer one is none of
    /// ours.
    private func fitting(_ token: String) throws(ServiceError) -> String {
        guard token.utf8.count <= TokenVerifier.bytesMax else {
            throw ServiceError(.invalidAccessToken)
        }
        return token
    }
}
