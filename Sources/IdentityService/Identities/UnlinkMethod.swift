import Contracts
import Messages
import RPC
import ServiceRuntime
import Storage

extension IdentitiesHandler {
    /// Unlinks a sign-in method from the caller's account, but never the last one (G-14):
    /// `MethodRemoval`.
    ///
    /// All other sessions end, as after a password change. The owner may be removing the method
    /// because an attacker used it, and the identity service does not know which session was opened
    /// with which method.
    ///
    /// Two concurrent removals are serialized, so that one of the last two methods remains.
    func unlinkMethod(
        _ request: GatewayV1.UnlinkMethodRequest, _ call: OwnerCall
    ) async throws -> GatewayV1.UnlinkMethodResponse {
        guard SignInMethod(name: request.method) != .passkey else {
            throw ServiceError.invalidArgument(
                "method",
                "an account may have several passkeys: Passkeys/RemovePasskey removes one")
        }
        try call.known.require(.standard)
        let removal = MethodCall(
            of: call.owner, from: call.frame.origin, on: request.device, call.frame.repeatable)
        let outcome = try await store.write(about: [.account(call.owner.account)]) {
            try removed(SignInMethod(name: request.method), removal, $0)
        }
        return GatewayV1.UnlinkMethodResponse(
            account: try await answers.account(try outcome.get()))
    }

    private func removed(
        _ method: SignInMethod, _ call: MethodCall, _ transaction: Transaction
    ) throws -> Result<AccountRow, ServiceError> {
        let row = try transaction.callersRow(call.owner.account)
        try transaction.requireLive(call.owner)
        if try transaction.storedResponse(of: call.repeatable) != nil { return .success(row) }
        if let code = MethodRule.refusal(
            removing: method, from: row.methods, opening: settings.opening(row.methods))
        {
            // A name that the account does not have is the caller's own text.
            let detail = row.methods.contains(method) ? AuditDetail.method(method.name) : nil
            return .failure(
                try transaction.refusal(
                    code, .linkingRefused, of: row, detail: detail, from: call.origin,
                    within: settings.newcomers))
        }
        try MethodRemoval(writer: writer, transaction: transaction)
            .run(
                method, from: row, call.device, origin: call.origin, except: call.owner.session)
        try transaction.endSessions(
            of: row.account, provedUntil: transaction.at, except: call.owner.session, outbox)
        try transaction.remember(call.repeatable, .init(account: row.account.key))
        return .success(try transaction.callersRow(row.account))
    }
}

extension GatewayV1.UnlinkMethodRequest: DeviceRequest {}
