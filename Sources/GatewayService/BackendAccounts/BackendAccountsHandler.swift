import Contracts
import Cryptography
import Messages
import RPC
import ServiceRuntime

/// `postern.gateway.v1.BackendAccounts`: accounts in the hands of the app's backend (I-10). Identity
/// serves the rest, and verifies the backend's token in each request.
struct BackendAccountsHandler: BackendAccountsService {
    let accounts: any ManagedAccountsAPI
    let limits: RateLimiter

    /// I-10: charge the limit → create the account → forget the devices that are known of its
    /// address.
    ///
    /// Attack: a stranger has held the address until now. The stranger's device would keep a limit on
    /// failures of its own, and guess beside the one of unknown devices (`TrustedLane`).
    func createAccount(
        _ request: GatewayV1.CreateAccountRequest, _ context: CallContext
    ) async throws -> GatewayV1.CreateAccountResponse {
        let created = try await charging(
            BackendAccountsDescription.createAccount, request.call, context
        ) { onward in
            try await accounts.createAccount(request, onward)
        }
        await forgetDevices(of: created.account, context)
        return created
    }

    /// I-10: charge the limit → change the account → forget the devices that are known of its
    /// address, if that or the password is another one. A password of a backend opens the account to
    /// somebody else too, or its owner had none before.
    func changeAccount(
        _ request: GatewayV1.ChangeAccountRequest, _ context: CallContext
    ) async throws -> GatewayV1.ChangeAccountResponse {
        let changed = try await charging(
            BackendAccountsDescription.changeAccount, request.call, context
        ) { onward in
            try await accounts.changeAccount(request, onward)
        }
        if request.address != nil || !request.password.isEmpty {
            await forgetDevices(of: changed.account, context)
        }
        return changed
    }

    private func charging<Answer: Sendable>(
        _ method: MethodDescription, _ call: GatewayV1.BackendCall?, _ context: CallContext,
        _ act: (_ onward: CallContext) async throws -> Answer
    ) async throws -> Answer {
        let onward = try context.onward(for: method)
        return try await limits.charging(
            .backendAccount(application: context.application), context,
            chargedOnceFor: call?.chargeKey(of: method)
        ) {
            try await act(onward)
        }.answer
    }

    /// A crash before it leaves devices known. A retry with the same token, or with another one under
    /// its key, gets the same answer and forgets them (G-25).
    private func forgetDevices(of account: GatewayV1.Account?, _ context: CallContext) async {
        await limits.remember(
            account?.email ?? "", on: "", forgettingOthers: true, context)
    }
}
