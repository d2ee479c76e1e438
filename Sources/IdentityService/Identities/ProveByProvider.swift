import Contracts
import Messages
import RPC
import ServiceRuntime
import Storage

extension IdentitiesHandler {
    /// Authenticates the owner of the caller's session again, with a fresh token of a provider that
    /// is linked to the account (G-13).
    ///
    /// Attack: an attacker finds an unlocked phone and authenticates with their own provider
    /// account. Only an identity of this account is a proof; an unknown identity is not linked by
    /// it.
    func proveByProvider(
        _ request: GatewayV1.ReauthenticateRequest, _ context: CallContext
    ) async throws -> IdentityV1.ProveByProviderResponse {
        guard case .providerToken(let token) = request.proof else {
            throw ServiceError(.invalidArgument, fields: ["provider_token"])
        }
        let owner = try await owners.owner(in: context)
        let origin = CallOrigin(context, on: request.device, keys)
        let proved = try await identity(provedBy: token, for: owner.account, from: origin)
        let lookUpKey = keys.lookUpKey(of: proved)
        let call = MethodCall(
            of: owner, from: origin, on: request.device,
            try RepeatableCall(
                IdentitiesDescription.proveByProvider, request, by: owner.account.text,
                proving: lookUpKey, context, keys))
        let outcome: Result<(AccountRow, IdentityV1.StoredResponse?, Timestamp), ServiceError> =
            try await store.write(about: [.account(owner.account)]) { transaction in
                try transaction.requireLive(owner)
                let first = try transaction.storedResponse(of: call.repeatable)
                if first == nil, let nonce = proved.nonce, try !transaction.use(nonce) {
                    return .failure(try refusal(.invalidNonce, proved, call, transaction))
                }
                guard try transaction.identity(lookUpKey: lookUpKey)?.account == owner.account,
                    let row = try transaction.account(owner.account)
                else { return .failure(try refusal(.methodNotLinked, proved, call, transaction)) }
                guard row.status.isUsable else { throw ServiceError(.accountDisabled) }
                if first == nil {
                    try transaction.remember(
                        call.repeatable,
                        .init(
                            account: owner.account.key,
                            authenticatedAtMs: transaction.at.milliseconds))
                }
                return .success((row, first, transaction.at))
            }
        let (row, first, moment) = try outcome.get()
        return IdentityV1.ProveByProviderResponse(
            proof: proofs.reauthentication(
                of: owner, row, by: proved.authenticationOfOwn,
                authenticatedAt: first?.authenticatedAt, provedAt: moment))
    }

    private func refusal(
        _ code: ErrorCode, _ proved: ProvedIdentity, _ call: MethodCall,
        _ transaction: Transaction
    ) throws -> ServiceError {
        try audit(
            .signInFailed, proved, of: call.owner.account, from: call.origin, outcome: code,
            transaction)
        return ServiceError(code)
    }
}
