import Contracts
import Cryptography
import RPC
import ServiceRuntime

extension CallContext {
    /// The context of the inner calls that a public call makes: it is passed on to its owner in it,
    /// or composed of them. It has the deadline and the trace, and what the gateway has checked.
    /// Nothing else of the caller's metadata goes along. A flow asks for it first, so that metadata
    /// which are malformed have no effect.
    ///
    /// Attack: a caller sends a `client-address`, an `app`, `app-without`, an `application`, `paid-units` or a
    /// `charge` of its own, which identity and session would take for the gateway's word. `place`
    /// and `agent` are the gateway's already (`CallOrigins`).
    /// - Parameter method: the public call's.
    /// - Throws: `auth/invalid-access-token` without a token where the method requires one;
    ///   for one that cannot be ours as `InspectSessionResponse.refusal`; `rpc/invalid-argument` for
    ///   metadata that are malformed.
    func onward(for method: MethodDescription) throws(ServiceError) -> CallContext {
        var onward = onward(
            idempotencyKey: method.remembersRepeats
                ? try DerivedIdempotencyKey.of(self, Self.storedName(of: method)) : nil)
        onward.metadata[Metadata.Key.clientAddress] = try personsAddress()
        onward.metadata[Metadata.Key.app] = app
        onward.metadata[Metadata.Key.appWithout] = appWithout.metadataText
        onward.metadata[Metadata.Key.place] = metadata[Metadata.Key.place]
        onward.metadata[Metadata.Key.agent] = metadata[Metadata.Key.agent]
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
        case .required: throw AccessTokenFault.malformed.error
        }
    }

    /// The same, for a call to identity that is charged: a second proof that it may ask for gives the
    /// charge back.
    func charged(_ charge: LimitCharge) -> CallContext {
        var charged = self
        charged.metadata[Metadata.Key.charge] = charge.isMade ? charge.name : nil
        return charged
    }

    /// The method's name in derived keys. `RefreshSession` has that of earlier versions, so that a
    /// repeat during an upgrade, which is when responses are lost, finds its response.
    private static func storedName(of method: MethodDescription) -> String {
        method == AuthDescription.refreshSession ? "Refresh" : method.rpcName
    }
}
