import Messages
import RPC
import ServiceRuntime
import Storage

extension AccountConsentsHandler {
    /// Withdraws a consent (G-23). Nothing is deleted and no session ends: without the terms or the
    /// privacy text the account has the required action again. What to do about an account that
    /// stays without is the app's decision.
    /// - Throws: `rpc/invalid-argument` for no known kind; as `changing`.
    func withdrawConsent(
        _ request: IdentityV1.WithdrawConsentRequest, _ context: CallContext
    ) async throws -> IdentityV1.WithdrawConsentResponse {
        guard let kind = ConsentKind(rawValue: Int64(request.kind.rawValue)) else {
            throw ServiceError(.invalidArgument, fields: ["kind"])
        }
        let origin = CallOrigin(request.origin, hash: keys.audit)
        let given = try await changing(request.accessToken, from: origin, context) {
            account, given, transaction in
            guard given[kind] != nil else { return false }
            try transaction.withdraw(kind, of: account)
            try transaction.audit(.consentWithdrawn, kind, account, from: origin)
            return true
        }
        return IdentityV1.WithdrawConsentResponse(consents: given.messages)
    }
}
