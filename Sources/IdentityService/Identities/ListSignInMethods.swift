import Contracts
import Messages
import RPC
import ServiceRuntime
import Storage

extension IdentitiesHandler {
    /// Lists the sign-in methods of the caller's account, oldest first (G-14). A password dates
    /// from its last change, passkeys from the oldest one.
    func listSignInMethods(
        _ request: GatewayV1.ListSignInMethodsRequest, _ call: OwnerCall
    ) async throws -> GatewayV1.ListSignInMethodsResponse {
        let account = call.owner.account
        let (row, identities, passwordSetAt, passkeys) = try await store.read { session in
            (
                try session.account(account), try session.identities(of: account),
                try session.passwordSetAt(account), try session.passkeys(of: account)
            )
        }
        guard let row else { throw ServiceError(.invalidAccessToken) }
        let vault = try reader.vault(row)
        var methods = try identities.map { identity in
            let details = try IdentityDetails(
                text: try vault.open(identity.sealedDetails, .identityDetails(identity.identity)))
            return GatewayV1.SignInMethod(
                method: identity.method.name, addedAtMs: identity.linkedAt.milliseconds,
                hint: details.hint(method: identity.method))
        }
        if let passwordSetAt, let address = row.address {
            methods.append(
                GatewayV1.SignInMethod(
                    method: SignInMethod.password.name, addedAtMs: passwordSetAt.milliseconds,
                    hint: try vault.open(address.sealed, .address)))
        }
        if let oldest = passkeys.first {
            let names = try passkeys.map { try $0.details(vault).name }
            methods.append(
                GatewayV1.SignInMethod(
                    method: SignInMethod.passkey.name, addedAtMs: oldest.addedAt.milliseconds,
                    hint: names.filter { !$0.isEmpty }.joined(separator: ", ")))
        }
        return GatewayV1.ListSignInMethodsResponse(
            methods: methods.sorted { ($0.addedAtMs, $0.method) < ($1.addedAtMs, $1.method) })
    }
}
