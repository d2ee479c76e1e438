import Messages
import RPC
import ServiceRuntime
import Storage

extension AccountConsentsHandler {
    /// Accepts the current terms and privacy text (G-23). What was accepted already keeps its time.
    /// - Throws: `auth/operation-not-allowed` if the operator has named no versions;
    ///   `auth/consent-required` for other versions than the current ones; as `changing`.
    func acceptTerms(
        _ request: IdentityV1.AcceptTermsRequest, _ context: CallContext
    ) async throws -> IdentityV1.AcceptTermsResponse {
        guard let current = settings.current else { throw ServiceError(.operationNotAllowed) }
        let shown = ConsentVersions(
            terms: request.termsVersion, privacy: request.privacyVersion)
        guard shown == current else {
            throw ServiceError(
                .consentRequired,
                fields: (shown.terms == current.terms ? [] : ["terms_version"])
                    + (shown.privacy == current.privacy ? [] : ["privacy_version"]))
        }
        let origin = CallOrigin(request.origin, hash: keys.audit)
        let given = try await changing(request.accessToken, from: origin, context) {
            account, given, transaction in
            let kinds = [ConsentKind.terms, .privacy].filter {
                !given.has($0, settings.version(of: $0))
            }
            for kind in kinds {
                let version = settings.version(of: kind)
                try transaction.give(
                    kind, version: version, to: account, by: .acceptTerms, in: origin.app)
                try transaction.audit(.consentGiven, kind, account, from: origin)
            }
            return !kinds.isEmpty
        }
        return IdentityV1.AcceptTermsResponse(consents: given.messages)
    }
}
