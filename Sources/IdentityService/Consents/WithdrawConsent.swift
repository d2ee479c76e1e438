import Messages
import RPC
import ServiceRuntime
import Storage

extension ConsentsHandler {
    /// Withdraws a consent (G-23). Nothing is deleted and no session ends: without the terms or the
    /// privacy text the account has the required action again. What to do about an account that
    /// stays without is the app's decision.
    func withdrawConsent(
        _ request: GatewayV1.WithdrawConsentRequest, _ call: AccountCall
    ) async throws -> GatewayV1.WithdrawConsentResponse {
        guard let kind = ConsentKind(rawValue: Int64(request.kind.rawValue)) else {
            throw ServiceError(.invalidArgument, fields: ["kind"])
        }
        let given = try await changing(call) { account, given, transaction in
            guard given[kind] != nil else { return false }
            try transaction.withdraw(kind, of: account)
            try transaction.audit(.consentWithdrawn, kind, account, from: call.origin)
            return true
        }
        return GatewayV1.WithdrawConsentResponse(consents: given.messages)
    }
}
