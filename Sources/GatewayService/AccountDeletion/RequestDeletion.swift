import Contracts
import Cryptography
import Messages
import RPC
import ServiceRuntime

extension AccountDeletionHandler {
    /// G-19: identify the caller → charge the limit on its deletions → have the deletion begun.
    /// The limit bounds the mails of a session that requests and cancels in turns. A mailed link
    /// cannot be guessed and has been charged when it was requested.
    ///
    /// A deletion ends the session in which it was requested. Identity knows a repeat by its
    /// confirmation token, so a session that has ended is refused only if it is no repeat.
    /// - Throws: `auth/invalid-confirmation`, `auth/requires-recent-login`, `auth/invalid-link`,
    ///   `auth/invalid-access-token`, `auth/session-ended`, `auth/user-disabled`,
    ///   `auth/too-many-requests`, `rpc/invalid-argument`.
    func requestDeletion(
        _ request: GatewayV1.RequestDeletionRequest, _ context: CallContext
    ) async throws -> GatewayV1.RequestDeletionResponse {
        let origin = try Origin.of(nil, context)
        var inner = IdentityV1.RequestDeletionRequest(
            confirmationToken: request.confirmationToken, wait: request.wait, origin: origin)
        let session: CallerSession?
        do {
            let caller = try await caller(request.linkToken, context)
            (inner.caller, session) = (caller.caller, caller.session)
        } catch let refused as ServiceError where refused.isOfSession {
            guard request.linkToken.isEmpty, let token = try context.accessToken() else {
                throw refused
            }
            inner.caller = IdentityV1.DeletionCaller(by: .accessToken(token))
            return try await repeated(inner, unless: refused, context)
        }
        guard let session else { return try await begin(inner, context) }
        return try await limits.charging(
            .deletion(account: session.accountID), context,
            chargedOnceFor: Self.chargeKey(of: request.confirmationToken)
        ) {
            try await begin(inner, context)
        }.answer
    }

    /// Identity recognises a repeat by its confirmation token, so it is charged once.
    private static func chargeKey(of confirmationToken: String) -> String {
        Hex.encode(SHA256.hash(Array("RequestDeletion\0\(confirmationToken)".utf8)))
    }

    private func begin(
        _ inner: IdentityV1.RequestDeletionRequest, _ context: CallContext
    ) async throws -> GatewayV1.RequestDeletionResponse {
        let answer = try await deletions.requestDeletion(inner, context.onward())
        return GatewayV1.RequestDeletionResponse(deletion: answer.deletion)
    }

    /// The response to a repeat in a session that has ended.
    /// - Throws: `refused` if it is no repeat.
    private func repeated(
        _ inner: IdentityV1.RequestDeletionRequest, unless refused: ServiceError,
        _ context: CallContext
    ) async throws -> GatewayV1.RequestDeletionResponse {
        do {
            return try await begin(inner, context)
        } catch let error as ServiceError
            where error.isOfSession || error.code == .invalidConfirmation
        {
            throw refused
        }
    }
}
