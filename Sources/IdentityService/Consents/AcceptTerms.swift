import Messages
import RPC
import ServiceRuntime
import Storage

extension ConsentsHandler {
    /// Accepts the current terms and privacy text (G-23). What was accepted already keeps its time.
    func acceptTerms(
        _ request: GatewayV1.AcceptTermsRequest, _ call: AccountCall
    ) async throws -> GatewayV1.AcceptTermsResponse {
        guard let current = settings.current else { throw ServiceError(.operationNotAllowed) }
        let shown = ConsentVersions(
            terms: request.termsVersion, privacy: request.privacyVersion)
        guard shown == current else {
            throw ServiceError(
                .consentRequired,
                fields: (shown.terms == current.terms ? [] : ["terms_version"])
                    + (shown.privacy == current.privacy ? [] : ["privacy_version"]))
        }
        let origin = call.origin
        let given = try await changing(call) { account, given, transaction in
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
        return GatewayV1.AcceptTermsResponse(consents: given.messages)
    }
}
