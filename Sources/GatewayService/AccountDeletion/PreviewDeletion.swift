import Contracts
import Messages
import RPC
import ServiceRuntime

extension AccountDeletionHandler {
    /// G-19: identify the caller → have the consequences collected → put them into words.
    /// - Throws: `auth/invalid-link`, `auth/invalid-access-token`, `auth/session-ended`,
    ///   `auth/user-disabled`, `rpc/invalid-argument`.
    func previewDeletion(
        _ request: GatewayV1.PreviewDeletionRequest, _ context: CallContext
    ) async throws -> GatewayV1.PreviewDeletionResponse {
        let (caller, _) = try await caller(request.linkToken, context)
        let preview = try await deletions.previewDeletion(
            IdentityV1.PreviewDeletionRequest(caller: caller), context.onward())
        let voice = context.metadata.voice
        return GatewayV1.PreviewDeletionResponse(
            consequences: preview.consequences.compactMap {
                GatewayV1.DeletionConsequence($0, in: voice)
            },
            confirmationToken: preview.confirmationToken, expiresAtMs: preview.expiresAtMs,
            waitSeconds: preview.waitSeconds,
            deletion: preview.deletion)
    }
}

extension GatewayV1.DeletionConsequence {
    /// A consequence in words. Nil for a kind that this version does not know: identity may be of
    /// the next release.
    fileprivate init?(_ consequence: IdentityV1.DeletionConsequence, in voice: Voice) {
        guard let kind = DeletionConsequence(rawValue: consequence.kind) else { return nil }
        self.init(
            kind: kind.rawValue, sentence: kind.sentence(count: consequence.count, in: voice))
    }
}
