import Contracts
import Messages
import RPC
import ServiceRuntime
import Synchronization

/// A scripted identity service: it rejects with one code or signs in, and records the calls.
final class ScriptedIdentities: IdentitiesAPI {
    private struct State {
        var refusal: ErrorCode?
        var admission = IdentityV1.AdmissionResponse()
        var callerTokens: [String] = []
        var keys: [String?] = []
    }

    private let state = Mutex(State())

    /// From now on it throws this code.
    func refuse(_ code: ErrorCode) { state.withLock { $0.refusal = code } }

    /// From now on it returns this result.
    func admit(_ admission: IdentityV1.AdmissionResponse) {
        state.withLock {
            $0.refusal = nil
            $0.admission = admission
        }
    }

    /// The access tokens of the calls; empty if a call had none.
    var callerTokens: [String] { state.withLock { $0.callerTokens } }

    /// The idempotency keys of the calls.
    var keys: [String?] { state.withLock { $0.keys } }

    private func answer(_ context: CallContext) throws -> IdentityV1.AdmissionResponse {
        let token = try context.accessToken() ?? ""
        return try state.withLock { state in
            state.callerTokens.append(token)
            state.keys.append(context.idempotencyKey)
            if let code = state.refusal { throw ServiceError(code) }
            return state.admission
        }
    }

    func signInWithProvider(
        _ request: GatewayV1.SignInWithProviderRequest, _ context: CallContext
    ) async throws -> IdentityV1.AdmissionResponse {
        try answer(context)
    }

    func signInWithPasskey(
        _ request: GatewayV1.SignInWithPasskeyRequest, _ context: CallContext
    ) async throws -> IdentityV1.AdmissionResponse { try answer(context) }

    func signInAsGuest(
        _ request: GatewayV1.SignInAsGuestRequest, _ context: CallContext
    ) async throws -> IdentityV1.AdmissionResponse { try answer(context) }

    func linkProvider(
        _ request: GatewayV1.LinkProviderRequest, _ context: CallContext
    ) async throws -> GatewayV1.LinkProviderResponse {
        GatewayV1.LinkProviderResponse(account: try answer(context).account)
    }

    func proveByProvider(
        _ request: GatewayV1.ReauthenticateRequest, _ context: CallContext
    ) async throws -> IdentityV1.ProveByProviderResponse {
        IdentityV1.ProveByProviderResponse(proof: try answer(context).proof)
    }
}
