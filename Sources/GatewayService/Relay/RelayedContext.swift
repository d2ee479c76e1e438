import Contracts
import Cryptography
import RPC
import ServiceRuntime

extension CallContext {
    /// The context in which a call is passed on to the owner of its method: the deadline and the
    /// trace, and what the gateway has checked. Nothing else of the caller's metadata goes along.
    ///
    /// Attack: a caller sends a `client-address`, an `app`, an `application` or `paid-units` of its
    /// own, which the owner would take for the gateway's word.
    /// - Throws: `auth/invalid-access-token` without a token where the method requires one, and as
    ///   the table of `CallerSession` for one that cannot be ours; `rpc/invalid-argument` for
    ///   metadata that are malformed.
    func relayed(to method: MethodDescription) throws(ServiceError) -> CallContext {
        var onward = onward(
            idempotencyKey: method.remembersRepeats
                ? try DerivedIdempotencyKey.of(self, Self.storedName(of: method)) : nil)
        onward.metadata[Metadata.Key.clientAddress] = try personsAddress()
        onward.metadata[Metadata.Key.app] = app
        onward.metadata[Metadata.Key.acceptLanguage] = metadata.acceptedVoice?.tag
        if method.isForNamedCallersOnly {
            onward.metadata[Metadata.Key.application] = application
        }
        let token: String? =
            switch method.session {
            case .none: nil
            case .required: try requiredAccessToken()
            case .optional: try accessToken()
            // Not read where the request has another token: the owner says what is missing.
            case .anyAge: try? accessToken()
            }
        guard let token else { return onward }
        // A longer one is none of ours, and does not fit into the metadata.
        guard token.utf8.count > TokenVerifier.bytesMax else { return onward.bearing(token) }
        switch method.session {
        case .none, .anyAge: return onward
        case .optional: throw ServiceError(.sessionEnded)
        case .required: throw ServiceError(.invalidAccessToken)
        }
    }

    /// The method's name in derived keys. `RefreshSession` has that of earlier versions, so that a
    /// repeat during an upgrade, which is when responses are lost, finds its response.
    private static func storedName(of method: MethodDescription) -> String {
        method == AuthDescription.refreshSession ? "Refresh" : method.rpcName
    }
}
